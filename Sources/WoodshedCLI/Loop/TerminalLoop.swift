// The loop of playing and recording: it waits for keys, signals and the engine's reports together, and only it
// writes to the terminal. The delegate gives keys and reports their meaning; the loop does not know sound.
import Explanations
import Glibc
import Terminal

/// The delegate of a loop. Every call is made on the thread of the loop.
protocol TerminalLoopDelegate: AnyObject {
    associatedtype Report: Sendable

    /// True once there is nothing left to wait for.
    var isOver: Bool { get }
    /// Whether `look` must be called every tenth of a second.
    var needsLooks: Bool { get }

    func answer(_ key: KeyBytes.Key)
    /// A signal with a meaning of the delegate's own.
    func answer(signal number: Int32)
    func take(_ reports: [Report])
    /// Called after every event, and every tenth of a second if `needsLooks`.
    func look(now: Int64)
    /// Begin to end, because of a key, a signal, or because the reader of the output has gone. Called once.
    func beginEnding()
    /// The process will be stopped (Ctrl-Z) once this returns.
    func prepareForSuspension()
    /// The process continues.
    func goOnAfterSuspension()
    /// The lines to show, each at least one column narrower than the terminal.
    func lines(_ size: TerminalSize) -> [String]
}

/// Keys, signals and reports for one delegate, and the lines that are redrawn while it runs.
final class TerminalLoop<Delegate: TerminalLoopDelegate> {
    /// Where other threads leave reports for the delegate.
    let inbox: Inbox<Delegate.Report>
    let messages: MessageOptions
    let traits: TerminalTraits
    let takesKeys: Bool
    /// The result of the run: the first reason counts, but for a signal after a wish; nil while it must not end.
    private(set) var ending: ExitStatus?
    /// The error of standard output, other than that its reader has gone.
    private(set) var outputFailure: OutputError?
    private(set) var isOutputClosed = false

    /// Learns every line that is said, also one that is not printed.
    var listener: (([String]) -> Void)?

    private let output: ProgramOutput
    /// Messages and drawings; `output` where both go to one terminal, so that they keep their order.
    private let errors: ProgramOutput
    private weak var delegate: Delegate?
    private let signalDescriptor: Int32
    private var screen: LiveLines
    /// Whether the cursor stands behind a text that was echoed.
    private var hasEcho = false
    private var keys: KeyBytes
    /// The time of an Escape that may begin a sequence.
    private var escapeTime: Int64 = 0
    /// Continuations that the loop itself caused, and that the system has not reported yet.
    private var expectedContinuations = 0

    /// At most 30 times a second.
    private static var redrawMilliseconds: Int32 { 34 }
    private static var lookMilliseconds: Int32 { 100 }
    /// The rest of a sequence arrives at once, even over a slow line.
    private static var escapeNanoseconds: Int64 { 50_000_000 }

    /// - Parameters:
    ///   - takesKeys: False if a key would change the file that is written.
    ///   - altKeys: The keys that have an action together with Alt.
    ///   - output: Where text for programs goes.
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
        // Kept even without room: drawings are made only while nothing waits, and what was drawn must be cleared.
        screen = LiveLines { errors.put($0, isLast: true) }
        output.onFailure { [inbox] in inbox.wake() }
    }

    /// Runs until the delegate is over, then calls `conclude` with the terminal restored.
    ///
    /// A second Ctrl-C ends the process at once, and so does a main thread that does not respond for long after the first.
    ///
    /// - Parameter begin: Starts the work, when keys are already read.
    func run<Result>(
        _ delegate: Delegate, begin: () throws -> Void = {}, conclude: () throws -> Result
    ) throws -> Result {
        self.delegate = delegate
        Signals.beginWatching()
        StandardStream.dropErrors(false)
        defer { Signals.endWatching() }
        if takesKeys { RawMode.enter() }
        defer { RawMode.leave() }
        defer { finishMessages() }
        try begin()
        while !delegate.isOver { turn(delegate) }
        // There is nothing left to end.
        self.delegate = nil
        screen.clear()
        RawMode.leave()
        // A disk may take its time; a second Ctrl-C does not wait for it.
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
        delegate.look(now: monotonicNanoseconds())
        redraw(delegate)
        // The main thread is alive: what else takes its time to end is bounded by the delegate.
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
        escapeTime = monotonicNanoseconds()
    }

    private func giveUpEscape(_ delegate: Delegate) {
        guard keys.isWaiting, monotonicNanoseconds() - escapeTime >= Self.escapeNanoseconds else { return }
        if let key = keys.giveUpWaiting() { delegate.answer(key) }
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
                // After a SIGSTOP, which cannot be prepared for.
                if takesKeys { RawMode.renew() }
                screen.forget()
            case SIGWINCH: screen.noteResize()
            default: delegate.answer(signal: number)
            }
        }
    }

    /// How a signal ends the run; nil if it means something else.
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
        // A reader that reads learns of the pause now, not after it.
        for queue in [output, errors] { for _ in 0..<10 where !queue.wait(milliseconds: 20) {} }
        RawMode.leave()
        expectedContinuations += 1
        Signals.stopUntilContinued()
        if takesKeys { RawMode.renew() }
        screen.forget()
        delegate.goOnAfterSuspension()
    }

    /// Waits until a device has been served after the process was stopped; by then its losses are counted.
    ///
    /// The wait is limited: a lost device is reported elsewhere.
    ///
    /// - Parameter blocks: Blocks that the device has played or captured so far.
    func waitForDevice(_ blocks: () -> Int64) {
        let (before, limit) = (blocks(), monotonicNanoseconds() + 1_000_000_000)
        while blocks() < before + 2, monotonicNanoseconds() < limit { usleep(5000) }
    }

    // MARK: Ending

    /// Ends the run with `status`. A run that is ending already has the status of a signal that comes then.
    func end(_ status: ExitStatus) {
        if ending == .success, [.interrupted, .terminated, .hangup].contains(status) { ending = status }
        guard ending == nil else { return }
        ending = status
        delegate?.beginEnding()
    }

    /// Prints a message, then ends the process without waiting for a device or disk that does not respond.
    ///
    /// - Parameter keep: Called in between; it must end in some seconds.
    func abandon(_ words: String..., keep: () -> Void = {}) -> Never {
        say(words, evenQuiet: true)
        Signals.postponeLeaving(seconds: Signals.concludingSeconds)
        keep()
        for queue in [output, errors] {
            for _ in 0..<10 where !queue.wait(milliseconds: 100) {}
        }
        Signals.leave(with: ending.flatMap { $0 == .success ? nil : $0 } ?? .unavailable)
    }

    // MARK: Words

    /// Shows what is typed where no lines are redrawn; a screen reader reads it key by key.
    ///
    /// - Parameters:
    ///   - before: The typed text before a key.
    ///   - after: The text after it; nil if the line is over.
    func echo(_ before: String, _ after: String?) {
        guard takesKeys, !traits.drawsStatus else { return }
        guard let after else { return endEcho() }
        let kept = zip(before, after).prefix { $0 == $1 }.count
        // Back to where the texts part, over what is no longer there, and on with what is new.
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

    /// Prints lines to standard error, above the lines that are redrawn, and does not wait for their reader.
    func say(_ lines: [String], evenQuiet: Bool = false) {
        listener?(lines)
        guard !lines.isEmpty, !messages.quiet || evenQuiet else { return }
        endEcho()
        screen.clear()
        errors.put(lines.map { printable($0) + "\n" }.joined())
    }

    /// Writes text for programs to standard output, and does not wait for its reader; if writing fails, the run ends.
    func write(_ text: String, isLast: Bool = false) {
        guard !text.isEmpty, !isOutputClosed else { return }
        screen.clear()
        output.put(text, isLast: isLast)
        noteOutputFailure()
    }

    /// Waits until all text for programs is written. A run that was asked to end waits no longer than some seconds for a reader that does not
    /// read, and a signal ends every wait.
    func finishOutput() {
        guard !isOutputClosed else { return }
        if output.finish(isAsked: ending != nil, look: isWaitOver) { return noteOutputFailure() }
        isOutputClosed = true
        outputFailure = .unread(output.counts.waiting, ending: ending ?? .success)
    }

    /// The same for messages. After the wait nothing holds up the end of the process, so what is written to standard error then is dropped.
    private func finishMessages() {
        // There is nothing left to end.
        delegate = nil
        // Of one reader for both, that it does not read is known already.
        if errors === output, case .unread = outputFailure { return StandardStream.dropErrors(true) }
        if !errors.finish(isAsked: ending != nil, look: isWaitOver) { StandardStream.dropErrors(true) }
    }

    /// Whether a signal ends the wait for a reader.
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
        if error != .closed { outputFailure = error }
        endOutput()
    }

    private func endOutput() {
        isOutputClosed = true
        end(outputFailure == nil ? .closedPipe : .inputOutput)
    }

    // MARK: The lines

    /// Whether lines are drawn on the terminal now.
    var drawsNow: Bool { traits.drawsStatus && !messages.quiet && isForeground }

    /// A job in the background must not draw on the terminal, which another job uses.
    private var isForeground: Bool { tcgetpgrp(STDERR_FILENO) == getpgrp() }

    private func redraw(_ delegate: Delegate) {
        // For a terminal that takes nothing, because its connection rests, drawings are left out.
        guard drawsNow, !delegate.isOver, errors.counts.waiting == 0 else { return }
        screen.draw(delegate.lines(terminalSize()))
    }

    /// Clears the terminal, and draws everything again at its top.
    func clearTerminal() {
        if drawsNow { screen.clearTerminal() }
    }
}
