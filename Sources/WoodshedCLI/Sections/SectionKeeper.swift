// Stored data of the playing recording, changed on a separate thread: no key waits for a slow disk.
import Files
import Glibc
import JSON
import Synchronization
import Terminal
import WoodshedPractice

/// The playing recording, in the user's store.
final class SectionKeeper: Sendable {
    private struct State {
        var opened: Result<KeptRecording, any Error>?
        var work: [(kind: WorkKind, run: @Sendable () -> Void)] = []
        var isWorking = false
        var orderCount = 0
        var list: SectionList?
    }

    /// The reason for queuing work, and thereby its bound.
    enum WorkKind {
        /// The user requested the work. An ending run waits for the work. At most `mostOrders` wait.
        case order
        /// The work reads the newest data, so nothing is queued behind waiting work of this kind.
        case refresh
        /// The run does the work once.
        case single
    }

    /// Most orders that wait for a disk, or for the lock of another program.
    static let mostOrders = 64
    /// The refusal of a further order.
    static let refusal = "\(mostOrders) changes wait for the disk; the last request has no effect, so repeat it later"

    /// The recording's name, as typed by the user.
    let file: String
    private let state = Mutex(State())

    /// - Parameter file: The recording's name, as typed by the user.
    init(file: String) { self.file = file }

    /// Returns the recording in the store. The first call reads the recording's file. A failure is stored and repeated
    /// by all calls.
    func kept(_ info: AudioFileInfo) throws -> KeptRecording {
        if let opened = state.withLock({ $0.opened }) { return try opened.get() }
        let opened = Result { () throws(any Error) in try KeptRecording(info, file: file) }
        return try state.withLock { state in
            let first = state.opened ?? opened
            state.opened = first
            return try first.get()
        }
    }

    /// Stores the current sections.
    ///
    /// - Returns: The previously stored sections; nil the first time.
    @discardableResult
    func note(_ list: SectionList) -> SectionList? {
        state.withLock { state in
            defer { state.list = list }
            return state.list
        }
    }

    /// True while work requested by the user is pending. Finished work has already reported its result.
    var hasOrders: Bool { state.withLock { $0.orderCount > 0 } }

    /// Queues work for another thread, after all earlier work.
    ///
    /// - Returns: The refusal, if too many orders wait already.
    @discardableResult
    func post(_ kind: WorkKind, _ work: @escaping @Sendable () -> Void) -> String? {
        let (refusal, begins) = state.withLock { state -> (String?, Bool) in
            switch kind {
            case .order:
                guard state.orderCount < Self.mostOrders else { return (Self.refusal, false) }
                state.orderCount += 1
            case .refresh: if state.work.contains(where: { $0.kind == .refresh }) { return (nil, false) }
            case .single: break
            }
            state.work.append((kind, work))
            defer { state.isWorking = true }
            return (nil, !state.isWorking)
        }
        if begins { BlockingThread.start { [self] in workOff() } }
        return refusal
    }

    private func workOff() {
        while true {
            let next = state.withLock { state -> (kind: WorkKind, run: @Sendable () -> Void)? in
                guard !state.work.isEmpty else {
                    state.isWorking = false
                    return nil
                }
                return state.work.removeFirst()
            }
            guard let next else { return }
            next.run()
            if next.kind == .order { state.withLock { $0.orderCount -= 1 } }
        }
    }

    /// Waits until all work is done.
    ///
    /// - Returns: False after a timeout of `seconds`.
    func finish(seconds: Double) -> Bool {
        let limit = MonotonicTime.now() + Int64(seconds * 1e9)
        while state.withLock({ $0.isWorking }) {
            guard MonotonicTime.now() < limit else { return false }
            usleep(2000)
        }
        return true
    }
}

/// Results of the keeper's thread, for the main loop.
enum KeptNews: Sendable {
    /// The sections have changed; the words tell how.
    case changed(SectionChange, SectionList, String)
    /// Nothing has changed; the lines give the reason and a remedy.
    case refused([String])
    /// An offer: the sections of a copy can be adopted.
    case offered([String])
    /// A section was rated: words for the user, and an event for programs.
    case rated(String, JSONValue)
}
