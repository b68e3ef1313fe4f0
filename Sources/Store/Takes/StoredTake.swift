public import AudioFiles

/// A take in the store: its file, its model, and the user's remarks.
public struct StoredTake: Sendable, Hashable {
    /// The take's number, from 1: the newest take has the highest. Numbers are never reused.
    public let number: Int
    /// Absolute path of the take's file. While the take is in the trash, the file has another name: see `currentPath`.
    public let path: String
    /// Length, rate, channels, date and device of the take.
    public let sound: Sound
    /// The model of the take; nil for a recording without a model.
    public let model: Model?
    /// The user's name for the take; empty for none.
    public let name: String
    /// The user's note; empty for none.
    public let note: String
    /// The user's rating, 1 (worst) to 5 (best); nil for none.
    public let rating: Int?
    /// Time when the take was moved to the trash, in seconds since 1970; nil outside of the trash.
    package let trashedAt: Int64?
    /// True if another take in the list has the same path: the name was reused.
    var sharesPath = false
    /// True if the file at the path belongs to another take, and the take's own file is gone. Set only for takes
    /// returned by a `PracticeStore`.
    package internal(set) var isReplaced = false

    /// The properties of a take's sound.
    public struct Sound: Sendable, Hashable {
        /// Start of the take, in seconds since 1970.
        public var time: Int64
        /// Frames per second, above 0.
        public var sampleRate: Int
        /// Number of channels, above 0.
        package var channelCount: Int
        /// Length of the take in frames.
        public var frameCount: Int64
        /// The input of the take, by a name that stays the same when cards are plugged in; empty if unknown.
        package var device: String

        /// Describes the sound of a take.
        package init(time: Int64, sampleRate: Int, channelCount: Int, frameCount: Int64, device: String = "") {
            precondition(
                sampleRate > 0 && channelCount > 0 && frameCount >= 0, "a take has a rate, channels and a length")
            (self.time, self.sampleRate, self.channelCount) = (time, sampleRate, channelCount)
            (self.frameCount, self.device) = (frameCount, device)
        }

        /// Length of the take in seconds.
        public var seconds: Double { Double(frameCount) / Double(sampleRate) }
    }

    /// The model of a take, and the position of the take relative to the model.
    public struct Model: Sendable, Hashable {
        /// The recording.
        public var key: RecordingKey
        /// The identity of the saved section; nil for a loop or a range that was not saved.
        public var sectionID: Int?
        /// The name of the section when the take was recorded; empty for none.
        public var sectionName: String
        /// The played range, in frames of the recording's file.
        public var frames: Range<Int64>
        /// The played pass, from 1.
        public var pass: Int
        /// The speed of playback: 1 is the recording's own speed.
        public var speed: Double
        /// The change of pitch in semitones.
        public var semitones: Double
        /// The frame of the take at which the first frame of the range was heard; negative if the take begins after
        /// this frame.
        public var start: Double
        /// The source of `start`.
        package var alignment: Alignment

        /// Describes a model.
        package init(
            key: RecordingKey, sectionID: Int? = nil, sectionName: String = "", frames: Range<Int64>, pass: Int = 1,
            speed: Double = 1, semitones: Double = 0, start: Double = 0, alignment: Alignment = .reported
        ) {
            (self.key, self.sectionID, self.sectionName, self.frames) = (key, sectionID, sectionName, frames)
            (self.pass, self.speed, self.semitones) = (pass, speed, semitones)
            (self.start, self.alignment) = (start, alignment)
        }
    }

    /// The source of a take's position on its model.
    public enum Alignment: String, Sendable, Hashable, CaseIterable {
        /// Measured round trip of this set-up: exact to the frame.
        case measured
        /// Delays reported by the drivers; converters, cables and air are not included.
        case reported
        /// An offset given by the user.
        case manual
    }

    /// True if the take is in the trash.
    public var isTrashed: Bool { trashedAt != nil }

    /// Current path of the take's file: `path`, or a hidden name beside it while the take is in the trash.
    public var currentPath: String { isTrashed ? TakeTrash.path(of: path, number: number) : path }
}

extension StoredTake {
    /// Returns words for the takes with these numbers, such as "take 4" and "takes 1-3, 7".
    static func words(_ numbers: [Int]) -> String {
        var runs: [ClosedRange<Int>] = []
        for number in numbers.sorted() {
            if let last = runs.last, last.upperBound &+ 1 == number {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        let texts = runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        return "\(numbers.count == 1 ? "take" : "takes") \(texts.joined(separator: ", "))"
    }
}

/// Selects takes for a list; the newest comes first.
public struct TakeFilter: Sendable, Hashable {
    /// Only takes recorded against this recording; nil for all.
    package var key: RecordingKey?
    /// Only takes of this saved section; nil for all.
    package var sectionID: Int?
    /// True to list only the takes in the trash; false to list only the other takes.
    package var isTrash: Bool
    /// At most this many; nil for all.
    package var limit: Int?

    /// Creates a filter.
    public init(key: RecordingKey? = nil, sectionID: Int? = nil, isTrash: Bool = false, limit: Int? = nil) {
        (self.key, self.sectionID, self.isTrash, self.limit) = (key, sectionID, isTrash, limit)
    }
}

/// A change of the user's remarks on a take.
public enum TakeEdit: Sendable, Hashable {
    /// Sets the name; an empty text removes the name.
    case rename(String)
    /// Sets the note; an empty text removes the note.
    case note(String)
    /// Sets the rating, 1 to 5; nil removes the rating.
    case rate(Int?)
}
