package import AudioFiles
package import Clips
internal import Engine
internal import Explanations
package import Store

/// A take beside its model: both as they sounded then, at the same time and equally loud.
///
///     let pair = try HeardPair(of: take, in: song, key: key)
///     let hearing = try PairPlayer(engine: engine, pair: pair, sound: .model)
///     hearing.start()
///     hearing.hear(.take)      // at the same place
///
/// The model plays at its speed and pitch during the take, and the take lies at its original position. A take played in
/// the gap after the model is placed as if the model were repeated. Of a longer passage at most five minutes play, so
/// memory is bounded: a rendered stereo model takes at most 115 MB, and a model at the recording's own speed and pitch
/// none. The take is decoded during playback.
package struct HeardPair: Sendable {
    /// The take.
    package let take: StoredTake
    /// Gain of the take relative to the model, in dB: −18 to 18.
    package let matchDecibels: Double
    /// Seconds of the pair: the model's, and up to two more of a longer take.
    package var seconds: Double { Double(layout.frameCount) / Double(clip.sampleRate) }
    /// The audible part of the recording, in frames of its clip.
    package var modelRange: Range<Int64> { layout.modelRange }

    /// True if only a part of the passage plays.
    package let isCut: Bool

    /// The clip of the pair: the pair twice in a row, in four times two channels; see `PairDecoder`.
    package let clip: Clip
    let layout: PairLayout
    /// Length of the pair in frames.
    package var frameCount: Int64 { layout.frameCount }

    /// The greatest length of the model in seconds.
    package static let longestSeconds = 300.0

    /// Renders the model and measures both. Takes some 2 % of the pair's duration, and more if the model has another
    /// speed.
    ///
    /// - Parameters:
    ///   - take: A take with a model.
    ///   - recording: The recording, at the rate of the engine.
    ///   - key: The recording's identity in the store.
    ///   - place: The start within a passage of more than five minutes, as a frame of `recording`; nil for the
    ///     beginning.
    ///   - mixes: True to mix both sounds on both sides, false for model left and take right.
    ///   - isCancelled: Called often, on this thread; true cancels.
    /// - Throws: `HearingError`; `EngineError` or `AudioFileError` if the recording cannot be read; `ScoreError` for a
    ///   passage that cannot be played.
    ///
    /// Real-time safe: no.
    package init(
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
        // Loads the beginning before playback.
        try clip.waitUntilLoaded([0..<Int64(clip.sampleRate / 2)])
    }

    /// Bytes for pages read ahead: some 20 s of eight channels.
    private static let pageBudget = 32 << 20
}

/// The file of a take with its checked data from the store.
struct OpenedTake {
    let take: StoredTake
    let model: StoredTake.Model
    let recording: Clip
    /// The take at the rate of the recording.
    let clip: Clip

    /// A small budget suffices, because the take is read in order.
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

    /// Adds the take's number to an error in the take's file.
    func explained(_ error: any Error) -> any Error {
        guard let error = error as? AudioFileError, error.path == clip.info.path else { return error }
        return Self.unreadable(take, error)
    }

    private static func unreadable(_ take: StoredTake, _ error: AudioFileError) -> HearingError {
        HearingError(
            .unreadable, "take \(take.number) cannot be read: \(error.message)", remedy: error.remedy,
            status: error.exitStatus.ifTemporary)
    }
}
