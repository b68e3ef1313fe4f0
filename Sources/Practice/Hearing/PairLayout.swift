package import AudioFiles
internal import Clips
package import Store

/// Where a take lies on the passage that it was recorded against: arithmetic alone. Frames of the pair count from the model's first frame, at
/// the rate of the recording's clip.
///
/// The take's place is rounded to whole frames. So its samples are those of its file, and it is off by at most half a frame (10 µs at 48 kHz);
/// a calibration knows no more.
package struct PairLayout: Sendable, Equatable {
    /// The model, in frames of the recording's clip: all of the passage, or a part of it.
    let modelRange: Range<Int64>
    /// How long the model is heard, at its speed.
    let modelFrames: Int64
    /// The frame of the take's clip that is heard with the model's first frame; below 0 if the take begins later.
    let takeStart: Int64
    /// The take's length.
    let takeFrames: Int64
    /// Frames of the pair: those of the model, and of what the take still has after it, two seconds at most.
    let frameCount: Int64
    /// Whether the passage has begun before the model, which is a part of it.
    let isModelCut: Bool

    /// How much of a take is heard after the model, in seconds: a last note that rings.
    static let tailSeconds = 2.0

    /// The part of a long passage that is meant.
    struct Window: Sendable {
        /// The most seconds of the model.
        var seconds: Double
        /// Where it begins, as a frame of the recording's clip, if there is that much after it; nil for the beginning of the passage.
        var place: Int64?
    }

    /// - Parameters:
    ///   - model: What the take was recorded against.
    ///   - takeRate: The rate of the take's file.
    ///   - takeFrames: The length of the take, at the rate of `recording`.
    ///   - window: nil for all of the passage.
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
            var first = max(0, Double((window.place ?? passage.lowerBound) - passage.lowerBound) / model.speed)
            // Not where the take is over, or has not begun.
            first = min(first, max(0, end - limit))
            if first + limit <= -start { first = min(-start, length - limit) }
            let lower = passage.lowerBound + Int64(first * model.speed)
            range = lower..<min(passage.upperBound, lower + Int64(limit * model.speed))
            start += Double(lower - passage.lowerBound) / model.speed
        }
        // Further away than any take is long.
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

    /// The passage of a model, in frames of the recording's clip.
    static func passage(_ model: StoredTake.Model, in recording: Clip) -> Range<Int64> {
        let first = recording.frame(forFileFrame: model.frames.lowerBound)
        let end = recording.frame(forFileFrame: model.frames.upperBound)
        return (first..<max(first, end)).clamped(to: 0..<recording.frameCount)
    }

    /// The seconds of a take at which the model's first frame was heard, or would have been if it had been played again in the gap.
    ///
    /// - Parameters:
    ///   - take: The take's own file.
    ///   - length: The seconds that the model is heard.
    package static func startSeconds(of model: StoredTake.Model, take: AudioFileInfo, length: Double) -> Double {
        let start = model.start / Double(take.sampleRate)
        return isAnswer(start: start, takeFrames: take.seconds, length: length) ? start + length : start
    }

    /// Whether a take answers the model in the gap after it, instead of following it: it begins in the model's second half, and most of it
    /// comes after the model. It is then laid on the model as if that were played again in the gap.
    static func isAnswer(start: Double, takeFrames: Double, length: Double) -> Bool {
        -start >= length / 2 && takeFrames - start - length > takeFrames / 2
    }
}
