public import AudioFiles
public import Practice

/// A recording in the library: where it is, and what is said about it.
public struct LibraryItem: Sendable, Hashable {
    /// How the library has a recording.
    public enum Place: String, Sendable, CaseIterable {
        /// In the library's own folder, under a name of its own.
        case kept
        /// Where the user has it.
        case linked
    }

    /// What a recording's file is.
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
    /// What its file is.
    public let kind: Kind
    /// Whether the library has a file of its own.
    public let place: Place
    /// Where the file is, from the root of the file system, unless somebody moved or removed it.
    public let path: String
    /// The name that the file had when it was added, without folders.
    public let originalName: String
    /// The length of the file in bytes when it was added.
    public let byteCount: Int64
    /// The kind of file and its coding, as in `AudioFileInfo`.
    public let container, codec: String
    /// Channels, above 0.
    public let channelCount: Int
    /// What is said about it.
    public let words: Words
    /// Its integrated loudness, and its true peak; nil if they were not measured.
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

    /// What is said about a recording. Each text is one line without control characters.
    public struct Words: Sendable, Hashable {
        /// The title; never empty in the library.
        public var title: String
        /// The performers; empty if they are not known.
        public var artist = ""
        /// The language that is spoken or sung, as a tag such as "de" or "pt-BR"; empty if none is told.
        public var language = ""
        /// The user's own tags, in their order.
        public var tags: [String] = []
        /// Where it is from: an address, or words; empty if it is not known.
        public var source = ""
        /// What may be done with it; empty if nothing is told.
        public var licence = ""

        /// Words with a title.
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

/// Which recordings of the library to list. Conditions are combined: what is listed fulfils them all.
public struct ItemFilter: Sendable, Hashable {
    /// Only what has words in its title, artist, tags, or in the name or text of a section, that begin as these; in scripts without spaces, that
    /// contain these. Upper and lower case and accents do not matter. Empty for all.
    public var text = ""
    /// Only with all of these tags, compared without regard to upper and lower case.
    public var tags: [String] = []
    /// Only with this artist, compared without regard to upper and lower case; nil for all.
    public var artist: String?
    /// Only in this language or a variant of it: "pt" includes "pt-BR"; nil for all.
    public var language: String?
    /// Only of this kind; nil for both.
    public var kind: LibraryItem.Kind?
    /// Only those that the library has in this way; nil for both.
    public var place: LibraryItem.Place?
    /// Only with saved sections, or only without; nil for both.
    public var hasSections: Bool?
    /// Whether those in the trash are listed, instead of the others.
    public var isTrash = false
    /// The order.
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
