public import Clips
public import DSP
public import Engine
internal import Explanations
internal import Stretching

/// Compares a take with its section as heard: at the section's speed and pitch.
///
///     let model = ComparedPassage(clip: song, frames: 441_000..<882_000, speed: try Speed(factor: 0.7))
///     let comparison = try TakeComparison(of: take, with: model)
///     print(comparison.offsetSeconds ?? "nothing to compare")
public struct TakeComparison: Sendable, Equatable {
    /// Timing, pitch and dynamics; of the first pass, if the take has several. Times of the take count from its first
    /// frame: see `offsetSeconds`.
    public let measures: Comparison
    /// The measures of each pass, if the take plays the model several times; otherwise empty. Times of the take count
    /// from its first frame, so the offset of a pass is the pass's start in the take.
    public let passes: [Comparison]
    /// The length of the whole take relative to the model, from first to last sound; nil if the take or the model is
    /// silent.
    public let takeLengthRatio: Double?
    /// Delay of the take's start against the heard model, in seconds; below 0 earlier. Nil if nothing can be compared.
    public var offsetSeconds: Double? { measures.offsetSeconds.map { $0 - start } }
    /// The second of the take at which the model's first frame was heard.
    package let start: Double
    /// The attacks found in both; nil if the model has fewer than two.
    public let attacks: Attacks?

    /// Attacks of the model, found again in the take, in seconds.
    public struct Attacks: Sendable, Equatable {
        /// The attacks found in both, in order.
        public let hits: [Hit]
        /// Times of the model's attacks that the take lacks.
        public let missedSeconds: [Double]
        /// Times of the take's attacks that the model lacks.
        public let addedSeconds: [Double]
    }

    /// An attack found in both.
    public struct Hit: Sendable, Equatable {
        /// Time of the attack in the model, from the model's start.
        public let modelSeconds: Double
        /// Delay of the attack in the take, after correction for the take's own beginning and tempo; below 0 earlier.
        public let lateSeconds: Double
    }

    /// The longest model, and the longest take, in seconds: both are held in memory.
    package static let longestSeconds = 600.0

    /// Compares a take with its model. Takes some 3 % of the longer recording's duration, and more if the model has
    /// another speed.
    ///
    /// - Parameters:
    ///   - take: the whole take, at most ten minutes long.
    ///   - model: the passage to compare with, at most ten minutes long.
    ///   - start: the second of the take at which the model's first frame was heard, the origin of the offset. 0 for a
    ///     take recorded without this model.
    /// - Throws: An `ExplainedError` if a sound is too long, or if its rate is outside 8000 to 768000 Hz;
    ///   `AudioFileError` or `EngineError` if a recording cannot be read; `ScoreError` if the passage is outside of the
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
        // Notes of later passes do not count as added notes.
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
    /// The clip with the passage.
    package var clip: Clip
    /// The passage, in frames of the clip.
    package var frames: Range<Int64>
    /// The speed of playback.
    package var speed: Speed
    /// The pitch of playback.
    package var pitch: Pitch

    /// Creates a passage.
    public init(clip: Clip, frames: Range<Int64>, speed: Speed = .normal, pitch: Pitch = .original) {
        (self.clip, self.frames, self.speed, self.pitch) = (clip, frames, speed, pitch)
    }

    /// True if the passage sounds as recorded.
    var isOriginal: Bool { speed == .normal && pitch == .original }

    /// Returns the score of one pass.
    func score() throws(ScoreError) -> Score {
        let plan = PracticePlan(
            sections: [try Section(frames)], passes: .count(1), speeds: .constant(speed), pitch: pitch)
        return try Score(plan, for: clip)
    }

    /// Returns the sound of the passage, as the mean of its channels.
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
                .tooLong, "a recording of \(Int(seconds)) s is too long to be compared",
                remedy: "Choose a section of at most \(Int(TakeComparison.longestSeconds / 60)) minutes.")
        }
        guard (8000...768_000).contains(sampleRate) else {
            throw ComparisonError(
                .rate, "a recording at \(sampleRate) Hz cannot be compared",
                remedy: "Convert the recording to 48000 Hz first.")
        }
    }

    /// Returns the times of the attacks, in seconds, in order. Analyses in parts, because the analysis needs many times
    /// the memory of its input.
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
