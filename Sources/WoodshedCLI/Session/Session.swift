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

    let practice: PracticeSession
    let device: EngineWatch<Session>
    let run: Run<Session>
    let title: String
    let clipSeconds: Double
    let screen: PlayerScreen
    var control: PlayerControls
    /// False if nobody listens, so dropouts and load mean nothing.
    let tellsFigures: Bool
    /// Dropouts of the device during a pause of the player, which were inaudible.
    private(set) var silentLosses = (xruns: Int64(0), frames: Int64(0))

    private(set) var heldFinish: PlayerEvent?
    private(set) var pauseReason: PauseReason?
    let takes: TakeControls?
    private var countdown = RestCountdown()
    private var hasEventsOver = false
    let keeping: Keeping?
    let desk: SectionDesk?
    let recording: SessionRecording?
    private var areTakesOver = false
    /// State for the next session, if the user wants to record and this session cannot.
    private(set) var handover: Handover?
    private let takesOver: Handover?
    private let canReopen: Bool
    private(set) var remembers = true
    private(set) var isCompleted = false

    /// Timeout in ns for a standstill of the disk while takes are finished.
    static let diskPatience: Int64 = 30_000_000_000

    /// - Parameters:
    ///   - showsWaveform: True to show the waveform from the beginning.
    ///   - tellsFigures: True to report dropouts and load at the end.
    ///   - keeping: Kept data of the recording, changed by keys; nil for none.
    init(
        _ listening: Listening, in run: Run<Session>, onLoss: LossText = .wait, showsWaveform: Bool = false,
        tellsFigures: Bool = true, keeping: Keeping? = nil, recording: SessionRecording? = nil,
        goingOn takesOver: Handover? = nil, canReopen: Bool = false
    ) {
        self.run = run
        device = EngineWatch(listening.engine, onLoss: onLoss, in: run)
        practice = listening.session
        title = listening.title
        let clip = practice.player.clip
        clipSeconds = Double(clip.frameCount) / Double(clip.sampleRate)
        self.tellsFigures = tellsFigures
        screen = PlayerScreen(
            practice, title: listening.title, traits: run.loop.traits, hasList: keeping != nil,
            showsWaveform: showsWaveform)
        control = PlayerControls(session: practice)
        self.keeping = keeping
        (self.recording, self.takesOver, self.canReopen) = (recording, takesOver, canReopen)
        let inbox = run.loop.inbox
        takes = keeping.map { TakeControls($0, listening) { inbox.put(.takes($0)) } }
        desk = keeping.map { keeping in
            SectionDesk(keeping.keys(of: listening.session) { inbox.put(.kept($0)) }, run.keyMap.input)
        }
    }

    var player: Player { practice.player }

    /// Plays to the end.
    ///
    /// - Returns: Success, or the signal that ended the run.
    func play() throws -> ExitStatus {
        follow()
        loop.say(device.engine.warnings.map { "woodshed: \($0)" })
        return try loop.run(self, begin: begin, conclude: conclude)
    }

    private func begin() throws {
        practice.start()
        takesOver?.apply(to: practice)
        try device.start(self, after: { try recording?.start(loop.inbox) })
        if let greeting = keeping?.greeting { loop.say([greeting]) }
        if let recording { loop.say(recording.notes) }
        desk?.followOthers()
        keeping?.searchCopies(player.clip) { [inbox = loop.inbox] in inbox.put(.kept($0)) }
    }

    var isSilent: Bool { hasEventsOver && device.isOver && (recording == nil || areTakesOver) }

    // MARK: Events of the engine

    /// Events are requested before the start, because earlier events would be lost.
    private func follow() {
        let (events, inbox) = (practice.events, loop.inbox)
        keeping?.progress.begin(practice, run.keyMap.rating, takesKeys: loop.takesKeys) { inbox.put(.kept($0)) }
        Task {
            for await event in events { inbox.put(.session(event)) }
            inbox.put(.eventsOver)
        }
    }

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
            // The first quit key counts.
            if loop.ending == nil { self.remembers = remembers }
            loop.end(.success)
            // Nothing plays any more, so the key also dismisses an open question.
            if isSilent || heldFinish != nil { keeping?.progress.dismiss() }
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

    /// Begins or ends a take. Without an input, hands over to another session with an input.
    private func record() {
        if let recording {
            if let answer = takes?.end() { show(answer) }
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

    private func conclude() throws -> ExitStatus {
        keep(isAbandoned: false)
        // The next session writes the last line, and says the closing words.
        return try run.conclude(
            { handover == nil ? run.programLine { lastLine(failed: device.hasFailed).json } : nil },
            words: { tellsFigures && handover == nil ? closingWords : [] },
            failures: [device.failure, recording?.failure, device.loss])
    }

    // MARK: Ctrl-Z and back

    func prepareForSuspension() {
        suspendTakes()
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
            case .eventsOver: hasEventsOver = true
            case .engineOver(let error):
                device.noteEnd(error)
                recording?.finish()
                // From now on the disk takes the time.
                if device.isEnding { device.allow(nanoseconds: Self.diskPatience) }
            case .take(let event): lines += tell(recording?.take(event))
            case .input(let levels): lines += tell(recording?.take(levels))
            case .takesOver: areTakesOver = true
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
            case .session(.completed): isCompleted = true
            case .session: break
            }
        }
        loop.write(lines)
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
            if let answer = takes?.noteLoopPlays() { show(answer) }
        case .frozen: control.noteFrozen(true)
        case .unfrozen: control.noteFrozen(false)
        case .xrun(let lostFrames) where pauseReason != nil && takes?.isHearing != true:
            silentLosses.xruns += 1
            silentLosses.frames += lostFrames
            return ""
        case .finished:
            // Printed last, with the figures of the whole run.
            heldFinish = event
            return ""
        default: break
        }
        let line = run.programLine { EventLine(event, sampleRate: device.engine.configuration.sampleRate).json }
        if loop.messages.json { return line }
        if !loop.traits.drawsStatus, let words = words(event) { loop.say([words]) }
        tellText(event)
        return ""
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
        var view = control.view(title: title, clipSeconds: clipSeconds)
        view.notice = device.notice ?? takes?.notice
        if let recording { (view.inputDecibels, view.isRecording) = (recording.inputDecibels, recording.isOn) }
        let question = keeping?.progress.question.map { [fitted(printable($0), cells: max(1, size.columns - 1))] } ?? []
        if isSilent, desk?.line == nil { return question }
        let typed = desk?.line.map { [$0.line(columns: size.columns)] } ?? question
        let lines = screen.lines(view, pauseReason: pauseReason, hardIDs: keeping?.hardIDs ?? [], size)
        return lines + typed
    }
}
