// A run of the player from its start to its end, on the main thread. The session only decides on requests to the
// player; the engine makes the sound.
import Files
import Glibc
import JSON
import Terminal
import WoodshedPractice

/// Plays until the score, the user or the system ends the run.
final class Session: RunOwner {
    typealias Report = PlayingReport

    let listening: Listening
    let run: Run<Session>
    let device: EngineWatch<Session>
    let screen: PlayerScreen
    let control: PlayerControls
    let keeping: Keeping?
    let desk: SectionDesk?
    let takes: TakeControls?
    let recording: SessionRecording?
    private let summary: PlayingSummary
    private var pauseReason: PauseReason?
    private var countdown = RestCountdown()
    /// True if the record key of a session without an input may reopen the device.
    private let canReopen: Bool
    /// State for the next session, if the user wants to record and this session cannot.
    private(set) var handover: Handover?

    /// Timeout in ns for a standstill of the disk while takes are finished.
    static let diskPatience: Int64 = 30_000_000_000

    /// - Parameters:
    ///   - showsWaveform: True to show the waveform from the beginning.
    ///   - tellsFigures: True to report dropouts and load at the end.
    ///   - keeping: Kept data of the recording, changed by keys; nil for none.
    init(
        _ listening: Listening, in run: Run<Session>, onLoss: LossText = .wait, showsWaveform: Bool = false,
        tellsFigures: Bool = true, keeping: Keeping? = nil, recording: SessionRecording? = nil,
        canReopen: Bool = false
    ) {
        (self.listening, self.run, self.keeping) = (listening, run, keeping)
        (self.recording, self.canReopen) = (recording, canReopen)
        summary = PlayingSummary(listening, tellsFigures: tellsFigures)
        device = EngineWatch(listening.engine, onLoss: onLoss, in: run)
        screen = PlayerScreen(
            listening.session, title: listening.title, traits: run.loop.traits, hasList: keeping != nil,
            showsWaveform: showsWaveform)
        control = PlayerControls(session: listening.session)
        let inbox = run.loop.inbox
        takes = keeping.map { TakeControls($0, listening) { inbox.put(.takes($0)) } }
        desk = keeping.map { keeping in
            SectionDesk(keeping.keys(of: listening.session) { inbox.put(.kept($0)) }, run.keyMap.input)
        }
    }

    var practice: PracticeSession { listening.session }
    var player: Player { practice.player }
    /// The player's last event; nil if the run ended without this event.
    var finish: PlayerEvent? { summary.finish }

    /// Plays to the end.
    ///
    /// - Parameter handover: State left by an earlier session.
    /// - Returns: Success, or the signal that ended the run.
    func play(goingOn handover: Handover? = nil) throws -> ExitStatus {
        // Events are requested before the start, because earlier events would be lost.
        let inbox = loop.inbox
        // Without a stream, which drops unread events: a render may be faster than its reader.
        practice.follow { [isLive = !device.engine.isVirtual] event in
            guard let event else { return inbox.put(.eventsOver) }
            // Under the virtual clock nobody waits for a key, and every event is told.
            inbox.put(.session(event), isNews: isLive && event.isNews)
        }
        keeping?.progress.begin(practice, run.keyMap.rating, takesKeys: loop.takesKeys) { inbox.put(.kept($0)) }
        loop.say(device.engine.warnings.map { "woodshed: \($0)" })
        try loop.run(self, begin: { try begin(handover) }, conclude: conclude)
        let status = loop.ending ?? .success
        // A signal after `conclude`: no session follows, so this session reports its end.
        if status != .success, self.handover != nil {
            self.handover = nil
            loop.finishOutput()
            // The text before may have filled a pipe.
            LastWords.write(milliseconds: 1000)
        }
        return status
    }

    private func begin(_ handover: Handover?) throws {
        practice.start()
        handover?.apply(to: practice)
        try device.start(self, after: { try recording?.start(loop.inbox) })
        // From here on, this session reports its end. Before, the report is that of the session before.
        LastWords.forget()
        if let greeting = keeping?.greeting { loop.say([greeting]) }
        if let recording { loop.say(recording.notes) }
        desk?.followOthers()
        keeping?.searchCopies(player.clip) { [inbox = loop.inbox] in inbox.put(.kept($0)) }
    }

    private var isSilent: Bool { device.isSilent && recording?.isOver != false }

    // MARK: Keys

    func answer(_ key: KeyBytes.Key) {
        screen.isFolded = false
        let actions = run.keyMap.playing.actions(of: key)
        if run.remote?.learn(key, actions, self) == true { return }
        if let desk, let line = desk.line {
            let words = desk.type(key)
            loop.echo(line.text, desk.line?.text)
            if let words { loop.say([words]) }
            return
        }
        if let words = keeping?.progress.answer(key, isSilent: isSilent) { return loop.say(words) }
        let choices = screen.chooser == nil ? [] : run.keyMap.list.actions(of: key)
        guard choices.isEmpty else { return choices.forEach(choose) }
        actions.forEach(carryOut)
    }

    /// Carries out a key's action in the list of sections.
    func choose(_ action: ListAction) {
        switch screen.choose(action, terminalSize()) {
        // The start of the chosen section is reported as an event.
        case .play(let index)?: practice.go(toSection: index + 1)
        case .left?: if !loop.traits.drawsStatus { loop.say(["list left"]) }
        case .goesOn?, nil: if !loop.traits.drawsStatus, let words = screen.choiceWords { loop.say([words]) }
        }
    }

    func carryOut(_ action: KeyAction) {
        if answerTakes(action) { return }
        switch action {
        case .quit(let remembers):
            // The first quit key counts. A session that ends for a recording counts as running: nothing follows it now.
            if loop.ending == nil || handover != nil, !remembers { keeping?.dropPlace() }
            handover = nil
            loop.end(.success)
            // Nothing plays any more, so the key also dismisses an open question.
            if isSilent || finish != nil { keeping?.progress.dismiss() }
        case .help:
            screen.isFolded = true
            loop.say(run.help, evenQuiet: true)
        case .redraw: loop.clearTerminal()
        case .waveform: screen.toggleWaveform()
        case .list:
            screen.toggleList()
            if !loop.traits.drawsStatus || screen.chooser == nil {
                loop.say([screen.choiceWords ?? "there is one section"])
            }
        case .loop(let key): loop.say([LoopControls(session: practice).apply(key)])
        case .sections(let key):
            if let desk { loop.say(desk.press(key), evenQuiet: true) }
        case .record: record()
        case .rate: loop.say([keeping?.progress.ask() ?? "practice rates sections, play does not"], evenQuiet: true)
        case .learn: run.toggleLearning(for: self)
        case .tell: loop.say([placeWords], evenQuiet: true)
        case .strip(let key): loop.say([StripControls(player: player).apply(key)])
        default:
            control.apply(action)
            takes?.gainDecibels = control.gainDecibels
            if let words = control.words(after: action) { loop.say([words]) }
        }
    }

    /// Passes an action to the take controls.
    ///
    /// - Returns: True for an action on takes.
    private func answerTakes(_ action: KeyAction) -> Bool {
        guard let takes else {
            if case .take(.end) = action { return true }
            guard case .take = action else { return false }
            loop.say(["takes are heard in: woodshed practice"])
            return true
        }
        // A sound started now would play after the end.
        if loop.ending != nil, case .take = action { return true }
        let answer = takes.answer(action, isPlaying: control.isPlaying, pauseReason: pauseReason)
        guard let answer else { return false }
        loop.write(tell(answer))
        // A status line already shows the preparation.
        if takes.isPreparing, !loop.traits.drawsStatus { loop.say(["preparing the take"]) }
        return true
    }

    /// Begins or ends a take. Without an input, hands over to another session with an input.
    private func record() {
        if let recording {
            if let answer = takes?.end() { loop.write(tell(answer)) }
            return loop.say([recording.press()])
        }
        guard canReopen else { return loop.say([SessionRecording.offWords]) }
        // An ending run has no next session.
        guard loop.ending == nil else { return }
        handover = Handover(practice)
        loop.end(.success)
    }

    // MARK: Ending

    func beginEnding() {
        takes?.end()
        player.stop()
        device.allow()
    }

    func look(now: Int64) {
        run.media?.look(self)
        if let words = countdown.words(secondsLeft: restSecondsLeft), !loop.traits.drawsStatus { loop.say([words]) }
        guard device.isOverdue(now: now, abandon: abandon), !isSilent, recording?.standsStill(now: now) != false else {
            return
        }
        abandon("the disk does not answer; the last take may be found at the next start")
    }

    /// True if a run with a finished player waits for work requested by the user.
    private var awaitsOrders: Bool { isSilent && keeping?.keeper.hasOrders == true }

    /// True once nothing is left to wait for. After a signal, no questions are asked. A line being typed can still be
    /// finished after the last pass, and its result is reported.
    var isOver: Bool {
        guard isSilent else { return false }
        if loop.ending ?? .success != .success { return true }
        if keeping?.progress.isAsking == true { return false }
        if loop.ending != nil || !loop.takesKeys { return true }
        return desk?.line == nil && !awaitsOrders
    }

    private func conclude() throws {
        keep(isAbandoned: false)
        // After a signal or an error no session follows, so this session reports its end.
        if loop.ending != .success || device.hasFailed || recording?.failure != nil { handover = nil }
        // The next session writes the last line, and says the closing words. Until the next session begins, nothing
        // watches signals, because the device may take long to open: a signal ends the process at once, with the report
        // of this session.
        if handover != nil { reportBeforeHandover() }
        try run.conclude(
            { handover == nil ? run.programLine { summary.lastLine(failed: device.hasFailed).json } : nil },
            words: { handover == nil ? summary.words(loop.ending ?? .success, isVerbose: loop.messages.verbose) : [] },
            failures: [device.failure, recording?.failure, device.loss])
    }

    /// Keeps the report of this session for a signal before the next session. Followers get the last event now, because
    /// their connections end with this session.
    private func reportBeforeHandover() {
        let last = summary.lastLine(failed: device.hasFailed).json
        run.remote?.publish(last)
        let line = loop.messages.json ? last + "\n" : ""
        let words = loop.messages.quiet ? [] : summary.words(.interrupted, isVerbose: loop.messages.verbose)
        LastWords.keep(output: line, error: words.map { printable($0) + "\n" }.joined())
    }

    /// Stores all pending changes, ratings, the practice log and the player's position. The wait has a limit, because a
    /// disk may not answer.
    ///
    /// - Parameter isAbandoned: True if the player's events never end, because its device does not answer.
    private func keep(isAbandoned: Bool) {
        var words = keeping?.progress.end(isAbandoned: isAbandoned) ?? []
        take(loop.inbox.take())
        keeping?.remember(practice, isCompleted: summary.isCompleted) { [inbox = loop.inbox] in inbox.put(.kept($0)) }
        words += keeping?.finish() ?? []
        // These reports contain the results of the last changes.
        take(loop.inbox.take())
        loop.say(words, evenQuiet: true)
    }

    /// Ends the process without waiting for the unresponsive part; everything else is stored.
    private func abandon(_ words: String) -> Never {
        run.abandon([words]) {
            keep(isAbandoned: true)
            return run.programLine { summary.lastLine(failed: true).json }
        }
    }

    // MARK: Ctrl-Z and back

    func prepareForSuspension() {
        // The audible take fades, too.
        if let takes, takes.setSuspended(true) { run.waitForFade { takes.isPaused } }
        run.suspend(control.isPlaying, pause: { player.pause(reason: .suspended) }) {
            // Before the process is stopped, the fade must be heard and the pause reported.
            take(loop.inbox.take())
            return pauseReason == .suspended
        }
    }

    func goOnAfterSuspension() {
        loop.waitForDevice { device.engine.statistics.blocks }
        takes?.setSuspended(false)
        run.goOn { player.resume(after: .suspended) }
    }

    // MARK: Reports

    func take(_ reports: [PlayingReport]) {
        var lines = ""
        for report in reports {
            switch report {
            case .eventsOver: device.hasEventsOver = true
            case .engineOver(let error):
                device.noteEnd(error)
                recording?.finish()
                // From now on the disk takes the time.
                if device.isEnding { device.allow(nanoseconds: Self.diskPatience) }
            case .take(let event): lines += tell(recording?.take(event))
            case .input(let levels): lines += tell(recording?.take(levels))
            case .takesOver: recording?.noteEnd()
            case .device(let event):
                lines += device.take(event) { isSilent in
                    // While the run waits for the device, the space bar cancels the resumption. Otherwise the space bar
                    // retries the device. A resumed player reports its sound itself.
                    if isSilent || device.notice != nil { control.noteSilence(isSilent || !control.isPlaying) }
                }
            case .kept(let news): lines += tell(news)
            case .takes(let news): lines += take(news)
            case .remote(let news): run.remote?.take(news, self)
            case .media(let news): run.media?.take(news, self)
            case .session(.player(let event)): lines += take(event)
            case .session(.loop(let marks)): lines += line(marks)
            case .session(.completed): summary.isCompleted = true
            case .session: break
            }
        }
        loop.write(lines)
        run.tellLostNews(earlier: practice.takeLostEvents())
    }

    /// Handles an event, reports it to people, and returns its line for programs.
    private func take(_ event: PlayerEvent) -> String {
        if let question = keeping?.progress.take(event), !loop.traits.drawsStatus { loop.say([question]) }
        switch event.kind {
        case .paused(let reason):
            pauseReason = reason
            if reason == .deviceTaken { device.showLoss(reason.name) }
        case .resumed:
            pauseReason = nil
            control.noteSilence(false)
            if let answer = takes?.noteLoopPlays() { loop.write(tell(answer)) }
        case .frozen: control.noteFrozen(true)
        case .unfrozen: control.noteFrozen(false)
        case .xrun(let lostFrames) where pauseReason != nil && takes?.isHearing != true:
            summary.noteSilentLoss(frames: lostFrames)
            return ""
        case .finished:
            summary.finish = event
            return ""
        default: break
        }
        let line = run.programLine { EventLine(event, sampleRate: device.engine.configuration.sampleRate).json }
        if loop.messages.json { return line }
        if !loop.traits.drawsStatus, let words = words(event) { loop.say([words]) }
        tellText(event)
        return ""
    }

    /// Handles the result of a request about takes; returns the lines for standard output.
    private func take(_ news: TakeNews) -> String {
        guard let takes else { return "" }
        let columns = loop.traits.drawsStatus ? terminalSize().columns : nil
        let answer = takes.take(news, glyphs: loop.traits.glyphs, columns: columns)
        if let compared = answer.compared { keeping?.progress.note(compared.comparison, ofSection: compared.section) }
        // The next press of the space bar resumes.
        if answer.isOver { control.noteSilence(true) }
        return tell(answer)
    }

    /// Prints an answer about takes; returns the lines for standard output.
    private func tell(_ answer: TakeControls.Answer) -> String {
        loop.say((answer.picture?.lines ?? []) + answer.words, evenQuiet: answer.isAsked)
        return answer.json.map { line in run.programLine { line.text } }.joined()
    }

    /// Prints news about recorded takes; returns the line for standard output.
    private func tell(_ news: (words: [String], line: JSONValue?)?) -> String {
        guard let news else { return "" }
        if !loop.messages.json { loop.say(news.words) }
        return run.programLine { news.line?.text }
    }

    /// Shows the text of the playing section at the moment set by the user.
    private func tellText(_ event: PlayerEvent) {
        guard let keeping, let id = practice.savedID(ofSection: event.section), let text = keeping.texts[id] else {
            return
        }
        let moment = keeping.textMoment(inPass: event.pass)
        switch event.kind {
        case .passStarted:
            // Shown once, and again when a recipe's step brings the text back.
            let isShown = event.pass > 1 && keeping.textMoment(inPass: event.pass - 1) == .during
            guard moment == .during, !isShown else { return }
        case .passEnded:
            guard moment == .after else { return }
        default: return
        }
        loop.say(text.split(separator: "\n").map(String.init))
    }

    // MARK: The status line

    /// Rest of the gap in seconds; nil during a pass, or while the player is paused.
    private var restSecondsLeft: Double? {
        let status = player.status
        guard status.isResting, status.state == .playing else { return nil }
        return Double(status.restFramesLeft) / Double(device.engine.configuration.sampleRate)
    }

    var needsLooks: Bool { awaitsOrders || !loop.traits.drawsStatus && restSecondsLeft != nil }

    func lines(_ size: TerminalSize) -> [String] {
        var view = control.view(title: listening.title)
        view.notice = device.notice ?? takes?.notice
        if let recording { (view.inputDecibels, view.isRecording) = (recording.inputDecibels, recording.isOn) }
        let question = keeping?.progress.question.map { [fitted(printable($0), cells: max(1, size.columns - 1))] } ?? []
        if isSilent, desk?.line == nil { return question }
        let typed = desk?.line.map { [$0.line(columns: size.columns)] } ?? question
        let lines = screen.lines(view, pauseReason: pauseReason, hardIDs: keeping?.hardIDs ?? [], size)
        return lines + typed
    }
}
