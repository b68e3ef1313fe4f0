// Requests of other programs to running fetches. Other programs change the list of fetches; the change reaches the
// fetcher at the next look at the list.
import WoodshedLibrary

/// Watches the list for the fetches of a run. Used on the thread of the loop.
final class FetchListWatch {
    private let library: RecordingLibrary
    private let fetcher: Fetcher
    /// True if the run also fetches addresses added to the list meanwhile.
    let followsList: Bool
    private var lastLook: Int64 = 0
    /// Fetches paused by another program.
    private var paused: Set<Int> = []
    /// Fetches removed from the list by another program.
    private var removed: Set<Int> = []
    /// Priorities changed by another program.
    private var priorities: [Int: Int] = [:]

    /// Interval between two looks at the list for requests of other programs, in ns.
    private static let lookInterval: Int64 = 1_000_000_000

    init(_ library: RecordingLibrary, _ fetcher: Fetcher, followsList: Bool) {
        (self.library, self.fetcher, self.followsList) = (library, fetcher, followsList)
    }

    /// True if another program has removed this fetch from the list.
    func hasRemoved(_ number: Int) -> Bool { removed.contains(number) }

    /// Drops the requests to a fetch that has ended. Another fetch may have the same number by now.
    func forget(_ number: Int) {
        paused.remove(number)
        removed.remove(number)
        priorities[number] = nil
    }

    /// Passes requests on to the fetcher.
    ///
    /// - Parameter running: Returns the fetches that are not done. Called only for a look at the list.
    /// - Returns: The waiting fetches of the list, if the run follows the list, with fetches that are running already.
    func look(now: Int64, running: () -> [PendingFetch]) -> [PendingFetch] {
        guard now - lastLook >= Self.lookInterval else { return [] }
        lastLook = now
        // Another program may have changed the list. An unreadable store changes nothing for the moment.
        guard let fetches = try? library.pendingFetches() else { return [] }
        let known = Dictionary(uniqueKeysWithValues: fetches.map { ($0.number, $0) })
        for own in running() {
            // The number may belong to another fetch by now.
            guard let listed = known[own.number], listed.address == own.address, listed.addedAt == own.addedAt else {
                if removed.insert(own.number).inserted { fetcher.leave(own) }
                continue
            }
            if listed.priority != priorities[own.number] ?? own.priority {
                priorities[own.number] = listed.priority
                fetcher.setPriority(own.number, listed.priority)
            }
            switch listed.state {
            case .paused: if paused.insert(own.number).inserted { fetcher.pause(own.number) }
            case .waiting: if paused.remove(own.number) != nil { fetcher.resume(own.number) }
            case .failed: break
            }
        }
        return followsList ? fetches.filter { $0.state == .waiting } : []
    }
}
