public import Clips
public import DSP
public import Engine
internal import Stretching

/// A take beside the section it was recorded against, as that section sounded: at its speed and pitch.
///
///     let model = ComparedPassage(clip: song, frames: 441_000..<882_000, speed: try Speed(factor: 0.7))
///     let comparison = try TakeComparison(of: take, with: model)
///     print(comparison.offsetSeconds ?? "nothing to compare")
public struct TakeComparison: Sendable, Equatable {
    /// Timing, pitch and dynamics; of the first pass, if the take has several. Times of the take count from its first frame: see `offsetSeconds`.
    public let measures: Comparison
    /// The measures of each pass, if the take plays the model several times; otherwise empty. Times of the take count from its first frame, so the
    /// offset of a pass says where in the take it begins.
    public let passes: [Comparison]
    /// How long the whole take is for the model, from first to last sound; nil if one of the two is silent.
    public let takeLengthRatio: Double?
    /// How much later the take begins than what was heard; below 0 earlier. Nil if nothing can be compared.
    public var offsetSeconds: Double? { measures.offsetSeconds.map { $0 - start } }
    /// The seconds of the take at which the model's first frame was heard.
    public let start: Double
    /// The attacks that both play; nil if the model has fewer than two.
    public let attacks: Attacks?

    /// Attacks of the model, found again in the take, in seconds.
    public struct Attacks: Sendable, Equatable {
        /// The attacks that both play, in order.
        public let hits: [Hit]
        /// When the model plays what the take lacks.
        public let missedSeconds: [Double]
        /// When the take plays what the model lacks.
        public let addedSeconds: [Double]
    }

    /// An attack that both play.
    public struct Hit: Sendable, Equatable {
        /// When the model plays it, from the model's start.
        public let modelSeconds: Double
        /// How much later the take plays it than the take's own beginning and tempo ask; below 0 earlier.
        public let lateSeconds: Double
    }

    /// The longest model, and the longest take, in seconds: both are held in memory.
    package static let longestSeconds = 600.0

    /// Compares a take with its model. Takes some 3 % of the longer recording's duration, and more if the model has another speed.
    ///
    /// - Parameters:
    ///   - take: the whole take, at most ten minutes long.
    ///   - model: the passage that it is compared with, at most ten minutes long.
    ///   - start: the seconds of the take at which the model's first frame was heard; the offset is counted from there. 0 for a take that was not
    ///     recorded against it.
    /// - Throws: `ComparisonError`; `AudioFileError` or `EngineError` if a recording cannot be read; `ScoreError` if the passage is not in the
    ///   clip.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    public init(of take: Clip, with model: ComparedPassage, start: Double = 0) throws {
        let (modelSound, takeSound) = (try model.sound(), try MonoSound(take, 0..<take.frameCount))
        let (modelCompared, takeCompared) = (
            ComparedSound(modelSound.samples, sampleRate: modelSound.sampleRate),
            ComparedSound(takeSound.samples, sampleRate: takeSound.sampleRate)
        )
        let alignments = Alignment.passes(of: takeCompared, with: modelCompared)
        let all = Comparison.each(of: takeCompared, with: modelCompared, along: alignments)
        measures = all.first ?? Comparison()
        passes = all.count > 1 ? all : []
        takeLengthRatio = takeCompared.features.lengthRatio(to: modelCompared.features)
        self.start = start
        let modelOnsets = modelSound.attacks()
        guard modelOnsets.count >= 2, let alignment = alignments.first else {
            attacks = nil
            return
        }
        // The notes of later passes are not added ones.
        let end = alignments.count > 1 ? Double(alignment.takeRange.upperBound) * 0.01 : .infinity
        let takeOnsets = takeSound.attacks().filter { $0 < end }
        let match = OnsetMatch(model: modelOnsets, take: takeOnsets, along: alignment)
        attacks = Attacks(
            hits: match.hits.map { Hit(modelSeconds: modelOnsets[$0.model], lateSeconds: $0.lateSeconds) },
            missedSeconds: match.missed.map { modelOnsets[$0] }, addedSeconds: match.added.map { takeOnsets[$0] })
    }
}

/// A passage as a model: frames of a clip, at a speed and a pitch.
public struct ComparedPassage: Sendable {
    /// What is played.
    public var clip: Clip
    /// Its frames, of the clip.
    public var frames: Range<Int64>
    /// The speed at which it is heard.
    public var speed: Speed
    /// The pitch at which it is heard.
    public var pitch: Pitch

    /// A passage.
    public init(clip: Clip, frames: Range<Int64>, speed: Speed = .normal, pitch: Pitch = .original) {
        (self.clip, self.frames, self.speed, self.pitch) = (clip, frames, speed, pitch)
    }

    /// Whether it is heard as it was recorded.
    var isOriginal: Bool { speed == .normal && pitch == .original }

    /// One pass of it.
    func score() throws(ScoreError) -> Score {
        let plan = PracticePlan(
            sections: [try Section(frames)], passes: .count(1), speeds: .constant(speed), pitch: pitch)
        return try Score(plan, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
    }

    /// What is heard of it, as the mean of its channels.
    func sound() throws -> MonoSound {
        if isOriginal { return try MonoSound(clip, frames) }
        let seconds = Double(frames.count) / Double(clip.sampleRate) / speed.factor
        try MonoSound.check(seconds: seconds, sampleRate: clip.sampleRate)
        let score = try score()
        let limit = Int(TakeComparison.longestSeconds * Double(clip.sampleRate))
        return MonoSound(
            samples: try OfflineRender.mix(clip, score, frameLimit: limit), sampleRate: clip.sampleRate)
    }
}

/// A recording in memory, as the mean of its channels.
struct MonoSound {
    let samples: [Float]
    let sampleRate: Int

    init(samples: [Float], sampleRate: Int) { (self.samples, self.sampleRate) = (samples, sampleRate) }

    /// Reads a part of a clip.
    init(_ clip: Clip, _ frames: Range<Int64>) throws {
        try Self.check(seconds: Double(frames.count) / Double(clip.sampleRate), sampleRate: clip.sampleRate)
        var mix: [Float] = []
        mix.reserveCapacity(frames.count)
        try unsafe clip.forEachBlock(in: frames) { channels, count in
            for frame in 0..<count {
                var sum: Float = 0
                for channel in 0..<clip.channelCount { unsafe sum += channels[channel][frame] }
                mix.append(sum / Float(clip.channelCount))
            }
            return true
        }
        (samples, sampleRate) = (mix, clip.sampleRate)
    }

    static func check(seconds: Double, sampleRate: Int) throws(ComparisonError) {
        guard seconds <= TakeComparison.longestSeconds else {
            throw ComparisonError(
                .tooLong, "this is too long to be compared: \(Int(seconds)) s",
                remedy: "Choose a section of at most \(Int(TakeComparison.longestSeconds / 60)) minutes.")
        }
        guard (8000...768_000).contains(sampleRate) else {
            throw ComparisonError(
                .rate, "a recording at \(sampleRate) Hz cannot be compared", remedy: "Convert it to 48000 Hz first.")
        }
    }

    /// The times of its attacks, in seconds, in order. Found in parts, because the analysis needs many times the memory of what it looks at.
    func attacks() -> [Double] {
        let context = OnsetMap.contextFrames(sampleRate: sampleRate)
        let core = 20 * sampleRate
        var onsets: [Onset] = []
        for first in stride(from: 0, to: samples.count, by: core) {
            let end = min(first + core, samples.count)
            let around = max(0, first - context)..<min(samples.count, end + context)
            let block = SourceBlock(
                [Array(samples[around])], firstFrame: Int64(around.lowerBound), sampleRate: sampleRate)
            onsets += OnsetMap.onsets(in: block, within: Int64(first)..<Int64(end))
        }
        return onsets.attackSeconds(sampleRate: sampleRate)
    }
}
