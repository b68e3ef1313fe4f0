// Text on its way to standard output or standard error. A reader may stop reading for as long as it likes: keys, signals and the
// control socket are answered all the same, and the memory has a bound.
import Realtime
import Synchronization
import Terminal

/// Writes texts on a thread of its own, in order. One thread adds them.
final class ProgramOutput: Sendable {
    /// Standard output, of which the process has one.
    static let standard = ProgramOutput(.output)
    /// Standard error, for messages and drawings while a loop runs.
    static let errors = ProgramOutput(.error, goesOn: true) {
        "woodshed: \(counted($0, "line")) left out, because nobody read them\n"
    }

    /// How much may wait for a reader, in bytes: some minutes of a short loop.
    static let limit = 4 << 20
    /// How much is written in one go, if a line ends there; a step that the reader takes shows as progress.
    private static let chunk = 4 << 10
    /// As long as a reader may rest when the run was asked to end.
    private static let readerNanoseconds: Int64 = 5_000_000_000

    private struct State {
        var waiting: [UInt8] = []
        /// Bytes that the thread has taken and not written yet.
        var leaving = 0
        var written = 0
        /// Lines that were left out since the last one that was not.
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
    /// Whether texts after one that could not be written are tried all the same.
    private let goesOn: Bool
    /// The line that tells how many lines were left out.
    private let lostLine: @Sendable (Int) -> String
    private let state = Mutex(State())
    /// Ends waits for a change of the state.
    private let changes = ConditionLock()

    init(
        _ stream: StandardStream, limit: Int = ProgramOutput.limit, goesOn: Bool = false,
        lostLine: @escaping @Sendable (Int) -> String = { "{\"v\":1,\"event\":\"output.lost\",\"lines\":\($0)}\n" }
    ) {
        (self.stream, self.limit, self.goesOn, self.lostLine) = (stream, limit, goesOn, lostLine)
    }

    /// Calls `tell` once when writing has failed, by any thread; replaces the one before.
    func onFailure(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.tell = tell } }

    /// Why nothing is written any more.
    var failure: OutputError? { state.withLock { $0.error } }

    /// Bytes that were written, bytes that wait, and lines that were left out and not told yet.
    var counts: (written: Int, waiting: Int, lost: Int) {
        state.withLock { ($0.written, $0.waiting.count + $0.leaving, $0.lost) }
    }

    /// Adds whole lines, and does not wait. Lines for which there is no room are left out; a line of its own tells how many, as soon as half of
    /// the room is free. Half of the room is enough for a line of any length.
    ///
    /// - Parameter isLast: Whether the text is kept although there is no room: it says how the run ended.
    func put(_ text: String, isLast: Bool = false) {
        let isNew = state.withLock { state -> Bool in
            guard state.error == nil else { return false }
            let room = limit - state.waiting.count - state.leaving
            // A line that is longer than half of the room needs no more than that.
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

    /// Waits until everything is written, or for a time.
    ///
    /// - Returns: Whether nothing waits any more.
    func wait(milliseconds: Int) -> Bool {
        changes.withLock {
            if state.withLock({ $0.isIdle }) { return true }
            changes.wait(milliseconds: milliseconds)
            return state.withLock { $0.isIdle }
        }
    }

    /// Waits until everything is written, and tells before that how many lines were left out.
    ///
    /// - Parameters:
    ///   - isAsked: Whether the run was asked to end: then it waits no longer than some seconds for a reader that rests.
    ///   - look: Called every tenth of a second; returns whether to wait no longer.
    /// - Returns: Whether everything is written, or nothing can be.
    func finish(isAsked: Bool, look: () -> Bool) -> Bool {
        if counts.lost > 0 { put("", isLast: true) }
        var (written, time) = (counts.written, monotonicNanoseconds())
        while !wait(milliseconds: 100) {
            let before = monotonicNanoseconds()
            if look() { return false }
            let now = monotonicNanoseconds()
            // The process may have been stopped during the look.
            time += max(0, now - before - Self.readerNanoseconds / 10)
            if counts.written > written { (written, time) = (counts.written, now) }
            if isAsked, now - time > Self.readerNanoseconds { return false }
        }
        return true
    }

    private func start() {
        if let thread = PlainThread(name: "woodshed-output", { [self] in run() }) { return thread.detach() }
        // The system makes no thread: a reader that does not read holds up the caller.
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
            // Standard error may be the same pipe: a message between two pieces would be one in the middle of a line.
            let feed = UInt8(ascii: "\n")
            let end = rest.prefix(Self.chunk).lastIndex(of: feed) ?? rest.firstIndex(of: feed)
            // A drawing that fits goes out in one go, so that no half of it is seen.
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
