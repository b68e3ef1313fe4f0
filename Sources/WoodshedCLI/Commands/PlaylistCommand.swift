// `woodshed playlist`: lists of recordings, in an order of the user's.
import ArgumentParser
import Explanations
import Files
import JSON
import Terminal
import TextFormats
import WoodshedLibrary

struct PlaylistCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "playlist",
        abstract: "List and edit playlists: recordings to play one after another.",
        discussion: """
            EXAMPLES
              woodshed playlist                              list all playlists
              woodshed playlist create "Warm up"
              woodshed playlist add "Warm up" @1 @2 "blue bossa" scale.flac
              woodshed playlist "Warm up"                    list its recordings
              woodshed playlist move "Warm up" 3 1           the third becomes the first
              woodshed playlist remove "Warm up" 2
              woodshed playlist rename "Warm up" Monday
              woodshed playlist delete Monday                keep its recordings
              woodshed playlist import list.m3u8             also .m3u, .pls and .xspf
              woodshed playlist export Monday list.xspf
              woodshed play Monday

            A file outside the library is added to the library as a link.
            """)

    @Argument(
        help: .init(
            "A playlist; or an action: list, create, add, remove, move, rename, delete, import or export, with its arguments.",
            valueName: "word"),
        completion: .list(PlaylistAction.allCases.map(\.rawValue)))
    var words: [String] = []

    @OptionGroup var messages: MessageOptions

    func perform() throws {
        var (action, words) = PlaylistAction.parsed(words)
        if action == .create, words.isEmpty, Question.canBeAsked,
            let name = Question.answer(to: "The name of the playlist, or Enter for none:")
        {
            words = [name]
        }
        guard action.wordCount.contains(words.count) else {
            throw CommandFailure(
                .usage,
                "'\(action.rawValue)' takes \(words.count < action.wordCount.lowerBound ? "more" : "fewer") words",
                remedy: "Write: woodshed playlist \(action.usage)")
        }
        let library = try RecordingLibrary(PracticeStore(.user))
        defer { library.store.tellRepair() }
        switch action {
        case .list:
            if let name = words.first {
                try list(try Self.playlist(name, in: library), library)
            } else {
                try list(library)
            }
        case .create: try tell(try library.makePlaylist(words[0]), "created")
        case .rename: try tell(try library.rename(try Self.playlist(words[0], in: library), to: words[1]), "renamed")
        case .delete:
            let playlist = try Self.playlist(words[0], in: library)
            try library.delete(playlist)
            try tell(playlist, "deleted", hasNext: false)
        case .add:
            let playlist = try Self.playlist(words[0], in: library)
            let numbers = try words.dropFirst().map { try Self.number($0, in: library) }
            try tell(try library.add(numbers, to: playlist), "added to")
        case .remove:
            let playlist = try Self.playlist(words[0], in: library)
            try tell(try library.removeEntries(try words.dropFirst().map(Self.place), from: playlist), "removed from")
        case .move:
            let playlist = try Self.playlist(words[0], in: library)
            try tell(
                try library.moveEntry(try Self.place(words[1]), to: try Self.place(words[2]), in: playlist), "moved in")
        case .import: try readList(words[0], name: words.count > 1 ? words[1] : nil, library)
        case .export: try writeList(try Self.playlist(words[0], in: library), to: words[1], library)
        }
    }

    // MARK: What words mean

    /// Returns the playlist with a name.
    static func playlist(_ name: String, in library: RecordingLibrary) throws -> Playlist {
        if let playlist = try library.playlist(named: name) { return playlist }
        let names = try library.playlists().map(\.name)
        throw CommandFailure(
            .notFound, "there is no playlist '\(name)'",
            remedy: suggestion(for: name, among: names).map { "Did you mean '\($0)'?" }
                ?? "Make the playlist with: woodshed playlist create \(shellOperands(name))")
    }

    private static func place(_ word: String) throws -> Int {
        guard let number = wholeNumber(word), (1...1_000_000).contains(number) else {
            throw CommandFailure(
                .usage, "'\(word)' is not a place in a playlist",
                remedy: "Give a number as `woodshed playlist NAME` shows it.")
        }
        return Int(number)
    }

    /// Returns the number of the library's recording for a word; adds a file missing in the library.
    private static func number(_ word: String, in library: RecordingLibrary) throws -> Int {
        try library.add(fileAt: RecordingWord.file(word), .link).item.number
    }

    // MARK: Listing

    private func list(_ library: RecordingLibrary) throws {
        let playlists = try library.playlists()
        if messages.json {
            for playlist in playlists {
                try StandardStream.output.line(JSONValue.object([.init("v", .integer(1))] + playlist.fields).text)
            }
            return
        }
        let counts = playlists.map { counted($0.entryCount, "recording") }
        let width = counts.map(displayWidth).max() ?? 0
        let times = playlists.map { clockText($0.seconds) }
        let timeWidth = times.map(displayWidth).max() ?? 0
        for (index, playlist) in playlists.enumerated() {
            let count = counts[index] + String(repeating: " ", count: width - displayWidth(counts[index]))
            let time = String(repeating: " ", count: timeWidth - displayWidth(times[index])) + times[index]
            try StandardStream.output.line("\(count)  \(time)  \(printable(playlist.name))")
        }
        if messages.quiet { return }
        if playlists.isEmpty { StandardStream.error.note("There are no playlists yet.") }
        let name = playlists.first.map { shellOperands($0.name) }
        StandardStream.error.note("next: woodshed \(name.map { "play \($0)" } ?? "playlist create NAME")")
    }

    private func list(_ playlist: Playlist, _ library: RecordingLibrary) throws {
        let entries = try library.entries(of: playlist)
        if messages.json {
            for entry in entries {
                let position = JSONValue.Field("position", .integer(entry.index))
                try StandardStream.output.line(
                    JSONValue.object([.init("v", .integer(1)), position] + entry.item.fields).text)
            }
            return
        }
        let width = String(entries.count).count
        for entry in entries {
            let number = String(entry.index)
            let state =
                entry.item.isTrashed ? "  [in the trash]" : entry.item.isMissing ? "  [the file is missing]" : ""
            try StandardStream.output.line(
                String(repeating: " ", count: width - number.count) + number + "  "
                    + printable(entry.item.shortWords) + state)
        }
        if messages.quiet { return }
        if entries.isEmpty { StandardStream.error.note("The playlist is empty.") }
        StandardStream.error.note(
            "next: woodshed "
                + (entries.isEmpty
                    ? "playlist add \(shellOperands(playlist.name, "@1"))" : "play \(shellOperands(playlist.name))"))
    }

    private func tell(_ playlist: Playlist, _ verb: String, hasNext: Bool = true) throws {
        if messages.json {
            return try StandardStream.output.line(JSONValue.object([.init("v", .integer(1))] + playlist.fields).text)
        }
        messages.note("\(verb): \(playlist.name)")
        if hasNext {
            messages.note(
                "next: woodshed playlist "
                    + (playlist.entryCount == 0
                        ? "add \(shellOperands(playlist.name, "@1"))" : shellOperands(playlist.name)))
        }
    }

    // MARK: Lists of other players

    private func readList(_ file: String, name: String?, _ library: RecordingLibrary) throws {
        let list = try PlaylistReading.list(file)
        let paths = list.entries.compactMap { entry in
            if case .file(let path) = entry.location { path } else { nil }
        }
        let results = library.add(paths, .link)
        var numbers: [Int] = []
        var failed = list.skippedCount
        for (path, result) in zip(paths, results) {
            switch result {
            case .success(let added): numbers.append(added.item.number)
            case .failure(let error):
                failed += 1
                if failed <= 10 { StandardStream.error.note((error as? any ExplainedError)?.text ?? path) }
            }
        }
        let addresses = list.entries.count - paths.count
        if numbers.isEmpty, failed + addresses > 0 {
            throw CommandFailure(
                .notFound, "\(file): none of the \(failed + addresses) recordings of the playlist was found",
                remedy: addresses > 0
                    ? "Fetch recordings on the network with: woodshed get URL" : "Check the paths in the playlist.")
        }
        let stem = fileName(file).split(separator: ".").first.map(String.init)
        let playlist = try library.makePlaylist(name ?? list.title ?? stem ?? fileName(file), of: numbers)
        try tell(playlist, "read")
        if addresses > 0 {
            messages.note("\(addresses) on the network were left out; fetch these recordings with: woodshed get URL")
        }
        if failed > 0 { throw CommandFailure(.someFailed, "\(failed) recordings could not be added") }
    }

    private func writeList(_ playlist: Playlist, to file: String, _ library: RecordingLibrary) throws {
        let ending = fileName(file).split(separator: ".").dropFirst().last.map(String.init) ?? ""
        guard let format = PlaylistFile.Format(pathExtension: ending) else {
            throw CommandFailure(
                .usage, "'\(file)' has no ending of a playlist", remedy: "Write to .m3u8, .pls or .xspf.")
        }
        let entries = try library.entries(of: playlist).filter { !$0.item.isTrashed }.map { entry in
            PlaylistFile.Entry(
                .file(entry.item.path), title: entry.item.words.title, artist: entry.item.words.artist,
                seconds: entry.item.seconds)
        }
        let folder = FilePlace.folder(of: FileName.absolute(file) ?? file)
        let content = try PlaylistFile(title: playlist.name, entries: entries).content(as: format, folder: folder)
        do throws(FileFault) {
            let target = try WholeFile(file)
            try target.append(content)
            try target.commit()
        } catch {
            throw AudioFileError.writing(file, errno: error.code, creating: error.isCreating)
        }
        messages.note("wrote \(file)")
    }
}

extension Playlist {
    /// The playlist for programs.
    var fields: [JSONValue.Field] {
        [
            .init("playlist", .string(name)), .init("identity", .string(identity)),
            .init("entries", .integer(entryCount)), .init("seconds", .number(seconds)),
            .init("made", .integer(madeAt)), .init("changed", .integer(changedAt)),
        ]
    }
}
