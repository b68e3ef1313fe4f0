public import AudioFiles
internal import Files
package import Sections

/// A recording, as described by a program that has opened its file.
public struct PracticeRecording: Sendable, Hashable {
    /// Identifies the recording's sound.
    public let key: RecordingKey
    /// Frames per second of the recording's file, above 0.
    public let sampleRate: Int
    /// Length of the recording, in frames of its file.
    public let frameCount: Int64
    /// The title to show; empty if there is none.
    public var title: String
    /// Absolute path of the recording's file; nil without a file.
    public var path: String?
    /// The sections in the recording's file: cue points and chapters. These are the recording's sections until the
    /// first change, when the store copies them.
    package internal(set) var fileSections: [SectionDraft] = []
    /// The state of the file with this key; nil if a later change might leave the state as it is.
    var fileState: FileState?

    /// Creates a recording.
    ///
    /// - Parameters:
    ///   - key: Identifies the recording's sound.
    ///   - sampleRate: Frames per second of the recording's file, above 0.
    ///   - frameCount: Length in frames of the recording's file, 0 or more.
    ///   - title: The title to show.
    ///   - path: Absolute path of the recording's file.
    public init(key: RecordingKey, sampleRate: Int, frameCount: Int64, title: String = "", path: String? = nil) {
        precondition(sampleRate > 0 && frameCount >= 0, "a sample rate is positive, a length is not negative")
        (self.key, self.sampleRate, self.frameCount) = (key, sampleRate, frameCount)
        (self.title, self.path) = (title, path)
    }
}

/// A recording in a store, with its stored state.
public struct StoredRecording: Sendable, Hashable {
    /// The recording, with its title and path when last seen.
    public let recording: PracticeRecording
    /// Time when the recording was last seen, in seconds since 1970.
    public let lastSeen: Int64
    /// Position at which practice continues, as a frame of the file; nil for none.
    public let position: Int64?
    /// Settings for this recording: names of options and their values, as in `SavedSection.settings`.
    public let settings: [String: String]
    /// Number of the recording's sections.
    public let sectionCount: Int
}

extension RecordingKey {
    /// The key as 16 bytes, most significant first.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    package init?(bytes: [UInt8]) {
        guard bytes.count == 16, let high = bytes.big(at: 0, in: 0...UInt64.max),
            let low = bytes.big(at: 8, in: 0...UInt64.max)
        else { return nil }
        self.init(high: high, low: low)
    }
}
