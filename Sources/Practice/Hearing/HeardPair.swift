public import AudioFiles
public import Clips
internal import Engine
public import Store

/// A take beside what it was recorded against: both as they sounded then, at the same time and equally loud.
///
///     let pair = try HeardPair(of: take, in: song, key: key)
///     let hearing = try PairPlayer(engine: engine, pair: pair, sound: .model)
///     hearing.start()
///     hearing.hear(.take)      // at the same place
///
/// The model has the speed and the pitch at which it was heard then, and the take lies where it was played. A take that was played in the gap after
/// the model lies on it as if the model were played again. Of a longer passage at most five minutes are heard, so memory is bounded: a rendered
/// model in stereo takes 115 MB then, and a model at its own speed and pitch none. The take is decoded while it is played.
public struct HeardPair: Sendable {
    /// The take.
    public let take: StoredTake
    /// How much louder the take is made than it was recorded, against the model, in dB: −18 to 18.
    public let matchDecibels: Double
    /// Seconds of the pair: the model's, and up to two more of a take that goes on.
    public var seconds: Double { Double(layout.frameCount) / Double(clip.sampleRate) }
    /// The part of the recording that is heard, in frames of its clip.
    public var modelRange: Range<Int64> { layout.modelRange }

    /// Whether the passage is longer than what is heard of it.
    public let isCut: Bool

    /// What is played: the pair twice in a row, in four times two channels; see `PairDecoder`.
    package let clip: Clip
    let layout: PairLayout
    /// The length of the pair.
    package var frameCount: Int64 { layout.frameCount }

    /// The most seconds of the model that are heard.
    package static let longestSeconds = 300.0

    /// Renders the model and measures both. Takes some 2 % of the pair's duration, and more if the model has another speed.
    ///
    /// - Parameters:
    ///   - take: A take with a model.
    ///   - recording: The recording, at the rate of the engine.
    ///   - key: The recording's identity in the store.
    ///   - place: Where to begin in a passage that is too long, as a frame of `recording`; nil for its beginning.
    ///   - mixes: Whether both at once are mixed on both sides, instead of model left and take right.
    ///   - isCancelled: Asked often, on this thread; true gives up.
    /// - Throws: `HearingError`; `EngineError` or `AudioFileError` if the recording cannot be read; `ScoreError` for a passage that
    ///   cannot be played.
    ///
    /// Real-time safe: no.
    public init(
        of take: StoredTake, in recording: Clip, key: RecordingKey, near place: Int64? = nil, mixes: Bool = false,
        isCancelled: () -> Bool = { false }
    ) throws {
        let opened = try OpenedTake(take, in: recording, key: key)
        let window = PairLayout.Window(seconds: Self.longestSeconds, place: place)
        let layout = try opened.layout(window: window)
        let passage = try opened.passage(layout)
        let model: any ModelSound =
            passage.isOriginal
            ? CopiedModel(passage)
            : try StoredModel(passage, frameCount: Int(layout.modelFrames), isCancelled: isCancelled)
        let sound = PairSound(layout, model: model, take: opened.clip)
        do { try sound.match(isCancelled: isCancelled) } catch { throw opened.explained(error) }
        (self.take, self.layout, matchDecibels) = (take, layout, sound.gains.matchDecibels)
        isCut = layout.modelRange != PairLayout.passage(opened.model, in: recording)
        clip = try Clip(PairDecoder(sound, mixes: mixes), memoryBudget: Self.pageBudget)
        // The beginning is there when it is asked for.
        try clip.waitUntilLoaded([0..<Int64(clip.sampleRate / 2)])
    }

    /// Bytes for what was read ahead: some 20 s of eight channels.
    private static let pageBudget = 32 << 20
}

/// The file of a take with what the store knows of it, checked.
struct OpenedTake {
    let take: StoredTake
    let model: StoredTake.Model
    let recording: Clip
    /// The take at the rate of the recording.
    let clip: Clip

    /// The take is read in order, so little of it needs to be kept.
    private static let memoryBudget = 8 << 20

    init(_ take: StoredTake, in recording: Clip, key: RecordingKey) throws {
        guard let model = take.model else { throw HearingError.noModel(take.number) }
        guard model.key == key else { throw HearingError.otherRecording(take.number) }
        if take.isReplaced { throw HearingError.gone(take) }
        (self.take, self.model, self.recording) = (take, model, recording)
        do throws(AudioFileError) {
            clip = try Clip(
                path: take.currentPath, sampleRate: recording.sampleRate, memoryBudget: Self.memoryBudget)
        } catch {
            guard error.kind == .notFound else { throw Self.unreadable(take, error) }
            throw HearingError.gone(take)
        }
    }

    func layout(window: PairLayout.Window? = nil) throws(HearingError) -> PairLayout {
        guard
            let layout = PairLayout(
                model, takeRate: clip.info.sampleRate, takeFrames: clip.frameCount, in: recording, window: window)
        else { throw .nothingInCommon(take.number) }
        return layout
    }

    func passage(_ layout: PairLayout) throws(ScoreError) -> ComparedPassage {
        ComparedPassage(
            clip: recording, frames: layout.modelRange, speed: try Speed(factor: model.speed),
            pitch: try Pitch(semitones: model.semitones))
    }

    /// Says of an error in the take's file which take it is.
    func explained(_ error: any Error) -> any Error {
        guard let error = error as? AudioFileError, error.path == clip.info.path else { return error }
        return Self.unreadable(take, error)
    }

    private static func unreadable(_ take: StoredTake, _ error: AudioFileError) -> HearingError {
        HearingError(.unreadable, "take \(take.number) cannot be read: \(error.message)", remedy: error.remedy)
    }
}
