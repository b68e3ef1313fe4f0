internal import Files

/// The state of a player on the bus: a value that the owner publishes after each change.
///
/// Nil values are not offered at all.
package struct MediaState: Equatable, Sendable {
    package enum Playback: String, CaseIterable, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    package enum Loop: String, CaseIterable, Sendable {
        case none = "None"
        case track = "Track"
        case playlist = "Playlist"
    }

    /// The actions possible now.
    package struct Abilities: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let next = Abilities(rawValue: 1)
        package static let previous = Abilities(rawValue: 2)
        package static let play = Abilities(rawValue: 4)
        package static let pause = Abilities(rawValue: 8)
        package static let seek = Abilities(rawValue: 16)
        /// All control; without this ability programs can only read the state.
        package static let control = Abilities(rawValue: 32)
        package static let quit = Abilities(rawValue: 64)
        /// Plays the recording at a URI.
        package static let open = Abilities(rawValue: 128)
        package static let editTracks = Abilities(rawValue: 256)
    }

    package var playback = Playback.stopped
    package var loop: Loop?
    package var shuffle: Bool?
    /// Microseconds of the recording per microsecond of time; within `rates`.
    package var rate = 1.0
    package var rates = 1.0...1.0
    /// 1 is as recorded.
    package var volume: Double?
    /// Speed of the position during playback, if different from `rate`: 0 in the rest after a pass, below 0 backwards.
    package var motion: Double?
    package var can: Abilities = []
    package var track: MediaTrack?
    /// The list that contains the track; nil if there is none.
    package var tracks: [MediaTrack]?

    package init() {}
}

/// A recording, as shown to programs.
package struct MediaTrack: Equatable, Sendable {
    /// 0 and above; unique within a list.
    package var id: Int
    /// Length in microseconds; nil if unknown.
    package var length: Int64?
    package var title: String?
    package var artists: [String] = []
    package var album: String?
    package var albumArtists: [String] = []
    package var genres: [String] = []
    package var number: Int?
    /// The current place within the recording: a section, its number and name.
    package var comments: [String] = []
    /// The recording's URI.
    package var url: String?
    /// The URI of a picture.
    package var artURL: String?

    package init(id: Int) { self.id = id }

    /// The beginning of the paths of track objects.
    private static let prefix = "/org/woodshed/track/"
    /// The path that means no track.
    static let none = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    /// The track's name on the bus.
    package var path: String { Self.prefix + String(id) }

    /// Returns the number in a name; nil for a foreign name.
    static func id(ofPath path: String) -> Int? {
        guard path.hasPrefix(prefix), let id = Int(path.dropFirst(prefix.count)), MediaTrack(id: id).path == path,
            id >= 0
        else { return nil }
        return id
    }

    /// Returns the URI of a file.
    ///
    /// - Parameter path: The absolute path, in the file system's bytes, which need not be text.
    package static func url(ofPath path: some Sequence<UInt8>) -> String {
        // The characters left unescaped in a path by RFC 3986.
        "file://" + PercentText.encoded(path, keeping: "/!$&'()*+,;=:@")
    }
}

/// A request to a player over the bus. The caller already has an answer; the next published state shows the result.
package enum MediaRequest: Equatable, Sendable {
    case play
    case pause
    case playPause
    /// Stop the sound; the next `play` begins at the start of the track.
    case stop
    case next
    case previous
    /// Move by microseconds of the track; `MediaSeek` computes the target.
    case seek(by: Int64)
    /// Go to a place in the track, in microseconds from 0 to its length.
    case goTo(Int64)
    /// Set a rate within the published rates.
    case setRate(Double)
    /// Set a volume of 0 or above.
    case setVolume(Double)
    case setLoop(MediaState.Loop)
    case setShuffle(Bool)
    /// Open a URI of at most 4096 bytes.
    case open(String)
    case quit
    /// Add a URI behind the track with a number, or at the beginning.
    case addTrack(String, after: Int?, playsIt: Bool)
    case removeTrack(Int)
    case goToTrack(Int)
}

/// The target of a move within a track.
package enum MediaSeek: Equatable, Sendable {
    /// Beyond the end: the next track.
    case next
    /// A place, in microseconds.
    case place(Int64)

    /// - Parameters:
    ///   - offset: The distance in microseconds; any value.
    ///   - position: The start of the move.
    ///   - length: The length of the track; nil if unknown.
    package init(by offset: Int64, from position: Int64, length: Int64?) {
        let (sum, overflows) = position.addingReportingOverflow(offset)
        let target = overflows ? (offset < 0 ? .min : .max) : sum
        if let length, target > length { self = .next } else { self = .place(max(0, target)) }
    }
}

/// The names of a player, and the supported kinds of files.
package struct MediaIdentity: Sendable {
    /// The name for people.
    package var name: String
    /// The last part of the name on the bus, and the name of the desktop file: letters, digits, `_` and `-`.
    package var shortName: String
    package var schemes: [String]
    package var mimeTypes: [String]

    package init(name: String, shortName: String, schemes: [String] = ["file"], mimeTypes: [String] = []) {
        (self.name, self.shortName, self.schemes, self.mimeTypes) = (name, shortName, schemes, mimeTypes)
    }
}
