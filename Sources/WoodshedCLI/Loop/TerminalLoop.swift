// The loop of playing and recording. It waits for keys, signals and the engine's reports together, and is the only
// writer to the terminal. The delegate interprets keys and reports; the loop knows nothing about sound.
import AudioFiles
import Explanations
import Files
import Glibc
import Terminal

/// The delegate of a loop. Every call is made on the thread of the loop.
protocol TerminalLoopDelegate: AnyObject {
    associatedtype Report: Sendable

    /// True once nothing is left to wait for.
    var isOver: Bool { get }
    /// True if `look` must be called every tenth of a second.
    var needsLooks: Bool { get }

    func answer(_ key: KeyBytes.Key)
    /// Handles a signal with a meaning of the delegate's own.
    func answer(signal number: Int32)
    func take(_ reports: [Report])
    /// Called after every event, and every tenth of a second if `needsLooks`.
    func look(now: Int64)
    /// Begins the ending, because of a key, a signal or a closed output. Called once.
    func beginEnding()
    /// Called before the process is stopped (Ctrl-Z), which happens on return.
    func prepareForSuspension()
    /// Called after the process continues.
    func goOnAfterSuspension()
    /// Returns the lines to show, each at least one column narrower than the terminal.
    func lines(_ size: TerminalSize) -> [String]
}

extension TerminalLoopDelegate {
    func answer(signal number: Int32) {}
    func prepareForSuspension() {}
    func goOnAfterSuspension() {}
}

/// Keys, signals and reports for a delegate, and the lines redrawn while the loop runs.
final class TerminalLoop<Delegate: TerminalLoopDelegate> {
    /// Queue of reports from other threads.
    let inbox: Inbox<Delegate.Report>
    let messages: MessageOptions
    let traits: TerminalTraits
    let takesKeys: Bool
    /// The result of the run; nil while the run goes on. The first reason counts, except that a signal replaces the
    /// user's wish to end.
    private(set) var ending: ExitStatus?

    /// Receives every message, printed or not.
    var listener: (([String]) -> Void)?

    private let output: ProgramOutput
    private var outputState = OutputState.open
    /// Queue for messages and drawings; `output` where both go to the same terminal, to keep their order.
    private let errors: ProgramOutput
    private weak var delegate: Delegate?
    private let signalDescriptor: Int32
    private var screen: LiveLines
    /// True if the cursor stands behind echoed text.
    private var hasEcho = false
    private var keys: KeyBytes
    /// Number of continuations caused by the loop and not yet reported by the system.
    private var expectedContinuations = 0

    /// At most 30 times a second.
    private static var redrawMilliseconds: Int32 { 34 }
    private static var lookMilliseconds: Int32 { 100 }

    private enum OutputState {
        case open
        /// The reader has left.
        case closed
        case failed(OutputError)
    }

    /// - Parameters:
    ///   - takesKeys: False if a key would change the written file.
    ///   - altKeys: Keys with an action together with Alt.
    ///   - output: Queue for program output.
    init(
        messages: MessageOptions, signals: Int32, takesKeys: Bool = true, altKeys: @autoclosure () -> Set<UInt8> = [],
        output: ProgramOutput = .standard
    ) throws(CommandFailure) {
        self.messages = messages
        signalDescriptor = signals
        traits = TerminalTraits.current(plain: messages.plain)
        self.takesKeys = takesKeys && traits.readsKeys
        keys = KeyBytes(altKeys: self.takesKeys ? altKeys() : [])
        inbox = try Inbox()
        self.output = output
        let errors = messages.json && StandardStream.output.sharesTerminal(with: .error) ? output : .errors
        self.errors = errors
        // Drawings are queued even without room: the loop draws only while nothing waits, and must clear its last
        // drawing.
        screen = LiveLines { errors.put($0, isLast: true) }
        output.onFailure { [inbox] in inbox.wake() }
    }

    /// Runs until the delegate is over, then calls `conclude` with the terminal restored. A signal may change `ending`
    /// until the return, while messages wait for their reader.
    ///
    /// A second Ctrl-C ends the process at once. A main thread unresponsive for long after the first Ctrl-C also ends
    /// the process.
    ///
    /// - Parameter begin: Starts the work, with keys already read.
    func run<Result>(
        _ delegate: Delegate, begin: () throws -> Void = {}, conclude: () throws -> Result
    ) throws -> Result {
        self.delegate = delegate
        let isOwner = Signals.beginWatching()
        StandardStream.dropErrors(false)
        defer { if isOwner { Signals.endWatching() } }
        if takesKeys { RawMode.enter() }
        defer { RawMode.leave() }
        defer { finishMessages() }
        try begin()
        while !delegate.isOver { turn(delegate) }
        // From here on `end` has no delegate to call.
        self.delegate = nil
        screen.clear()
        RawMode.leave()
        // A slow disk gets more time; a second Ctrl-C still ends the process at once.
        Signals.postponeLeaving(seconds: Signals.concludingSeconds)
        return try conclude()
    }

    private func turn(_ delegate: Delegate) {
        let ready = wait(delegate)
        if ready.keys { takeKeys(delegate) } else { giveUpEscape(delegate) }
        if ready.outputClosed { endOutput() }
        noteOutputFailure()
        if ready.signals { answerSignals(delegate) }
        delegate.take(inbox.take())
        delegate.look(now: MonotonicTime.now())
        redraw(delegate)
        // The main thread is alive. The delegate bounds the time of everything else that ends slowly.
        Signals.postponeLeaving()
    }

    private func wait(_ delegate: Delegate) -> Readiness {
        let milliseconds: Int32 =
            if drawsNow || keys.isWaiting {
                Self.redrawMilliseconds
            } else if ending != nil || delegate.needsLooks {
                Self.lookMilliseconds
            } else {
                -1
            }
        return Readiness.wait(
            inbox: inbox.descriptor, signals: signalDescriptor, watchesOutput: messages.json && !isOutputClosed,
            milliseconds: milliseconds)
    }

    // MARK: Keys

    private func takeKeys(_ delegate: Delegate) {
        for key in keys.keys(RawMode.readBytes()) { delegate.answer(key) }
    }

    private func giveUpEscape(_ delegate: Delegate) {
        if let key = keys.giveUpWaiting(now: MonotonicTime.now()) { delegate.answer(key) }
    }

    // MARK: Signals

    private func answerSignals(_ delegate: Delegate) {
        for number in Signals.drain(signalDescriptor) {
            if let status = Self.status(of: number) {
                end(status)
                continue
            }
            switch number {
            case SIGTSTP: suspend(delegate)
            case SIGCONT where expectedContinuations > 0: expectedContinuations -= 1
            case SIGCONT:
                // The process continues after a SIGSTOP, which leaves no time to prepare.
                if takesKeys { RawMode.renew() }
                screen.forget()
            case SIGWINCH: screen.noteResize()
            default: delegate.answer(signal: number)
            }
        }
    }

    /// Returns the exit status for a signal that ends the run; nil for other signals.
    private static func status(of number: Int32) -> ExitStatus? {
        switch number {
        case SIGINT: .interrupted
        case SIGTERM: .terminated
        case SIGHUP: .hangup
        default: nil
        }
    }

    private func suspend(_ delegate: Delegate) {
        delegate.prepareForSuspension()
        screen.clear()
        // An active reader receives the pause event before the process stops.
        for queue in [output, errors] { for _ in 0..<10 where !queue.wait(milliseconds: 20) {} }
        RawMode.leave()
        expectedContinuations += 1
        Signals.stopUntilContinued()
        if takesKeys { RawMode.renew() }
        screen.forget()
        delegate.goOnAfterSuspension()
    }

    /// Waits until a device has played or captured two blocks after the process was stopped. Its losses are then
    /// counted.
    ///
    /// The wait lasts at most a second: a lost device is reported elsewhere.
    ///
    /// - Parameter blocks: Returns the number of blocks played or captured so far.
    func waitForDevice(_ blocks: () -> Int64) {
        let (before, limit) = (blocks(), MonotonicTime.now() + 1_000_000_000)
        while blocks() < before + 2, MonotonicTime.now() < limit { usleep(5000) }
    }

    // MARK: Ending

    /// Ends the run with `status`. A signal during an ending replaces the status of a success.
    func end(_ status: ExitStatus) {
        if ending == .success, [.interrupted, .terminated, .hangup].contains(status) { ending = status }
        guard ending == nil else { return }
        ending = status
        delegate?.beginEnding()
    }

    /// Prints a message, then ends the process without waiting for an unresponsive device or disk.
    ///
    /// - Parameters:
    ///   - last: Returns the last text for programs. Called after the message; must return within some seconds.
    ///   - close: Ends the control of the run. Called once the texts are written or given up.
    func abandon(_ words: [String], last: () -> String = { "" }, close: () -> Void = {}) -> Never {
        say(words, evenQuiet: true)
        Signals.postponeLeaving(seconds: Signals.concludingSeconds)
        write(last(), isLast: true)
        for queue in [output, errors] {
            for _ in 0..<10 where !queue.wait(milliseconds: 100) {}
        }
        close()
        Signals.leave(with: ending.flatMap { $0 == .success ? nil : $0 } ?? .unavailable)
    }

    // MARK: Words

    /// Echoes typed text on a terminal without redrawn lines. A screen reader reads the echo key by key.
    ///
    /// - Parameters:
    ///   - before: Typed text before a key.
    ///   - after: Typed text after the key; nil at the end of the line.
    func echo(_ before: String, _ after: String?) {
        guard takesKeys, !traits.drawsStatus else { return }
        guard let after else { return endEcho() }
        let kept = zip(before, after).prefix { $0 == $1 }.count
        // Moves back to the first difference, blanks the removed text, and prints the new text.
        let gone = displayWidth(printable(String(before.dropFirst(kept))))
        let back = String(repeating: "\u{8}", count: gone)
        let text = back + String(repeating: " ", count: gone) + back + printable(String(after.dropFirst(kept)))
        guard !text.isEmpty else { return }
        hasEcho = true
        errors.put(text)
    }

    private func endEcho() {
        if hasEcho { errors.put("\n") }
        hasEcho = false
    }

    /// Prints lines to standard error, above the redrawn lines, without waiting for a reader.
    func say(_ lines: [String], evenQuiet: Bool = false) {
        listener?(lines)
        guard !lines.isEmpty, !messages.quiet || evenQuiet else { return }
        endEcho()
        screen.clear()
        errors.put(lines.map { printable($0) + "\n" }.joined())
    }

    /// Writes text for programs to standard output, without waiting for the reader. A write error ends the run.
    func write(_ text: String, isLast: Bool = false) {
        guard !text.isEmpty, !isOutputClosed else { return }
        screen.clear()
        output.put(text, isLast: isLast)
        noteOutputFailure()
    }

    /// Counts lines for standard output that were dropped before they were made.
    func noteLost(_ lines: Int) {
        if !isOutputClosed { output.noteLost(lines) }
    }

    /// The error of standard output; nil for a closed reader.
    var outputFailure: OutputError? { if case .failed(let error) = outputState { error } else { nil } }

    private var isOutputClosed: Bool { if case .open = outputState { false } else { true } }

    /// Waits until all text for programs is written. After a request to end, a stalled reader is given up within some
    /// seconds. A signal ends every wait.
    func finishOutput() {
        guard !isOutputClosed else { return }
        if output.finish(isAsked: ending != nil, look: isWaitOver) { return noteOutputFailure() }
        outputState = .failed(.unread(output.counts.waiting, ending: ending ?? .success))
    }

    /// Waits until all messages are written. After a timeout, later text for standard error is dropped, so nothing
    /// delays the end of the process.
    private func finishMessages() {
        // From here on `end` has no delegate to call.
        delegate = nil
        // A shared reader of output and messages is already known to be stalled.
        if errors === output, case .unread = outputFailure { return StandardStream.dropErrors(true) }
        if !errors.finish(isAsked: ending != nil, look: isWaitOver) { StandardStream.dropErrors(true) }
    }

    /// Returns true if a signal ends the wait for a reader.
    private func isWaitOver() -> Bool {
        Signals.postponeLeaving(seconds: Signals.concludingSeconds)
        return Signals.drain(signalDescriptor).reduce(false) { isOver, number in
            if number == SIGTSTP { Signals.stopUntilContinued() }
            guard let status = Self.status(of: number) else { return isOver }
            end(status)
            return true
        }
    }

    private func noteOutputFailure() {
        guard !isOutputClosed, let error = output.failure else { return }
        if error != .closed { outputState = .failed(error) }
        endOutput()
    }

    private func endOutput() {
        if !isOutputClosed { outputState = .closed }
        end(outputFailure == nil ? .closedPipe : .inputOutput)
    }

    // MARK: The lines

    /// True if the loop draws lines on the terminal now.
    var drawsNow: Bool { traits.drawsStatus && !messages.quiet && isForeground }

    /// A job in the background must not draw on the terminal, which another job uses.
    private var isForeground: Bool { tcgetpgrp(STDERR_FILENO) == getpgrp() }

    private func redraw(_ delegate: Delegate) {
        // Skips drawings while the terminal accepts nothing, as over a stalled connection.
        guard drawsNow, !delegate.isOver, errors.counts.waiting == 0 else { return }
        screen.draw(delegate.lines(terminalSize()))
    }

    /// Clears the terminal, and redraws everything at its top.
    func clearTerminal() {
        if drawsNow { screen.clearTerminal() }
    }
}
