package import AudioFiles
internal import Glibc

/// The gain that brings a recording to a common level: from the tags in its file, or from a measurement.
///
/// The target is −18 LUFS, the level of ReplayGain 2.0. All gains are in dB and are meant for `QueueSound.decibels`. No
/// gain lets a recording exceed full scale, as far as its peak is known. A gain by measurement leaves one dB of
/// headroom for converters, as EBU R 128 asks.
///
/// Real-time safe: no. Threads: any.
package enum LevelGain {
    /// The loudness that counts.
    package enum Scope: String, Sendable, Hashable, CaseIterable {
        /// All recordings have the same loudness.
        case track
        /// All albums have the same loudness. Quiet pieces within an album stay quiet.
        case album
    }

    /// Target loudness, from ReplayGain 2.0, in LUFS.
    package static let targetLoudness = -18.0
    /// Highest true peak after a gain by measurement, in dB of full scale: EBU R 128 leaves one dB to converters.
    package static let highestTruePeak = -1.0

    /// Returns the gain in dB from the tags of a file; nil if the tags contain no gain.
    ///
    /// - Parameters:
    ///   - tags: Tags of the file.
    ///   - scope: Preferred gain. Falls back to the gain of the other scope.
    package static func decibels(_ tags: LoudnessTags, _ scope: Scope = .track) -> Double? {
        let track = tags.trackGain.map { ($0, tags.trackPeak ?? tags.albumPeak) }
        let album = tags.albumGain.map { ($0, tags.albumPeak ?? tags.trackPeak) }
        guard let (gain, peak) = scope == .track ? track ?? album : album ?? track else { return nil }
        // The tagged peak is a sample peak: files contain no other peak.
        guard let peak, peak > 0 else { return gain }
        return min(gain, -20 * log10(peak))
    }

    /// Returns the gain in dB from a measurement.
    ///
    /// - Parameters:
    ///   - loudness: Integrated loudness, in LUFS.
    ///   - truePeak: Highest true peak, in dB of full scale.
    /// - Returns: Gain in dB; 0 for silence, with a loudness of NaN or below −70 LUFS.
    package static func decibels(loudness: Double, truePeak: Double) -> Double {
        guard loudness >= -70, loudness < .infinity else { return 0 }
        let gain = targetLoudness - loudness
        return truePeak.isFinite ? min(gain, highestTruePeak - truePeak) : gain
    }
}
