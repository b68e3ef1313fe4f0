// The half that all runs share: the loop, the sources of control beside the keyboard, the lines for programs, the pause
// around a suspension, and the order of the end. A run's own half decides about its sound, its takes or its fetches.
import Explanations
import Files
import Glibc
import Terminal

/// A report that can carry the news of the sources of control.
protocol ControlReport: Sendable {
    static func remote(_ news: RemoteNews) -> Self
    static func media(_ news: MediaNews) -> Self
}

/// A run under the control of sockets, controllers and the desktop.
protocol RunOwner: TerminalLoopDelegate, RemoteControlled, MediaControlled where Report: ControlReport {
    var run: Run<Self> { get }
}

extension RunOwner {
    var loop: TerminalLoop<Self> { run.loop }

    var listener: (([String]) -> Void)? {
        get { loop.listener }
        set { loop.listener = newValue }
    }

    func say(_ lines: [String], evenQuiet: Bool) { loop.say(lines, evenQuiet: evenQuiet) }
}

/// The shared half of a run. Used on the thread of the loop.
final class Run<Owner: TerminalLoopDelegate> {
    let loop: TerminalLoop<Owner>
    let keyMap: KeyMap
    /// Sources of remote control; nil without remote control.
    let remote: RemoteDesk?
    /// The desktop's bus; nil without media keys.
    let media: MediaDesk?
    /// True if the suspended work resumes when the process continues.
    private var goesOn = false

    /// - Parameters:
    ///   - signals: The file descriptor from `Signals.install`.
    ///   - takesKeys: False if a key would change the written file.
    init(
        messages: MessageOptions, signals: Int32, takesKeys: Bool = true, keyMap: KeyMap = .standard,
        remote: RemoteDesk? = nil, media: MediaDesk? = nil
    ) throws(CommandFailure) {
        (self.keyMap, self.remote, self.media) = (keyMap, remote, media)
        loop = try TerminalLoop(messages: messages, signals: signals, takesKeys: takesKeys, altKeys: keyMap.altKeys)
    }

    /// Publishes an event to following programs at once. Returns the event's line if standard output takes events,
    /// otherwise an empty text.
    ///
    /// - Parameter text: Returns the event's text; nil for no event. Called only for a reader.
    func programLine(_ text: () -> String?) -> String {
        let writes = loop.messages.json
        guard writes || remote?.hasFollowers == true, let line = text() else { return "" }
        remote?.publish(line)
        return writes ? line + "\n" : ""
    }

    /// Reports the news without room in the inbox since the last call, as lines that programs do not get.
    ///
    /// - Parameter earlier: News that were dropped on the way to the inbox.
    func tellLostNews(earlier: Int) {
        let count = loop.inbox.takeLost() + earlier
        guard count > 0 else { return }
        remote?.publish(ProgramOutput.lost(count))
        if loop.messages.json { loop.noteLost(count) }
    }

    /// The keys of playing, for a printed or a spoken screen.
    var help: [String] {
        loop.traits.drawsStatus ? keyMap.help.lines(columns: terminalSize().columns) : keyMap.spokenHelp
    }

    // MARK: Ctrl-Z and back

    /// Pauses the work before the process is stopped.
    ///
    /// - Parameters:
    ///   - isActive: True if there is work to pause, and to resume later.
    ///   - isQuiet: Returns true once the pause is heard.
    func suspend(_ isActive: Bool, pause: () -> Void, until isQuiet: () -> Bool = { true }) {
        goesOn = isActive
        guard isActive else { return }
        pause()
        waitForFade(isQuiet)
    }

    /// Waits for the fade of a pause, for 0.3 s at most.
    func waitForFade(_ isQuiet: () -> Bool) {
        let limit = MonotonicTime.now() + 300_000_000
        while !isQuiet(), MonotonicTime.now() < limit { usleep(5000) }
    }

    /// Resumes the work paused by `suspend`, after the process continues.
    func goOn(_ resume: () -> Void) { if goesOn { resume() } }

    // MARK: The end

    /// Ends the control and the output of a run.
    ///
    /// - Parameter last: Completes the work, and returns the last text for programs; nil if another run takes over the
    ///   output.
    func finish(_ last: () -> String? = { "" }) {
        media?.close()
        // Requests are refused while the end waits for a disk or a reader.
        remote?.finish()
        guard let text = last() else { return }
        loop.write(text, isLast: true)
        loop.finishOutput()
    }

    /// Ends a run with its last words.
    ///
    /// - Parameters:
    ///   - last: As for `finish`.
    ///   - words: Returns closing lines for people.
    ///   - failures: Errors of the work; the first is thrown, before an error of the output.
    func conclude(_ last: () -> String? = { "" }, words: () -> [String], failures: [(any Error)?] = []) throws {
        defer { remote?.close() }
        finish(last)
        loop.say(words())
        if let failure = failures.lazy.compactMap({ $0 }).first ?? loop.outputFailure { throw failure }
    }
}

extension Run {
    /// Ends the process without waiting for an unresponsive device or disk. Programs still get the last event.
    ///
    /// - Parameters:
    ///   - words: The message.
    ///   - last: Stores the work, and returns the last text for programs; must return within some seconds.
    func abandon(_ words: [String], last: () -> String) -> Never {
        loop.abandon(words) {
            remote?.finish()
            return last()
        } close: {
            // After the last event, because a program may wait for the end of the socket, and then read the event.
            remote?.close(leavingControllers: true)
        }
    }
}

extension Run where Owner: RunOwner {
    /// Starts the sources of control. Call this method once the work has begun.
    func startControl(of owner: Owner) {
        let inbox = loop.inbox
        loop.say(remote?.start { inbox.put(.remote($0)) } ?? [])
        media?.start(owner) { inbox.put(.media($0)) }
    }

    /// Starts the learning of a pedal, or cancels.
    func toggleLearning(for owner: Owner) {
        if let remote { remote.toggleLearning(owner) } else { loop.say([RemoteDesk.noController]) }
    }
}
