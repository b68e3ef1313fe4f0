internal import CSndFile

/// A target format for converting a finished take.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// FLAC, lossless: 16 bits for a take of 16 bits, 24 bits for all others.
    case flac
    /// Ogg Opus, at 48 kHz unless Opus supports the take's rate.
    case opus
    /// Ogg Vorbis.
    case ogg
    /// MP3, with one or two channels.
    case mp3
    /// AAC in an MP4 file, made by the program `ffmpeg`.
    case m4a

    /// File name extension of the format, without the dot.
    public var fileExtension: String { rawValue }

    /// True if the file gets the take's marks, as chapters: all formats except MP3.
    package var keepsMarks: Bool { self != .mp3 }

    /// Returns the sample rate in Hz for audio at `given` Hz: the same rate if the format supports it.
    package func sampleRate(for given: Int) -> Int {
        let highest = self == .m4a ? 96_000 : 48_000
        switch self {
        case .flac, .ogg: return given
        case .opus: return [8000, 12_000, 16_000, 24_000].contains(given) ? given : 48_000
        case .mp3, .m4a:
            let known = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000]
            if given <= highest, known.contains(given) { return given }
            // Otherwise the format's highest rate of the family of 44.1 or 48 kHz; 44.1 or 48 kHz for an odd rate
            // below.
            let nearest = given > highest ? highest : 48_000
            return given % 11_025 == 0 ? nearest / 160 * 147 : nearest
        }
    }

    /// Largest number of frames by which a file may exceed the input: AAC consists of whole packets.
    package var paddingFrames: Int64 { self == .m4a ? 2048 : 0 }

    /// Returns libsndfile's number for the format; nil for a format encoded by a program.
    package func soundFileFormat(isSixteenBit: Bool) -> Int32? {
        switch self {
        case .flac: Int32(Int(SF_FORMAT_FLAC) | Int(isSixteenBit ? SF_FORMAT_PCM_16 : SF_FORMAT_PCM_24))
        case .opus: Int32(Int(SF_FORMAT_OGG) | Int(SF_FORMAT_OPUS))
        case .ogg: Int32(Int(SF_FORMAT_OGG) | Int(SF_FORMAT_VORBIS))
        case .mp3: Int32(Int(SF_FORMAT_MPEG) | Int(SF_FORMAT_MPEG_LAYER_III))
        case .m4a: nil
        }
    }
}
