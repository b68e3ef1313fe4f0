// From a file and the options to an engine ready to start: probe, check, open the device, load at the device's rate.
// Everything that can be wrong with the arguments is found before a device is opened or a file created.
import Woodshed

/// An engine with one player in it.
struct Listening {
    let title: String
    let engine: Engine
    let player: Player
    let info: AudioFileInfo

    /// Prepares a file.
    ///
    /// - Parameters:
    ///   - path: The recording.
    ///   - output: Where the sound goes.
    ///   - onLoss: What to do when it is lost.
    ///   - request: Makes the request for a rate and a channel count.
    ///   - plan: Makes the plan for a recording.
    ///   - opening: Is given what opens the output, to do more around it. The sections are listened to only after that,
    ///     which can take seconds.
    init(
        path: String, output: OutputDevice, onLoss: LossPolicy = .wait,
        request: @escaping (_ sampleRate: Int, _ channelCount: Int) throws(DeviceError) -> StreamRequest,
        plan: (Timeline) throws(CommandFailure) -> PracticePlan,
        opening: (() throws(CommandFailure) -> Engine) throws(CommandFailure) -> Engine = {
            open throws(CommandFailure) in
            try open()
        }
    ) throws(CommandFailure) {
        let original = try Self.load(path, sampleRate: nil)
        tellShortfall(original.info)
        _ = try Self.score(original, plan: plan)
        let engine = try opening { () throws(CommandFailure) in
            try Self.open(output, for: original, onLoss: onLoss, request: request)
        }
        let rate = engine.configuration.sampleRate
        let clip = rate == original.sampleRate ? original : try Self.load(path, sampleRate: rate)
        player = try Self.player(engine, clip, score: try Self.score(clip, plan: plan))
        self.engine = engine
        title = fileName(path)
        info = clip.info
    }

    /// Prepares a recording in memory.
    init(clip: Clip, title: String, engine: Engine, plan: PracticePlan) throws(CommandFailure) {
        player = try Self.player(
            engine, clip, score: try Self.score(clip, plan: { (_) throws(CommandFailure) in plan }))
        self.engine = engine
        self.title = title
        info = clip.info
    }

    static func load(_ path: String, sampleRate: Int?) throws(CommandFailure) -> Clip {
        do {
            return try Clip(path: path, sampleRate: sampleRate)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Opens a recording at the rate at which a device would be asked to play it.
    static func loadForPlaying(_ path: String) throws(CommandFailure) -> Clip {
        let original = try load(path, sampleRate: nil)
        let rate = playingRate(original)
        return rate == original.sampleRate ? original : try load(path, sampleRate: rate)
    }

    /// A file of a rate no device has is converted to one that every device has.
    private static func playingRate(_ clip: Clip) -> Int {
        (8000...768_000).contains(clip.sampleRate) ? clip.sampleRate : 48_000
    }

    private static func player(_ engine: Engine, _ clip: Clip, score: Score) throws(CommandFailure) -> Player {
        do {
            return try engine.makePlayer(clip, score: score)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// A plan compiled for a recording.
    static func score(
        _ clip: Clip, plan: (Timeline) throws(CommandFailure) -> PracticePlan
    ) throws(CommandFailure) -> Score {
        let timeline = Timeline(
            fileRate: clip.info.sampleRate, fileFrames: clip.info.frameCount, clipRate: clip.sampleRate,
            clipFrames: clip.frameCount)
        let plan = try plan(timeline)
        do {
            return try Score(plan, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func open(
        _ output: OutputDevice, for clip: Clip, onLoss: LossPolicy,
        request: (_ sampleRate: Int, _ channelCount: Int) throws(DeviceError) -> StreamRequest
    ) throws(CommandFailure) -> Engine {
        do {
            return try Engine(
                output: output, request: try request(playingRate(clip), clip.channelCount), onLoss: onLoss)
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// Says that there may be more in a file than was decoded.
func tellShortfall(_ info: AudioFileInfo) {
    guard let reason = info.shortfall else { return }
    StandardStream.error.note(
        printable("\(info.path): only \(clockText(info.seconds, decimals: 1)) could be decoded: \(reason)"))
}
