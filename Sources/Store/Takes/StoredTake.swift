public import AudioFiles

/// A take in the store: its file, what it was recorded against, and what the user said about it.
public struct StoredTake: Sendable, Hashable {
    /// Its number, from 1: the newest take has the highest. A number is never given again.
    public let number: Int
    /// Where its file is, from the root of the file system. While the take is in the trash, the file has another name: see `currentPath`.
    public let path: String
    /// Its length, rate, channels, date and device.
    public let sound: Sound
    /// What it was recorded against; nil for a recording of its own.
    public let model: Model?
    /// The name that the user gave it; empty for none.
    public let name: String
    /// The user's note; empty for none.
    public let note: String
    /// The user's rating, 1 (worst) to 5 (best); nil for none.
    public let rating: Int?
    /// When it was put into the trash, in seconds since 1970; nil if it is not there.
    public let trashedAt: Int64?
    /// Whether another take in the list has its path, too: the name was used again.
    var sharesPath = false
    /// Whether the file at its path is the other take's, and its own is gone. Only takes that a `PracticeStore` has returned tell.
    package internal(set) var isReplaced = false

    /// The properties of a take's sound.
    public struct Sound: Sendable, Hashable {
        /// When it was begun, in seconds since 1970.
        public var time: Int64
        /// Frames a second, above 0.
        public var sampleRate: Int
        /// Channels, above 0.
        public var channelCount: Int
        /// Its length in frames.
        public var frameCount: Int64
        /// The input that it came from, by a name that does not change when cards are plugged in; empty if it is not known.
        public var device: String

        /// Describes the sound of a take.
        public init(time: Int64, sampleRate: Int, channelCount: Int, frameCount: Int64, device: String = "") {
            precondition(
                sampleRate > 0 && channelCount > 0 && frameCount >= 0, "a take has a rate, channels and a length")
            (self.time, self.sampleRate, self.channelCount) = (time, sampleRate, channelCount)
            (self.frameCount, self.device) = (frameCount, device)
        }

        /// Its length in seconds.
        public var seconds: Double { Double(frameCount) / Double(sampleRate) }
    }

    /// What a take was recorded against, and where it lies on it.
    public struct Model: Sendable, Hashable {
        /// The recording.
        public var key: RecordingKey
        /// The identity of the saved section; nil for a loop or a range that was not saved.
        public var sectionID: Int?
        /// The name of the section when the take was recorded; empty for none.
        public var sectionName: String
        /// The range that was played, in frames of the recording's file.
        public var frames: Range<Int64>
        /// The pass that was played, from 1.
        public var pass: Int
        /// The speed that it was played at: 1 is the recording's own.
        public var speed: Double
        /// By how many semitones its pitch was changed.
        public var semitones: Double
        /// The frame of the take at which the first frame of the range was heard; negative if the take begins after it.
        public var start: Double
        /// How `start` is known.
        public var alignment: Alignment

        /// Describes a model.
        public init(
            key: RecordingKey, sectionID: Int? = nil, sectionName: String = "", frames: Range<Int64>, pass: Int = 1,
            speed: Double = 1, semitones: Double = 0, start: Double = 0, alignment: Alignment = .reported
        ) {
            (self.key, self.sectionID, self.sectionName, self.frames) = (key, sectionID, sectionName, frames)
            (self.pass, self.speed, self.semitones) = (pass, speed, semitones)
            (self.start, self.alignment) = (start, alignment)
        }
    }

    /// How the place of a take on its model is known.
    public enum Alignment: String, Sendable, Hashable, CaseIterable {
        /// The round trip of this set-up was measured: right to the frame.
        case measured
        /// The drivers reported their delays; converters, cables and air are not included.
        case reported
        /// The user gave an offset.
        case manual
    }

    /// Whether it is in the trash.
    public var isTrashed: Bool { trashedAt != nil }

    /// Where its file is now: `path`, or beside it and hidden while the take is in the trash.
    public var currentPath: String { isTrashed ? TakeTrash.path(of: path, number: number) : path }
}

/// Which takes to list; the newest comes first.
public struct TakeFilter: Sendable, Hashable {
    /// Only takes that were recorded against this recording; nil for all.
    public var key: RecordingKey?
    /// Only takes of this saved section; nil for all.
    public var sectionID: Int?
    /// Whether those in the trash are listed, instead of the others.
    public var isTrash: Bool
    /// At most this many; nil for all.
    public var limit: Int?

    /// A filter.
    public init(key: RecordingKey? = nil, sectionID: Int? = nil, isTrash: Bool = false, limit: Int? = nil) {
        (self.key, self.sectionID, self.isTrash, self.limit) = (key, sectionID, isTrash, limit)
    }
}

/// A change of what the user said about a take.
public enum TakeEdit: Sendable, Hashable {
    /// Sets the name; an empty text removes it.
    case rename(String)
    /// Sets the note; an empty text removes it.
    case note(String)
    /// Sets the rating, 1 to 5; nil removes it.
    case rate(Int?)
}
