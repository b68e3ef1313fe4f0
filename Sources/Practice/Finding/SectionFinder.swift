public import AudioFiles
internal import Clips
internal import DSP
public import Sections

/// Finds the phrases of a recording, between its pauses.
///
/// A pause is quieter than a threshold computed from the recording: between the noise in its pauses and its programme.
/// So quiet or noisy recordings need no other settings. Music without pauses has no phrases. A setting outside its
/// range counts as the nearest value, NaN as not set.
public struct SectionFinder: Sendable {
    /// The shortest pause between two phrases, in seconds; 0.05 to 10.
    public var minimumPause = 0.35
    /// Shorter phrases are joined to a close neighbour, in seconds; 0 to 60.
    public var minimumLength = 0.3
    /// Longer phrases are split at their quietest place, in seconds; 1 to 3600.
    public var maximumLength = 15.0
    /// Threshold below which sound is a pause, in dB of full scale; nil computes the threshold.
    public var thresholdDecibels: Double?

    /// Creates a finder with the usual settings.
    public init() {}

    /// The result of a search.
    public struct Found: Sendable {
        /// The phrases in frames of the recording's file, as ranges without names.
        public let drafts: [SectionDraft]
        /// Threshold below which sound was a pause, in dB of full scale.
        package let thresholdDecibels: Double
    }

    /// Reads a recording from its first frame to its last.
    ///
    /// - Parameters:
    ///   - path: The recording.
    ///   - progress: Called with the share read so far; false ends the search with an error of kind `cancelled`.
    /// - Throws: The reason why the recording cannot be read to its end.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    public func find(inFileAt path: String, progress: (Double) -> Bool = { _ in true }) throws(AudioFileError) -> Found
    {
        try find(in: try Clip(path: path), path: path, progress)
    }

    func find(in clip: Clip, path: String, _ progress: (Double) -> Bool) throws(AudioFileError) -> Found {
        var levels = PhraseLevels(sampleRate: clip.sampleRate, channelCount: clip.channelCount)
        var (frames, isWanted): (Int64, Bool) = (0, true)
        try unsafe clip.forEachBlock { (channels, count) in
            unsafe levels.process(channels, frameCount: count)
            frames += Int64(count)
            isWanted = progress(Double(frames) / Double(clip.frameCount))
            return isWanted
        }
        guard isWanted else { throw .closed(path) }
        var search = PhraseSearch()
        search.minimumPause = Self.limited(minimumPause, to: 0.05...10) ?? search.minimumPause
        search.minimumLength = Self.limited(minimumLength, to: 0...60) ?? search.minimumLength
        search.maximumLength = Self.limited(maximumLength, to: 1...3600) ?? search.maximumLength
        search.thresholdDecibels = thresholdDecibels.flatMap { $0.isNaN ? nil : $0 }
        let result = search.search(levels)
        let drafts = result.phrases.map { phrase in
            SectionDraft(clip.fileFrame(forFrame: phrase.lowerBound)..<clip.fileFrame(forFrame: phrase.upperBound))
        }
        return Found(drafts: drafts, thresholdDecibels: result.thresholdDecibels)
    }

    /// Returns the nearest value within a range; nil for NaN.
    private static func limited(_ seconds: Double, to range: ClosedRange<Double>) -> Double? {
        seconds.isNaN ? nil : min(max(seconds, range.lowerBound), range.upperBound)
    }
}
