public import AudioFiles
public import Store

/// A recording in the library: its file, and its description.
public struct LibraryItem: Sendable, Hashable {
    /// Where the file of a recording is kept.
    public enum Place: String, Sendable, CaseIterable {
        /// In the library's own folder, under a name of its own.
        case kept
        /// Where the user has it.
        case linked
    }

    /// The kind of a recording's file.
    public enum Kind: String, Sendable, CaseIterable {
        /// Sound alone.
        case audio
        /// A video, whose sound is played.
        case video
    }

    /// Its number, from 1, which stays the same and is never given again.
    public let number: Int
    /// Its place in the library from 1: the one that was added last is 1. It changes with every recording that is added or removed.
    public internal(set) var index: Int
    /// The recording, with its key, rate and length.
    public let recording: PracticeRecording
    /// The kind of its file.
    public let kind: Kind
    /// Where its file is kept.
    public let place: Place
    /// The path of the file, from the root of the file system, as it was when the library last knew it.
    public let path: String
    /// The name that the file had when it was added, without folders.
    public let originalName: String
    /// The length of the file in bytes when it was added.
    public let byteCount: Int64
    /// The kind of file, as in `AudioFileInfo.container`.
    public let container: String
    /// How the samples are coded, as in `AudioFileInfo.codec`.
    public let codec: String
    /// Channels, above 0.
    public let channelCount: Int
    /// The title, the performers, tags and other descriptions.
    public let words: Words
    /// Its integrated loudness and its true peak; nil if they were not measured.
    public let loudness: Loudness?
    /// When it was added, in seconds since 1970.
    public let addedAt: Int64
    /// When it was practised or played last, in seconds since 1970.
    public let seenAt: Int64
    /// The number of its saved sections.
    public let sectionCount: Int
    /// The number of the documents that belong to it.
    public let documentCount: Int
    /// When it was put into the trash, in seconds since 1970; nil if it is not there.
    public let trashedAt: Int64?

    /// The description of a recording. Each text is one line without control characters.
    public struct Words: Sendable, Hashable {
        /// The title; never empty in the library.
        public var title: String
        /// The performers; empty if they are not known.
        public var artist = ""
        /// The language that is spoken or sung, as a tag such as "de" or "pt-BR"; empty if it is not known.
        public var language = ""
        /// The user's own tags, in their order.
        public var tags: [String] = []
        /// Where the recording comes from: an address, or words; empty if it is not known.
        public var source = ""
        /// The licence of the recording, in words; empty if it is not known.
        public var licence = ""

        /// A description with a title, and nothing else.
        public init(title: String) { self.title = title }
    }

    /// How loud a recording is.
    public struct Loudness: Sendable, Hashable {
        /// The integrated loudness, in LUFS.
        public let integrated: Double
        /// The highest true peak of its channels, in dBTP.
        public let truePeak: Double

        /// A measured loudness.
        public init(integrated: Double, truePeak: Double) {
            (self.integrated, self.truePeak) = (integrated, truePeak)
        }
    }

    /// Identifies its sound.
    public var key: RecordingKey { recording.key }
    /// Whether it is in the trash.
    public var isTrashed: Bool { trashedAt != nil }
    /// Its length in seconds.
    public var seconds: Double { Double(recording.frameCount) / Double(recording.sampleRate) }
}

/// Which recordings of the library to list. A recording is listed if it meets all conditions.
public struct ItemFilter: Sendable, Hashable {
    /// Words with which words of the title, the artist, the tags, or the name or text of a section begin; in scripts without spaces, words that
    /// these contain. Upper and lower case and accents do not matter. Empty for all recordings.
    public var text = ""
    /// Only with all of these tags, compared without regard to upper and lower case.
    public var tags: [String] = []
    /// Only with this artist, compared without regard to upper and lower case; nil for all.
    public var artist: String?
    /// Only in this language or a variant of it: "pt" includes "pt-BR"; nil for all.
    public var language: String?
    /// Only of this kind; nil for both.
    public var kind: LibraryItem.Kind?
    /// Only recordings whose file is kept in this way; nil for both.
    public var place: LibraryItem.Place?
    /// Only with saved sections, or only without; nil for both.
    public var hasSections: Bool?
    /// Whether those in the trash are listed, instead of the others.
    public var isTrash = false
    /// The order of the list.
    public var order = Order.added
    /// At most this many; nil for all.
    public var limit: Int?

    /// An order of recordings.
    public enum Order: String, Sendable, CaseIterable {
        /// The last added first.
        case added
        /// The last practised or played first.
        case seen
        /// By title.
        case title
        /// By artist, then by title.
        case artist
        /// The longest first.
        case length
    }

    /// All recordings, the last added first.
    public init() {}
}
