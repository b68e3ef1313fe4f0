package import Explanations

/// The reason why bytes are not a waveform file.
package typealias WaveformFileError = Failure<WaveformFileErrorKind>

/// The kind of failure, to decide by.
package enum WaveformFileErrorKind: String, FailureKind, CaseIterable {
    /// The bytes are not a waveform file.
    case notWaveform
    /// Another version of Woodshed wrote the file.
    case unsupportedVersion
    /// The file is shorter than it should be.
    case truncated
    /// The file is longer than its header says.
    case trailingBytes
    /// The file is larger than all files that the cache may keep.
    case tooLarge
    /// A field of the header has a value outside the permitted values, or in conflict with other fields.
    case invalidField
    /// The file was changed after writing.
    case wrongChecksum
    /// The system could not read the file.
    case io
}

extension WaveformFileError {
    private init(_ kind: Kind, _ message: String) {
        self.init(kind, message, remedy: "Remove the file, and make the waveform again from the recording.")
    }

    static var notWaveform: WaveformFileError {
        WaveformFileError(
            .notWaveform, "the file is not a waveform of Woodshed",
            remedy: "Give a waveform file that Woodshed has written.")
    }

    static var truncated: WaveformFileError {
        WaveformFileError(.truncated, "the waveform is truncated: a part of the file is missing")
    }

    static var trailingBytes: WaveformFileError {
        WaveformFileError(.trailingBytes, "the waveform's file is longer than its content")
    }

    static var tooLarge: WaveformFileError {
        WaveformFileError(.tooLarge, "the waveform's file is larger than all that may be kept")
    }

    static var wrongChecksum: WaveformFileError {
        WaveformFileError(.wrongChecksum, "the waveform was damaged after it was written: its checksum does not fit")
    }

    static func unsupportedVersion(_ version: Int) -> WaveformFileError {
        WaveformFileError(
            .unsupportedVersion,
            "the waveform's file is of version \(version), and only \(WaveformFile.version) is known")
    }

    static func invalidField(_ name: String) -> WaveformFileError {
        WaveformFileError(.invalidField, "the header of the waveform's file is wrong: the \(name) is impossible")
    }

    static func io(errno code: Int32) -> WaveformFileError {
        let limit = SystemLimit(errno: code)
        return WaveformFileError(
            .io, "the waveform's file cannot be read (\(limit?.cause ?? systemText(code)))",
            remedy: limit?.remedy ?? "Check the disk.", status: limit?.exitStatus)
    }
}

extension WaveformFileErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus { self == .io ? .inputOutput : .badData }
}
