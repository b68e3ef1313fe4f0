public import AudioFiles
internal import Glibc

/// The gain that brings a recording to the level of others: from the tags in its file, or from a measurement.
///
/// Recordings are brought to −18 LUFS, the level of ReplayGain 2.0. All gains are in dB and are meant for `QueueSound.decibels`. No gain lets a
/// recording exceed full scale, as far as its peak is known. After a measurement one dB is left for converters, as EBU R 128 asks.
///
/// Real-time safe: no. Threads: any.
public enum LevelGain {
    /// Whose loudness counts.
    public enum Scope: String, Sendable, Hashable, CaseIterable {
        /// Each recording is as loud as the others.
        case track
        /// Each album is as loud as the others; within it, quiet pieces stay quiet.
        case album
    }

    /// The loudness to which recordings are brought: that of ReplayGain 2.0, in LUFS.
    package static let targetLoudness = -18.0
    /// The highest true peak after a gain by measurement, in dB of full scale: EBU R 128 leaves one dB to converters.
    package static let highestTruePeak = -1.0

    /// The gain in dB from the tags of a file; nil if they contain no gain.
    ///
    /// - Parameters:
    ///   - tags: the tags of the file.
    ///   - scope: which gain is used; the other one if that is missing.
    public static func decibels(_ tags: LoudnessTags, _ scope: Scope = .track) -> Double? {
        let track = tags.trackGain.map { ($0, tags.trackPeak ?? tags.albumPeak) }
        let album = tags.albumGain.map { ($0, tags.albumPeak ?? tags.trackPeak) }
        guard let (gain, peak) = scope == .track ? track ?? album : album ?? track else { return nil }
        // A peak of samples: what the file says is all that is known.
        guard let peak, peak > 0 else { return gain }
        return min(gain, -20 * log10(peak))
    }

    /// The gain in dB from a measurement.
    ///
    /// - Parameters:
    ///   - loudness: the integrated loudness, in LUFS.
    ///   - truePeak: the highest peak between samples, in dB of full scale.
    /// - Returns: 0 for silence, whose loudness is no number or below −70 LUFS.
    public static func decibels(loudness: Double, truePeak: Double) -> Double {
        guard loudness >= -70, loudness < .infinity else { return 0 }
        let gain = targetLoudness - loudness
        return truePeak.isFinite ? min(gain, highestTruePeak - truePeak) : gain
    }
}
