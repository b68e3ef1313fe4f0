// Queued text for standard output or standard error. A stalled reader delays no key, signal or control command, and the
// queue's memory is bounded.
import Files
import JSON
import Realtime
import Synchronization
import Terminal

/// Writes texts in order, on its own thread. A single thread adds texts.
final class ProgramOutput: Sendable {
    /// The process's standard output.
    static let standard = ProgramOutput(.output)
    /// Standard error, for messages and drawings while a loop runs.
    static let errors = ProgramOutput(.error, goesOn: true) {
        "woodshed: \(counted($0, "line")) left out, because the output was not read\n"
    }

    /// Bytes that may wait for a reader: some minutes of a short loop.
    static let limit = 4 << 20
    /// Bytes in a single write, up to the end of a line. Each write accepted by the reader counts as progress.
    private static let chunk = 4 << 10
    /// Longest time a reader may stall after the run was asked to end.
    private static let readerNanoseconds: Int64 = 5_000_000_000

    private struct State {
        var waiting: [UInt8] = []
        /// Bytes taken by the thread and not written yet.
        var leaving = 0
        var written = 0
        /// Lines dropped since the last queued line.
        var lost = 0
        var error: OutputError?
        var tell: @Sendable () -> Void = {}
        var hasThread = false

        var isIdle: Bool { error != nil || waiting.isEmpty && leaving == 0 }

        mutating func take() -> [UInt8] {
            defer { (leaving, waiting) = (waiting.count, []) }
            return waiting
        }
    }

    private let stream: StandardStream
    private let limit: Int
    /// True if writing continues with later texts after an error.
    private let goesOn: Bool
    /// Returns the line that reports the number of dropped lines.
    private let lostLine: @Sendable (Int) -> String

    /// Returns the event that reports a number of dropped lines.
    static func lost(_ lines: Int) -> String { JSONValue.event("output.lost", [.init("lines", .integer(lines))]).text }
    private let state = Mutex(State())
    /// Ends waits for a change of the state.
    private let changes = ConditionLock()

    init(
        _ stream: StandardStream, limit: Int = ProgramOutput.limit, goesOn: Bool = false,
        lostLine: @escaping @Sendable (Int) -> String = { ProgramOutput.lost($0) + "\n" }
    ) {
        (self.stream, self.limit, self.goesOn, self.lostLine) = (stream, limit, goesOn, lostLine)
    }

    /// Sets `tell`, which is called once after a write error, on any thread. Replaces the previous closure.
    func onFailure(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.tell = tell } }

    /// The error that ended writing; nil before an error.
    var failure: OutputError? { state.withLock { $0.error } }

    /// Numbers of written bytes, of waiting bytes, and of dropped lines not reported yet.
    var counts: (written: Int, waiting: Int, lost: Int) {
        state.withLock { ($0.written, $0.waiting.count + $0.leaving, $0.lost) }
    }

    /// Queues whole lines without waiting. Drops lines if there is no room. Once half of the room is free, a separate
    /// line reports the number of dropped lines. A line of any length is accepted if half of the room is free.
    ///
    /// - Parameter isLast: True to queue the text even without room, because the text reports the end of the run.
    func put(_ text: String, isLast: Bool = false) {
        let isNew = state.withLock { state -> Bool in
            guard state.error == nil else { return false }
            let room = limit - state.waiting.count - state.leaving
            // A line longer than half of the room needs only half of the room to be free.
            guard isLast || room >= (state.lost == 0 ? min(text.utf8.count, limit / 2) : limit / 2) else {
                state.lost += text.utf8.count { $0 == UInt8(ascii: "\n") }
                return false
            }
            if state.lost > 0 {
                state.waiting += Array(lostLine(state.lost).utf8)
                state.lost = 0
            }
            state.waiting += Array(text.utf8)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if isNew { start() }
        changes.withLock { changes.wakeAll() }
    }

    /// Counts lines that were dropped before they were made. The next queued text reports them, too.
    func noteLost(_ lines: Int) { state.withLock { $0.lost += lines } }

    /// Waits until the queue is empty or changes, or for a time.
    ///
    /// - Returns: True if nothing waits any more.
    func wait(milliseconds: Int) -> Bool {
        changes.withLock {
            if state.withLock({ $0.isIdle }) { return true }
            changes.wait(milliseconds: milliseconds)
            return state.withLock { $0.isIdle }
        }
    }

    /// Waits until everything is written. Before the wait, queues the number of dropped lines.
    ///
    /// - Parameters:
    ///   - isAsked: True if the run was asked to end; a stalled reader is then given up after a few seconds.
    ///   - look: Called every tenth of a second; returns true to stop waiting.
    /// - Returns: True if everything is written, or writing is impossible.
    func finish(isAsked: Bool, look: () -> Bool) -> Bool {
        if counts.lost > 0 { put("", isLast: true) }
        var (written, time) = (counts.written, MonotonicTime.now())
        while !wait(milliseconds: 100) {
            let before = MonotonicTime.now()
            if look() { return false }
            let now = MonotonicTime.now()
            // The process may have been suspended during the call, so its duration is added to the time limit.
            time += max(0, now - before - Self.readerNanoseconds / 10)
            if counts.written > written { (written, time) = (counts.written, now) }
            if isAsked, now - time > Self.readerNanoseconds { return false }
        }
        return true
    }

    private func start() {
        if let thread = PlainThread(name: "woodshed-output", { [self] in run() }) { return thread.detach() }
        // The system refuses a thread, so the caller writes itself, and a stalled reader blocks the caller.
        state.withLock { $0.hasThread = false }
        write(state.withLock { $0.take() })
    }

    private func run() {
        while true {
            changes.withLock {
                while state.withLock({ $0.waiting.isEmpty }) { changes.wait() }
            }
            write(state.withLock { $0.take() })
        }
    }

    private func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Standard error may be the same pipe, so each piece ends with a line. Otherwise a message could land in
            // the middle of a line.
            let feed = UInt8(ascii: "\n")
            let end = rest.prefix(Self.chunk).lastIndex(of: feed) ?? rest.firstIndex(of: feed)
            // A drawing that fits is written in one piece, so the terminal never shows half of a drawing.
            let part = rest.count <= Self.chunk ? rest : end.map { rest[...$0] } ?? rest
            rest = rest.dropFirst(part.count)
            var fault: OutputError?
            do throws(OutputError) { try stream.write(bytes: part) } catch { fault = error }
            let tell = state.withLock { state -> (@Sendable () -> Void)? in
                guard let fault, !goesOn else {
                    state.leaving -= part.count
                    state.written += part.count
                    return nil
                }
                (state.error, state.waiting, state.leaving) = (fault, [], 0)
                return state.tell
            }
            changes.withLock { changes.wakeAll() }
            if let tell { return tell() }
        }
    }
}
