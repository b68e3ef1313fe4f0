// From a file and options to an engine ready to start: probe, check, open the device, load at the device's rate. All
// errors in the arguments are found before a device is opened or a file created.
import Terminal
import WoodshedPractice

/// An engine with a player.
struct Listening {
    let title: String
    let engine: Engine
    let session: PracticeSession
    let info: AudioFileInfo

    /// Prepares a file.
    ///
    /// - Parameters:
    ///   - path: The recording.
    ///   - output: The output device.
    ///   - onLoss: The reaction to a loss of the device.
    ///   - request: Makes the request for a rate and a channel count.
    ///   - plan: Makes the plan for a recording.
    ///   - strip: Makes the channel strip for the recording.
    ///   - make: Makes the engine instead, for a rate and a channel count.
    ///   - note: Gets a line for the user.
    ///   - opening: Gets the function that opens the output, to add work around it. The analysis of the sections, which
    ///     can take seconds, follows afterwards.
    init(
        path: String, output: OutputDevice, onLoss: LossPolicy = .wait,
        request: @escaping (_ sampleRate: Int, _ channelCount: Int) throws -> StreamRequest,
        plan: (Clip) throws -> SessionPlan, strip: (Clip) throws -> ChannelStrip = { _ in .neutral },
        engine make: ((_ sampleRate: Int, _ channelCount: Int) throws -> Engine)? = nil,
        note: (String) -> Void = StandardStream.error.note,
        opening: (() throws -> Engine) throws -> Engine = { try $0() }
    ) throws {
        let original = try Clip(path: path)
        tellShortfall(original.info, by: note)
        _ = try Self.score(original, plan: { try plan($0).practice })
        try strip(original).check(channelCount: original.channelCount)
        let engine = try opening {
            guard let make else { return try Self.open(output, for: original, onLoss: onLoss, request: request) }
            return try make(Self.playingRate(original), original.channelCount)
        }
        let rate = engine.configuration.sampleRate
        let clip = rate == original.sampleRate ? original : try Clip(path: path, sampleRate: rate)
        session = try PracticeSession(engine: engine, clip: clip, plan: try plan(clip))
        try session.player.setStrip(try strip(clip))
        self.engine = engine
        title = RecordingWord.title(ofFile: path)
        info = clip.info
    }

    /// Prepares a recording in memory.
    init(clip: Clip, title: String, engine: Engine, plan: PracticePlan) throws {
        session = try PracticeSession(engine: engine, clip: clip, plan: SessionPlan(plan))
        self.engine = engine
        self.title = title
        info = clip.info
    }

    /// Opens a recording at the rate for playback on a device.
    static func loadForPlaying(_ path: String) throws(AudioFileError) -> Clip {
        let original = try Clip(path: path)
        let rate = playingRate(original)
        return rate == original.sampleRate ? original : try Clip(path: path, sampleRate: rate)
    }

    /// Returns the file's rate, or 48 kHz for a rate no device has.
    private static func playingRate(_ clip: Clip) -> Int {
        (8000...768_000).contains(clip.sampleRate) ? clip.sampleRate : 48_000
    }

    /// Compiles a plan for a recording.
    static func score(_ clip: Clip, plan: (Clip) throws -> PracticePlan) throws -> Score {
        try Score(try plan(clip), clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
    }

    private static func open(
        _ output: OutputDevice, for clip: Clip, onLoss: LossPolicy,
        request: (_ sampleRate: Int, _ channelCount: Int) throws -> StreamRequest
    ) throws -> Engine {
        try Engine(
            output: output, request: try request(playingRate(clip), clip.channelCount), onLoss: onLoss)
    }
}

/// Warns that a file may contain more audio than was decoded.
func tellShortfall(_ info: AudioFileInfo, by note: (String) -> Void = StandardStream.error.note) {
    guard let reason = info.shortfall else { return }
    note(
        printable("\(info.path): only \(clockText(info.seconds, decimals: 1)) could be decoded: \(reason)"))
}
