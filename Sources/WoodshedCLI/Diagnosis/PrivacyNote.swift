// User data kept by woodshed, and its places: `woodshed doctor --privacy`.
import AudioFiles
import JSON
import Terminal
import UserState

/// Every place with kept data.
struct PrivacyNote {
    struct Place {
        /// Path of the data; nil without a home.
        let path: String?
        let content: String
    }

    static let promise =
        "Everything stays on this computer, and nothing is reported to anybody. Woodshed connects to a server only when you tell it to fetch something or to ask a podcast, and to no other than that."
    /// Verbs that connect to servers.
    static let networkVerbs = ["get", "library subscribe", "library refresh"]

    let places: [Place]

    /// Creates the note with this user's places.
    ///
    /// - Parameter runtime: The value of XDG_RUNTIME_DIR.
    init(runtime: String?) {
        func place(_ folder: String?, _ name: String, _ content: String) -> Place {
            Place(path: folder.map { $0 + "/" + name }, content: content)
        }
        let (data, state) = (DataFolder.path, StateFolder.path)
        places = [
            place(
                data, "practice.db",
                "sections, positions, the lists of recordings, takes, fetches and podcasts, playlists, ratings, the practice log"
            ),
            place(
                data, "library",
                "recordings of the library, their documents, its trash, and parts of unfinished fetches"),
            place(data, "takes", "takes that were recorded over a loop"),
            place(state, "takes", "the list of unfinished takes"),
            place(state, UnlistedTakes.fileName, "takes that are not in the list yet"),
            place(state, "background.log", "messages of the last run in the background"),
            place(state, "fetches.log", "messages of the last fetch in the background"),
            place(state, "woodshed.log", "the log of runs, if --log-level or WOODSHED_LOG asked for a log"),
            place(state, "calibrations.json", "measured round trips of devices"),
            place(CacheFolder.path, "waveforms", "waveforms, which can be made again"),
            place(CacheFolder.path, "extracted.json", "addresses that your extractor found for videos, for some hours"),
            place(ConfigFolder.path, "woodshed.conf", "settings"),
            place(runtime, "woodshed", "sockets, while a run has --control socket"),
        ]
    }

    /// Data without a fixed place.
    static let elsewhere = [
        "Files of record, render and export are written where you name them, or in the current folder.",
        "Names and passwords for servers are read from ~/.netrc, and kept nowhere else.",
        "A program that you have set as extractor gets the addresses of videos; Woodshed does not control that program.",
        "A program that you have set as opener, or your desktop's, gets the document that you open, and nothing else.",
    ]

    var lines: [String] {
        let known = places.compactMap { place in place.path.map { (printable($0), place.content) } }
        let width = known.map { displayWidth($0.0) }.max() ?? 0
        return [Self.promise]
            + known.map { $0 + String(repeating: " ", count: width - displayWidth($0) + 2) + $1 } + Self.elsewhere
    }

    var json: JSONValue {
        .object([
            .init("v", .integer(1)), .init("network", .bool(false)),
            .init("network_verbs", .array(Self.networkVerbs.map { .string($0) })),
            .init(
                "places",
                .array(
                    places.map {
                        .object([
                            .init("path", $0.path.map { .string($0) } ?? .null), .init("content", .string($0.content)),
                        ])
                    })),
        ])
    }
}
