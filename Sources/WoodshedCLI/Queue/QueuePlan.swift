// Resolves the words of `woodshed play` to a single recording or to a queue.
import ArgumentParser
import Files
import Terminal
import TextFormats
import WoodshedLibrary

/// Options of a queue of recordings.
struct QueueOptions: ParsableArguments {
    @Flag(name: .long, help: "Play several recordings in random order.")
    var shuffle = false

    @Option(
        name: .long, help: .init("Repeat one recording, or all.", valueName: "what"))
    var `repeat`: QueueRepeatText?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Crossfade between recordings, 0 to 60 s. (default: 0)", valueName: "s"),
        transform: { text in
            guard let seconds = decimal(text), seconds <= 60 else {
                throw ArgumentError.unreadable(text, as: "a crossfade", remedy: "Write seconds from 0 to 60.")
            }
            return seconds
        })
    var crossfade: Double?

    @Option(name: .long, help: .init("Match the loudness by track, by album, or not. (default: off)", valueName: "how"))
    var level: LevelText?

    /// True if any option is given: even a single recording then plays as a queue.
    var isGiven: Bool { shuffle || `repeat` != nil || crossfade != nil || (level ?? .off) != .off }
}

/// Repeat mode, as typed.
enum QueueRepeatText: String, CaseIterable, ExpressibleByArgument {
    case one
    case all
}

/// Loudness levelling, as typed.
enum LevelText: String, CaseIterable, ExpressibleByArgument {
    case track
    case album
    case off
}

/// A recording in a queue.
struct QueueEntry: Sendable, Equatable {
    let path: String
    let title: String
    var artist = ""
    /// Measured loudness; nil without a measurement.
    var loudness: LibraryItem.Loudness?
}

/// Meaning of the words of `play`.
enum QueuePlan {
    /// A single recording, by its file.
    case one(String)
    /// Several recordings in a queue.
    case row([QueueEntry])

    /// - Parameter isRow: True to make a queue of a single recording, because queue options are given.
    init(_ words: [String], isRow: Bool) throws {
        if let entries = try Self.row(words) {
            if entries.isEmpty {
                throw CommandFailure(
                    .notFound, "'\(words.joined(separator: " "))' contains no recording",
                    remedy: "Name a file, a folder or a playlist with recordings.")
            }
            self = .row(entries)
            return
        }
        let file = try RecordingWord.file(words)
        self = isRow ? .row([Self.entry(file, try? Self.known())]) : .one(file)
    }

    /// Returns the recordings of a queue; nil if the words mean a single recording.
    private static func row(_ words: [String]) throws -> [QueueEntry]? {
        let text = words.joined(separator: " ")
        let areThere = words.map(isThere)
        if words.count == 1 || !areThere.contains(true), !isThere(text), TakeWord.newest(text) == nil,
            !looksLikePath(text)
        {
            let library = try RecordingLibrary(PracticeStore(.user))
            if let playlist = try library.playlist(named: text) {
                return try library.entries(of: playlist).filter { !$0.item.isTrashed }.map { entry($0.item) }
            }
        }
        guard words.count > 1 || isFolder(text) || isList(text) else { return nil }
        // The words belong to a single title, unless each word is a file, a folder, a list or `@N`.
        guard zip(words, areThere).allSatisfy({ $1 || TakeWord.newest($0) != nil }) else {
            if areThere.contains(true), let missing = zip(words, areThere).first(where: { !$1 })?.0 {
                throw CommandFailure(
                    .notFound, "there is no file '\(missing)'",
                    remedy: "Name files, or write the words of one title without a file among them.")
            }
            return nil
        }
        let library = try known()
        return try words.flatMap { word -> [QueueEntry] in
            if isFolder(word) {
                return try FolderSearch.files(in: [word], besides: "").found.filter(isRecording).map {
                    entry($0, library)
                }
            }
            if isList(word) { return try list(word, library) }
            return [entry(try RecordingWord.file(word), library)]
        }
    }

    /// Returns the library's recordings by path, for titles and levels.
    private static func known() throws -> [String: LibraryItem] {
        let items = try RecordingLibrary(PracticeStore(.user)).items()
        return Dictionary(items.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func entry(_ path: String, _ library: [String: LibraryItem]?) -> QueueEntry {
        if let item = library?[FileName.absolute(path) ?? path] { return entry(item) }
        return QueueEntry(path: path, title: fileName(path))
    }

    private static func entry(_ item: LibraryItem) -> QueueEntry {
        QueueEntry(path: item.path, title: item.words.title, artist: item.words.artist, loudness: item.loudness)
    }

    private static func list(_ file: String, _ library: [String: LibraryItem]) throws -> [QueueEntry] {
        try PlaylistReading.list(file).entries.compactMap { item in
            guard case .file(let path) = item.location else { return nil }
            var entry = entry(path, library)
            if library[path] == nil, let title = item.title {
                entry = QueueEntry(path: path, title: title, artist: item.artist ?? "")
            }
            return entry
        }
    }

    private static func isThere(_ path: String) -> Bool {
        unsafe FileState(FileName.systemName(path)) != nil || isFolder(path)
    }
    private static func isFolder(_ path: String) -> Bool { (try? FileName.names(in: path)) != nil }
    private static func isList(_ path: String) -> Bool {
        let ending = fileName(path).split(separator: ".").dropFirst().last.map(String.init) ?? ""
        return PlaylistFile.Format(pathExtension: ending) != nil && isThere(path)
    }
    private static func looksLikePath(_ word: String) -> Bool { word.isEmpty || word.contains("/") }

    /// Returns true if a file in a folder has a recording's name extension. A cover image is not worth an error.
    private static func isRecording(_ path: String) -> Bool {
        let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return [
            "wav", "wave", "aif", "aiff", "aifc", "caf", "au", "w64", "flac", "ogg", "oga", "opus", "mp3", "m4a", "m4b",
            "mp4",
            "aac", "mka", "mkv", "webm", "mov",
        ].contains(ending)
    }
}

/// Reads lists of other players.
enum PlaylistReading {
    /// Reads the list in a file.
    static func list(_ file: String) throws -> PlaylistFile {
        let bytes: [UInt8]
        do throws(FileFault) {
            let opened = try unsafe RegularFile(FileName.systemName(file))
            bytes = try FileBytes.bytes(of: opened.descriptor, count: PlaylistFile.largest + 1)
        } catch {
            throw AudioFileError.reading(file, errno: error.code)
        }
        return try PlaylistFile(
            reading: bytes, name: file, folder: FilePlace.folder(of: FileName.absolute(file) ?? file),
            exists: { unsafe FileState(FileName.systemName($0)) != nil })
    }
}
