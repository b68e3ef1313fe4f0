// What a file becomes that sound is played or rendered into.

/// The kind of a file to be written, and how it stores its samples. A format that exists can be written.
public struct FileFormat: Sendable, Hashable {
    /// The kind of file; nil for WAV.
    public let export: ExportFormat?
    /// How its samples are stored; nil for kinds that keep no samples: Opus, Ogg Vorbis and MP3.
    public let samples: WaveSampleFormat?

    /// A WAV file. Real-time safe: yes.
    public static func wave(_ samples: WaveSampleFormat = .float32) -> FileFormat {
        FileFormat(export: nil, samples: samples)
    }

    private init(export: ExportFormat?, samples: WaveSampleFormat?) {
        (self.export, self.samples) = (export, samples)
    }

    /// The format that a file's name asks for: `.flac`, `.opus`, `.ogg` or `.oga` (Vorbis), `.mp3`; for `.wav`, for a name
    /// without an ending and for an ending that belongs to no kind of audio, WAV.
    ///
    /// - Parameters:
    ///   - path: the name; nothing is looked for there.
    ///   - samples: how to store samples; nil for what keeps most: 32-bit floating point in WAV, 24 bits in FLAC.
    /// - Throws: `.invalidRequest` when the ending belongs to a kind that is not written, such as M4A, or the kind does not
    ///   store samples so.
    ///
    /// Real-time safe: no.
    public init(named path: String, samples: WaveSampleFormat? = nil) throws(AudioFileError) {
        let ending = Self.ending(of: path)
        guard let export = Self.kinds[ending] else {
            if Self.unwritten.contains(ending) {
                throw AudioFileError(
                    .invalidRequest, path: path, "\(path): .\(ending) files are not written here",
                    remedy:
                        "Choose a name that ends in .wav, .flac, .opus, .ogg or .mp3; ffmpeg makes others of a .flac.")
            }
            self.init(export: nil, samples: samples ?? .float32)
            return
        }
        guard export == .flac else {
            if samples != nil {
                throw AudioFileError(
                    .invalidRequest, path: path, "\(path): .\(ending) files have no bits a sample to choose",
                    remedy: "Leave out the bits, or choose a name that ends in .wav or .flac.")
            }
            self.init(export: export, samples: nil)
            return
        }
        let stored = samples ?? .int24
        guard [.int16, .int24].contains(stored) else {
            throw AudioFileError(
                .invalidRequest, path: path, "\(path): FLAC holds 16 or 24 bits a sample, not 32",
                remedy: "Ask for 16 or 24 bits, or choose a name that ends in .wav.")
        }
        self.init(export: export, samples: stored)
    }

    private static let kinds: [String: ExportFormat] = [
        "flac": .flac, "opus": .opus, "ogg": .ogg, "oga": .ogg, "mp3": .mp3,
    ]

    /// Endings that promise another kind of audio than WAV, which a file of that name would not be.
    private static let unwritten: Set<String> = [
        "aac", "ac3", "aif", "aifc", "aiff", "alac", "amr", "ape", "au", "avi", "caf", "dts", "m4a", "m4b", "m4v",
        "mka",
        "mkv", "mov", "mp2", "mp4", "mpc", "pcm", "raw", "snd", "spx", "tta", "voc", "w64", "webm", "wma", "wv",
    ]

    /// What stands behind the last dot of a name, in small letters; empty for a name without one.
    private static func ending(of path: String) -> String {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// The rate in Hz at which such a file holds sound of `given` Hz: the same where the format knows it, so in WAV and FLAC
    /// always; an Opus file of a song mostly has 48000. Real-time safe: yes.
    package func sampleRate(for given: Int) -> Int { export?.sampleRate(for: given) ?? given }

    /// The kind of file in its own name, such as `WAV` or `Ogg Opus`.
    var kindName: String {
        switch export {
        case nil: "WAV"
        case .flac: "FLAC"
        case .opus: "Ogg Opus"
        case .ogg: "Ogg Vorbis"
        case .mp3: "MP3"
        case .m4a: "M4A"
        }
    }
}

extension FileFormat: CustomStringConvertible {
    /// Such as `FLAC, 24 bits` or `MP3`.
    public var description: String {
        switch samples {
        case nil: kindName
        case .float32: "\(kindName), 32-bit float"
        case .int16: "\(kindName), 16 bits"
        case .int24: "\(kindName), 24 bits"
        case .int32: "\(kindName), 32 bits"
        }
    }
}
