public import AudioFiles
public import Store

/// A recording in the library: its file, and its description.
public struct LibraryItem: Sendable, Hashable {
    /// Place of a recording's file.
    public enum Place: String, Sendable, CaseIterable {
        /// In the library's own folder, under a name chosen by the library.
        case kept
        /// In the user's own folder.
        case linked
    }

    /// The kind of a recording's file.
    package enum Kind: String, Sendable, CaseIterable {
        /// Sound alone.
        case audio
        /// A video, whose sound is played.
        case video
    }

    /// Number of the recording, from 1. Never changes, and is never reused.
    public let number: Int
    /// Place in the library, from 1 for the latest addition. Changes with every added or removed recording.
    package internal(set) var index: Int
    /// The recording, with its key, rate and length.
    public let recording: PracticeRecording
    /// Kind of the file.
    package let kind: Kind
    /// Place of the file.
    public let place: Place
    /// Absolute path of the file, as last known to the library.
    public let path: String
    /// Name of the file when added, without folders.
    package let originalName: String
    /// Length of the file in bytes when added.
    public let byteCount: Int64
    /// The kind of file, as in `AudioFileInfo.container`.
    package let container: String
    /// Coding of the samples, as in `AudioFileInfo.codec`.
    package let codec: String
    /// Channels, above 0.
    package let channelCount: Int
    /// The title, the performers, tags and other descriptions.
    public let words: Words
    /// Integrated loudness and true peak; nil if not measured.
    public let loudness: Loudness?
    /// Time of addition, in seconds since 1970.
    public let addedAt: Int64
    /// Time of the last practice or playback, in seconds since 1970.
    public let seenAt: Int64
    /// Number of saved sections.
    public let sectionCount: Int
    /// Number of documents.
    package let documentCount: Int
    /// Time of removal to the trash, in seconds since 1970; nil if not in the trash.
    public let trashedAt: Int64?

    /// The description of a recording. Each text is one line without control characters.
    public struct Words: Sendable, Hashable {
        /// The title; never empty in the library.
        public var title: String
        /// Performers; empty if unknown.
        public var artist = ""
        /// Spoken or sung language, as a tag such as "de" or "pt-BR"; empty if unknown.
        public var language = ""
        /// The user's own tags, in their order.
        public var tags: [String] = []
        /// Origin of the recording: an address, or words; empty if unknown.
        public var source = ""
        /// Licence of the recording, in words; empty if unknown.
        public var licence = ""

        /// A description with only a title.
        package init(title: String) { self.title = title }
    }

    /// Loudness of a recording.
    public struct Loudness: Sendable, Hashable {
        /// The integrated loudness, in LUFS.
        public let integrated: Double
        /// The highest true peak of its channels, in dBTP.
        public let truePeak: Double

        /// A measured loudness.
        package init(integrated: Double, truePeak: Double) {
            (self.integrated, self.truePeak) = (integrated, truePeak)
        }
    }

    /// Key of the sound.
    public var key: RecordingKey { recording.key }
    /// True if in the trash.
    package var isTrashed: Bool { trashedAt != nil }
    /// Length in seconds.
    public var seconds: Double { Double(recording.frameCount) / Double(recording.sampleRate) }
}

/// Selects recordings of the library. A recording passes if it meets all conditions.
public struct ItemFilter: Sendable, Hashable {
    /// Words that begin words of the title, the artist, the tags, or the name or text of a section. In scripts without
    /// spaces, words that occur anywhere in such a text. Ignores upper and lower case and accents. Empty for all
    /// recordings.
    public var text = ""
    /// Only with all of these tags, ignoring upper and lower case.
    public var tags: [String] = []
    /// Only with this artist, ignoring upper and lower case; nil for all.
    public var artist: String?
    /// Only in this language or a variant: "pt" includes "pt-BR"; nil for all.
    package var language: String?
    /// Only of this kind; nil for both.
    package var kind: LibraryItem.Kind?
    /// Only recordings with files in this place; nil for both.
    package var place: LibraryItem.Place?
    /// True for recordings with saved sections, false for recordings without; nil for both.
    package var hasSections: Bool?
    /// True for recordings in the trash, false for all others.
    public var isTrash = false
    /// The order of the list.
    public var order = Order.added
    /// Maximum number of recordings; nil for all.
    public var limit: Int?

    /// An order of recordings.
    public enum Order: String, Sendable, CaseIterable {
        /// Latest addition first.
        case added
        /// Last practised or played first.
        case seen
        /// By title.
        case title
        /// By artist, then by title.
        case artist
        /// Longest first.
        case length
    }

    /// All recordings, latest addition first.
    public init() {}
}
