package import AudioFiles
internal import Clips
package import Store

/// The position of a take on its model: arithmetic alone. Frames of the pair count from the model's first frame, at the
/// rate of the recording's clip.
///
/// The take's position is rounded to whole frames. So its samples equal the file's, and the error is at most half a
/// frame (10 µs at 48 kHz), below the resolution of a calibration.
package struct PairLayout: Sendable, Equatable {
    /// The model, in frames of the recording's clip: the whole passage, or a part.
    let modelRange: Range<Int64>
    /// Length of the model in frames, at its speed.
    let modelFrames: Int64
    /// The frame of the take's clip heard with the model's first frame; below 0 if the take begins later.
    let takeStart: Int64
    /// Length of the take in frames.
    let takeFrames: Int64
    /// Length of the pair in frames: the model, and at most two seconds of the take after the model.
    let frameCount: Int64
    /// True if the model is a part of the passage that begins after the passage's start.
    let isModelCut: Bool

    /// The longest part of a take after the model, in seconds: a last note that rings.
    static let tailSeconds = 2.0

    /// The selected part of a long passage.
    struct Window: Sendable {
        /// The greatest length of the model in seconds.
        var seconds: Double
        /// The start of the part, as a frame of the recording's clip, if enough of the passage follows; nil for the
        /// beginning of the passage.
        var place: Int64?
    }

    /// - Parameters:
    ///   - model: The model of the take.
    ///   - takeRate: The rate of the take's file.
    ///   - takeFrames: The length of the take, at the rate of `recording`.
    ///   - window: The part of the passage; nil for the whole passage.
    /// - Returns: nil if model and take have no moment in common.
    init?(
        _ model: StoredTake.Model, takeRate: Int, takeFrames: Int64, in recording: Clip, window: Window? = nil
    ) {
        let passage = Self.passage(model, in: recording)
        guard !passage.isEmpty, model.speed > 0, model.start.isFinite else { return nil }
        let rate = Double(recording.sampleRate)
        let length = Double(passage.count) / model.speed
        var start = model.start * rate / Double(takeRate)
        if Self.isAnswer(start: start, takeFrames: Double(takeFrames), length: length) { start += length }
        var range = passage
        if let window, length > window.seconds * rate {
            let (limit, end) = (window.seconds * rate, min(length, Double(takeFrames) - start))
            // Within the passage, so that no frame overflows.
            let place = min(max(window.place ?? passage.lowerBound, passage.lowerBound), passage.upperBound)
            var first = Double(place - passage.lowerBound) / model.speed
            // Keeps the window inside of the take.
            first = min(first, max(0, end - limit))
            if first + limit <= -start { first = min(-start, length - limit) }
            let lower = passage.lowerBound + Int64(first * model.speed)
            range = lower..<min(passage.upperBound, lower + Int64(limit * model.speed))
            start += Double(lower - passage.lowerBound) / model.speed
        }
        // Beyond the length of any take.
        guard !range.isEmpty, abs(start) < 0x1p40 else { return nil }
        modelRange = range
        isModelCut = range.lowerBound > passage.lowerBound
        modelFrames = max(1, Int64((Double(range.count) / model.speed).rounded()))
        takeStart = Int64(start.rounded())
        self.takeFrames = takeFrames
        let rest = range.upperBound < passage.upperBound ? 0 : takeFrames - takeStart - modelFrames
        frameCount = modelFrames + min(max(0, rest), Int64(Self.tailSeconds * rate))
        guard takeStart < takeFrames, takeStart + frameCount > 0 else { return nil }
    }

    /// Returns the passage of a model, in frames of the recording's clip.
    static func passage(_ model: StoredTake.Model, in recording: Clip) -> Range<Int64> {
        let first = recording.frame(forFileFrame: model.frames.lowerBound)
        let end = recording.frame(forFileFrame: model.frames.upperBound)
        return (first..<max(first, end)).clamped(to: 0..<recording.frameCount)
    }

    /// Returns the second of a take at which the model's first frame was heard. For an answer in the gap, the model
    /// counts as if repeated in the gap.
    ///
    /// - Parameters:
    ///   - take: The take's own file.
    ///   - length: The playing time of the model in seconds.
    package static func startSeconds(of model: StoredTake.Model, take: AudioFileInfo, length: Double) -> Double {
        let start = model.start / Double(take.sampleRate)
        return isAnswer(start: start, takeFrames: take.seconds, length: length) ? start + length : start
    }

    /// True if a take answers the model in the gap after it, instead of following along. Such a take begins in the
    /// model's second half, and lies mostly after the model. Its position counts as if the model were repeated in the
    /// gap.
    static func isAnswer(start: Double, takeFrames: Double, length: Double) -> Bool {
        -start >= length / 2 && takeFrames - start - length > takeFrames / 2
    }
}
