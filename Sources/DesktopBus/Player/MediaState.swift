/// What a player shows on the bus: a value that its owner publishes whenever something in it changes.
///
/// What is nil is not offered at all.
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

    /// What is possible now.
    package struct Abilities: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let next = Abilities(rawValue: 1)
        package static let previous = Abilities(rawValue: 2)
        package static let play = Abilities(rawValue: 4)
        package static let pause = Abilities(rawValue: 8)
        package static let seek = Abilities(rawValue: 16)
        /// Everything beside showing.
        package static let control = Abilities(rawValue: 32)
        package static let quit = Abilities(rawValue: 64)
        /// Play what a URI names.
        package static let open = Abilities(rawValue: 128)
        package static let editTracks = Abilities(rawValue: 256)
    }

    package var playback = Playback.stopped
    package var loop: Loop?
    package var shuffle: Bool?
    /// Microseconds of the recording in a microsecond of time; within `rates`.
    package var rate = 1.0
    package var rates = 1.0...1.0
    /// 1 is as recorded.
    package var volume: Double?
    /// How fast the position moves while it plays, if that is not `rate`: 0 in the rest after a pass, below 0 backwards.
    package var motion: Double?
    package var can: Abilities = []
    package var track: MediaTrack?
    /// The list that the track is in; nil if there is none.
    package var tracks: [MediaTrack]?

    package init() {}
}

/// A recording, as it is shown.
package struct MediaTrack: Equatable, Sendable {
    /// 0 and above; of a list each has its own.
    package var id: Int
    /// In microseconds; nil if it is not known.
    package var length: Int64?
    package var title: String?
    package var artists: [String] = []
    package var album: String?
    package var albumArtists: [String] = []
    package var genres: [String] = []
    package var number: Int?
    /// For what is played within it: a section, its number and name.
    package var comments: [String] = []
    /// As a URI.
    package var url: String?
    /// Of a picture.
    package var artURL: String?

    package init(id: Int) { self.id = id }

    /// Where its objects' paths begin.
    private static let prefix = "/org/woodshed/track/"
    /// The path that stands for no track.
    static let none = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

    /// Its name on the bus.
    package var path: String { Self.prefix + String(id) }

    /// The number in a name; nil if it is none of ours.
    static func id(ofPath path: String) -> Int? {
        guard path.hasPrefix(prefix), let id = Int(path.dropFirst(prefix.count)), MediaTrack(id: id).path == path,
            id >= 0
        else { return nil }
        return id
    }

    /// The URI of a file.
    ///
    /// - Parameter path: From the root on, in the file system's bytes, whether they are text or not.
    package static func url(ofPath path: some Sequence<UInt8>) -> String {
        // What RFC 3986 leaves as it is in a path.
        let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=:@".utf8)
        return "file://" + path.map { kept.contains($0) ? String(UnicodeScalar($0)) : percentEncoded($0) }.joined()
    }
}

/// What somebody wants of a player over the bus. The answer was given already; the state that is published next shows what has become of it.
package enum MediaRequest: Equatable, Sendable {
    case play
    case pause
    case playPause
    /// End the sound; the next `play` begins at the start of the track.
    case stop
    case next
    case previous
    /// Move by microseconds of the track; `MediaSeek` says where that leads.
    case seek(by: Int64)
    /// Go to a place of the track, in microseconds from 0 to its length.
    case goTo(Int64)
    /// Within the published rates.
    case setRate(Double)
    /// 0 and above.
    case setVolume(Double)
    case setLoop(MediaState.Loop)
    case setShuffle(Bool)
    /// A URI, of at most 4096 bytes.
    case open(String)
    case quit
    /// Add a URI behind the track with a number, or at the beginning.
    case addTrack(String, after: Int?, playsIt: Bool)
    case removeTrack(Int)
    case goToTrack(Int)
}

/// Where a move within a track leads.
package enum MediaSeek: Equatable, Sendable {
    /// Beyond the end: to what follows.
    case next
    /// To a place, in microseconds.
    case place(Int64)

    /// - Parameters:
    ///   - offset: In microseconds; any value.
    ///   - position: From which the move begins.
    ///   - length: Of the track; nil if it is not known.
    package init(by offset: Int64, from position: Int64, length: Int64?) {
        let (sum, overflows) = position.addingReportingOverflow(offset)
        let target = overflows ? (offset < 0 ? .min : .max) : sum
        if let length, target > length { self = .next } else { self = .place(max(0, target)) }
    }
}

/// What a player is called, and what it could play.
package struct MediaIdentity: Sendable {
    /// For people.
    package var name: String
    /// The last part of its name on the bus, and the name of its desktop file: letters, digits, `_` and `-`.
    package var shortName: String
    package var schemes: [String]
    package var mimeTypes: [String]

    package init(name: String, shortName: String, schemes: [String] = ["file"], mimeTypes: [String] = []) {
        (self.name, self.shortName, self.schemes, self.mimeTypes) = (name, shortName, schemes, mimeTypes)
    }
}
