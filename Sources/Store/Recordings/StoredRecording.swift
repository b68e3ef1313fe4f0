public import AudioFiles
internal import Files
public import Sections

/// A recording as a program that has opened it knows it.
public struct PracticeRecording: Sendable, Hashable {
    /// Identifies its sound.
    public let key: RecordingKey
    /// Frames a second of its file, above 0.
    public let sampleRate: Int
    /// Its length in frames of its file.
    public let frameCount: Int64
    /// The title to show; empty if there is none.
    public var title: String
    /// Where its file is, from the root of the file system; nil if it is in no file.
    public var path: String?
    /// The sections that its file brings along: cue points and chapters. They are the recording's sections until the user changes one;
    /// the store takes them over with the first change.
    public internal(set) var fileSections: [SectionDraft] = []
    /// The state in which its file has this key; nil if a later change might not show in it.
    var fileState: FileState?

    /// A recording.
    ///
    /// - Parameters:
    ///   - key: Identifies its sound.
    ///   - sampleRate: Frames a second of its file, above 0.
    ///   - frameCount: Its length in frames of its file, 0 or more.
    ///   - title: The title to show.
    ///   - path: Where its file is.
    public init(key: RecordingKey, sampleRate: Int, frameCount: Int64, title: String = "", path: String? = nil) {
        precondition(sampleRate > 0 && frameCount >= 0, "a sample rate is positive, a length is not negative")
        (self.key, self.sampleRate, self.frameCount) = (key, sampleRate, frameCount)
        (self.title, self.path) = (title, path)
    }
}

/// A recording that a store knows, with what is remembered of it.
public struct StoredRecording: Sendable, Hashable {
    /// The recording, with the title and the path that it had when it was last seen.
    public let recording: PracticeRecording
    /// When it was last seen, in seconds since 1970.
    public let lastSeen: Int64
    /// Where practising goes on, as a frame of its file; nil if nothing is remembered.
    public let position: Int64?
    /// Settings for this recording: names of options and their values, as in `SavedSection.settings`.
    public let settings: [String: String]
    /// The number of its sections.
    public let sectionCount: Int
}

extension RecordingKey {
    /// 16 bytes, the highest first.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(bytes[..<8]), low: half(bytes[8...]))
    }
}
