// `woodshed info`: describes a file by its metadata and by decoding.
import ArgumentParser
import Explanations
import Files
import JSON
import Terminal
import WoodshedLibrary

struct Info: Verb {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show a recording's format, length, size, tags and sections.",
        discussion: """
            EXAMPLES
              woodshed info song.mp3
              woodshed info song.mp3 --json
              woodshed info *.mp3 --json --jobs 2 > songs.jsonl

            The length is measured by decoding the file, because headers may be wrong. With several files, \
            unreadable files are reported and the remaining files are described; the exit code is then 2.
            """)

    @OptionGroup var recordings: RecordingArguments

    @Flag(name: .long, help: "Write a JSON line for each file to standard output.")
    var json = false

    func perform() throws {
        let files = try ManyFiles(recordings, json: json)
        _ = Signals.install()
        try files.run { [self] _, file, report in try describe(file, &report) }
    }

    private func describe(_ file: String, _ report: inout FileReport) throws {
        let info = try AudioFileInfo(path: file)
        let details = try FileDetails(of: info)
        let (item, documents) = try Self.libraryItem(file)
        if json {
            let value = Self.json(info, details, path: file, item: item, documents: documents)
            return try report.line(value.text)
        }
        var lines = [
            ("path", printable(file)), ("format", "\(info.container), \(info.codec)"),
            ("rate", "\(info.sampleRate) Hz"),
            ("channels", String(info.channelCount)),
            ("length", "\(clockText(info.seconds, decimals: 3))  (\(info.frameCount) frames)"),
            ("size", "\(details.byteCount) bytes"),
            ("bit rate", "\((details.bitRate + 500) / 1000) kbit/s"),
        ]
        if let shortfall = info.shortfall { lines.append(("not whole", printable(shortfall))) }
        lines += details.tags.map { tag in
            (tag.key == .albumArtist ? "album by" : tag.key.rawValue, printable(tag.value))
        }
        let sections = details.marks.sections
        if !sections.isEmpty { lines.append(("sections", String(sections.count))) }
        lines += sections.map { ("", Self.text($0, rate: Double(info.sampleRate))) }
        if let item { lines += Self.lines(item) }
        lines += documents.map { ("document", "\($0.index)  \(printable($0.name))") }
        for (name, value) in lines {
            let padding = String(repeating: " ", count: 10 - name.count)
            try report.line(name + padding + value)
        }
        if let item, report.isAlone {
            report.note("next: woodshed practice @\(item.index), or woodshed edit @\(item.index)")
        }
    }

    /// Returns the library's recording in this file, with its documents; nil if the file is in no library or the
    /// library is missing.
    private static func libraryItem(_ file: String) throws -> (LibraryItem?, [LibraryDocument]) {
        guard let path = FileName.absolute(file), let store = try? PracticeStore(.user) else { return (nil, []) }
        let library = try RecordingLibrary(store)
        let item = try library.item(atPath: path)
        return (item, try item.map { try library.documents(of: $0.number) } ?? [])
    }

    /// Returns the library's data about a recording.
    private static func lines(_ item: LibraryItem) -> [(String, String)] {
        var lines = [("library", "@\(item.index), \(item.place == .kept ? "a file of its own" : "where you have it")")]
        let words = item.words
        let all = [
            ("titled", words.title), ("by", words.artist), ("language", words.language),
            ("tagged", words.tags.joined(separator: ", ")), ("from", words.source), ("licence", words.licence),
            ("original", item.originalName == fileName(item.path) ? "" : item.originalName),
        ]
        lines += all.filter { !$0.1.isEmpty }.map { ($0.0, printable($0.1)) }
        lines.append(("added", dateText(item.addedAt)))
        if item.sectionCount > 0 {
            lines.append(("saved", counted(item.sectionCount, "section")))
        }
        if let loudness = item.loudness {
            lines.append(("loudness", "\(fixed(loudness.integrated, decimals: 1)) LUFS"))
        }
        return lines
    }

    private static func text(_ section: FileSection, rate: Double) -> String {
        let start = clockText(Double(section.frames.lowerBound) / rate, decimals: 3)
        let end = clockText(Double(section.frames.upperBound) / rate, decimals: 3)
        return "\(start)-\(end)" + (section.name.isEmpty ? "" : "  \(printable(section.name))")
    }

    static func json(
        _ info: AudioFileInfo, _ details: FileDetails, path: String, item: LibraryItem? = nil,
        documents: [LibraryDocument] = []
    ) -> JSONValue {
        .object([
            .init("v", .integer(1)), .init("path", .string(path)), .init("container", .string(info.container)),
            .init("codec", .string(info.codec)), .init("sample_rate", .integer(info.sampleRate)),
            .init("channels", .integer(info.channelCount)), .init("frames", .integer(info.frameCount)),
            .init("seconds", .number(info.seconds)),
            .init("bytes", .integer(details.byteCount)), .init("bit_rate", .integer(details.bitRate)),
            .init("tags", .object(details.tags.map { .init($0.key.rawValue, .string($0.value)) })),
            .init("shortfall", info.shortfall.map { .string($0) } ?? .null),
            .init("sections", details.marks.sections.json(within: 0..<info.frameCount)),
            .init("library", item.map { .object($0.fields) } ?? .null),
            .init("documents", .array(documents.map { .object($0.fields) })),
        ])
    }
}
