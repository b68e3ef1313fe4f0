// The format of an output file for rendering or playing.

/// Kind and sample format of an output file. Every existing `FileFormat` can be written.
public struct FileFormat: Sendable, Hashable {
    /// Kind of file; nil for WAV.
    package let export: ExportFormat?
    /// Sample format; nil for lossy kinds: Opus, Ogg Vorbis and MP3.
    package let samples: WaveSampleFormat?

    /// Returns the format of a WAV file. Real-time safe: yes.
    public static func wave(_ samples: WaveSampleFormat = .float32) -> FileFormat {
        FileFormat(export: nil, samples: samples)
    }

    private init(export: ExportFormat?, samples: WaveSampleFormat?) {
        (self.export, self.samples) = (export, samples)
    }

    /// Chooses the format by a file's name: `.flac`, `.opus`, `.ogg` or `.oga` (Vorbis), `.mp3`. Chooses WAV for
    /// `.wav` and for a name without an extension.
    ///
    /// - Parameters:
    ///   - path: The name; the file need not exist.
    ///   - samples: The sample format; nil for the highest precision: 32-bit floating point in WAV, 24 bits in FLAC.
    /// - Throws: `.invalidRequest` for any other extension, such as `.m4a`, or if the kind does not support the sample
    ///   format.
    ///
    /// Real-time safe: no.
    public init(named path: String, samples: WaveSampleFormat? = nil) throws(AudioFileError) {
        let ending = Self.ending(of: path)
        guard let export = Self.kinds[ending] else {
            guard ending.isEmpty || ending == "wav" else {
                throw AudioFileError(
                    .invalidRequest, path: path, "\(path): .\(ending) files cannot be written",
                    remedy:
                        "Choose a name that ends in .wav, .flac, .opus, .ogg or .mp3; ffmpeg converts .flac files to other formats."
                )
            }
            self.init(export: nil, samples: samples ?? .float32)
            return
        }
        guard export == .flac else {
            if samples != nil {
                throw AudioFileError(
                    .invalidRequest, path: path, "\(path): the bits per sample of .\(ending) files cannot be chosen",
                    remedy: "Leave out the bits, or choose a name that ends in .wav or .flac.")
            }
            self.init(export: export, samples: nil)
            return
        }
        let stored = samples ?? .int24
        guard [.int16, .int24].contains(stored) else {
            throw AudioFileError(
                .invalidRequest, path: path, "\(path): FLAC holds 16 or 24 bits per sample, not 32",
                remedy: "Ask for 16 or 24 bits, or choose a name that ends in .wav.")
        }
        self.init(export: export, samples: stored)
    }

    private static let kinds: [String: ExportFormat] = [
        "flac": .flac, "opus": .opus, "ogg": .ogg, "oga": .ogg, "mp3": .mp3,
    ]

    /// Extensions of other audio formats, for which this type has no writer.
    private static let unwritten: Set<String> = [
        "aac", "ac3", "aif", "aifc", "aiff", "alac", "amr", "ape", "au", "avi", "caf", "dts", "m4a", "m4b", "m4v",
        "mka",
        "mkv", "mov", "mp2", "mp4", "mpc", "pcm", "raw", "snd", "spx", "tta", "voc", "w64", "webm", "wma", "wv",
    ]

    /// Returns true if an ending, in lower case, belongs to an audio format. Version 0.2.0 also wrote WAV files under
    /// other endings.
    package static func isOfRecording(_ ending: String) -> Bool {
        ending == "wav" || kinds[ending] != nil || unwritten.contains(ending)
    }

    /// Returns the part of a name after the last dot, in lower case; empty if there is no dot.
    package static func ending(of path: String) -> String {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Returns the sample rate in Hz for audio at `given` Hz: the same rate if the format supports it. WAV and FLAC
    /// always keep the rate; an Opus file of a song mostly has 48000. Real-time safe: yes.
    package func sampleRate(for given: Int) -> Int { export?.sampleRate(for: given) ?? given }

    /// Name of the kind of file, such as `WAV` or `Ogg Opus`.
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
    /// Description such as `FLAC, 24 bits` or `MP3`.
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
