// The common part of `play` and `practice`: a file, a device, a session.
import Terminal
import WoodshedPractice

/// Plays a file on a device.
struct Playing {
    let file: String
    let strip: StripOptions
    let device: DeviceOptions
    let loss: LossOptions
    let screen: ScreenOptions
    let messages: MessageOptions
    /// Options for recording over the loops; nil for no recording.
    var recording: RecordingOptions?
    /// Ways to control the run, beside the keyboard.
    var control = ControlWays()
    /// The run's verb, for programs.
    var verb = "play"
    /// True if the record key may reopen the device.
    var canReopen = false
    private let signals = Signals.install()

    /// Plays by the plan for the recording. A signal ends the run with its status.
    ///
    /// - Parameters:
    ///   - keeping: Kept data of the recording; nil if keys must not change the store.
    ///   - takesOver: State left by an earlier session.
    /// - Returns: State for the next session, if the user wants to record and this session could not.
    @discardableResult
    func run(
        keeping: Keeping? = nil, goingOn takesOver: Handover? = nil, _ plan: (Clip) throws -> SessionPlan
    ) throws -> Handover? {
        let layers = try SettingsLayers()
        let keyMap = try KeyMap(layers)
        let remote = try RemoteDesk.open(control, verb: verb, layers)
        let output = try device.outputDevice()
        if case .file(let path) = output { try OutputFile.refuseInputs([file], outputs: [path]) }
        let request = { try device.request(sampleRate: $0, channelCount: $1) }
        let rig = try recording.flatMap { try TakeRig($0, device, request: request) }
        let listening = try Listening(
            path: file, output: output, onLoss: loss.policy, request: request, plan: plan,
            strip: { strip.strip(kept: keeping?.settings($0) ?? KeptSettings()) }, engine: rig.map { $0.open })
        let takes = try rig.map { rig in
            let made = try rig.recorder(over: listening, kept: keeping?.kept(listening.session.player.clip))
            return SessionRecording(
                made, notes: rig.notes, monitors: recording?.monitor == true,
                sampleRate: listening.engine.configuration.sampleRate)
        }
        if messages.verbose { StandardStream.error.note(listening.summary) }
        let run = try Run<Session>(
            messages: messages, signals: signals, keyMap: keyMap, remote: remote,
            media: MediaDesk(
                isWanted: control.hasDesktop && device.listensInRealTime, isVerbose: messages.verbose))
        let session = Session(
            listening, in: run, onLoss: loss.onLoss, showsWaveform: screen.waveform, keeping: keeping,
            recording: takes, canReopen: canReopen)
        let status = try session.play(goingOn: takesOver)
        guard status == .success else { throw CommandFailure(status) }
        return session.handover
    }
}

extension Listening {
    /// Recording and device in one line.
    var summary: String {
        let device = engine.configuration
        return printable(
            "\(title): \(info.container)/\(info.codec), \(info.sampleRate) Hz, \(info.channelCount) channels, "
                + "\(clockText(info.seconds)); \(device.deviceName): \(device.sampleRate) Hz, "
                + "\(device.channelCount) channels, \(device.formatName), "
                + "\(device.periodFrames) frames a block, \(device.bufferFrames) in the buffer")
    }
}
