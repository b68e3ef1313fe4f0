// What is kept of the recording that plays, changed on a thread of its own: the disk may take its time, and no key waits for it.
import Glibc
import JSON
import Synchronization
import Terminal
import Woodshed

/// The recording that plays, in the user's store.
final class SectionKeeper: Sendable {
    private struct State {
        var opened: Result<KeptRecording, any Error>?
        var work: [@Sendable () -> Void] = []
        var isWorking = false
        var orderCount = 0
        var list: SectionList?
    }

    /// The recording's name as the user typed it.
    let file: String
    private let state = Mutex(State())

    /// - Parameter file: The recording's name as the user typed it.
    init(file: String) { self.file = file }

    /// What is kept of the recording. The first call reads the recording's file; a failure is the same for all calls.
    func kept(_ info: AudioFileInfo) throws -> KeptRecording {
        if let opened = state.withLock({ $0.opened }) { return try opened.get() }
        let opened = Result { () throws(any Error) in try KeptRecording(info, file: file) }
        return try state.withLock { state in
            let first = state.opened ?? opened
            state.opened = first
            return try first.get()
        }
    }

    /// Notes the sections as they are now.
    ///
    /// - Returns: As they were noted last; nil the first time.
    @discardableResult
    func note(_ list: SectionList) -> SectionList? {
        state.withLock { state in
            defer { state.list = list }
            return state.list
        }
    }

    /// Whether something that the user asked for is not done yet. When it is done, it was told.
    var hasOrders: Bool { state.withLock { $0.orderCount > 0 } }

    /// Does some work after all that was asked for before, on another thread.
    ///
    /// - Parameter isOrder: Whether the user asked for it, so that a run that is over waits for it.
    func post(isOrder: Bool = false, _ work: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            if isOrder { state.orderCount += 1 }
            state.work.append { [self] in
                work()
                if isOrder { self.state.withLock { $0.orderCount -= 1 } }
            }
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if begins { BlockingThread.start { [self] in workOff() } }
    }

    private func workOff() {
        while true {
            let next = state.withLock { state -> (@Sendable () -> Void)? in
                guard !state.work.isEmpty else {
                    state.isWorking = false
                    return nil
                }
                return state.work.removeFirst()
            }
            guard let next else { return }
            next()
        }
    }

    /// Waits until all work is done.
    ///
    /// - Returns: False if that takes longer than `seconds`.
    func finish(seconds: Double) -> Bool {
        let limit = monotonicNanoseconds() + Int64(seconds * 1e9)
        while state.withLock({ $0.isWorking }) {
            guard monotonicNanoseconds() < limit else { return false }
            usleep(2000)
        }
        return true
    }
}

/// What the keeper's thread has done, for the main loop.
enum KeptNews: Sendable {
    /// The sections have changed; the words tell how.
    case changed(SectionChange, SectionList, String)
    /// Nothing has changed; lines tell why, and what to do.
    case refused([String])
    /// Something else to tell: sections of a copy can be taken over.
    case offered([String])
    /// A section was rated: for the user, and for programs.
    case rated(String, JSONValue)
}
