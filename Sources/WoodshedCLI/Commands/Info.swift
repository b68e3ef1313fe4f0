// `woodshed info`: describes a file, by its content and by decoding.
import ArgumentParser
import JSON
import Woodshed

struct Info: Verb {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show what a recording is: format, length, size, tags, sections.",
        discussion: """
            EXAMPLES
              woodshed info song.mp3
              woodshed info song.mp3 --json

            The length is measured by decoding the file; the header may be wrong.
            """)

    @Argument(help: "A recording.", completion: .file())
    var file: String

    @Flag(name: .long, help: "Write one JSON object to standard output.")
    var json = false

    mutating func perform() throws {
        file = try RecordingWord.file(file)
        let info = try AudioFileInfo(path: file)
        let details = try FileDetails(of: info)
        if json { return try StandardStream.output.line(Self.json(info, details, path: file).text) }
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
        for (name, value) in lines {
            let padding = String(repeating: " ", count: 10 - name.count)
            try StandardStream.output.line(name + padding + value)
        }
    }

    private static func text(_ section: FileSection, rate: Double) -> String {
        let start = clockText(Double(section.frames.lowerBound) / rate, decimals: 3)
        let end = clockText(Double(section.frames.upperBound) / rate, decimals: 3)
        return "\(start)-\(end)" + (section.name.isEmpty ? "" : "  \(printable(section.name))")
    }

    static func json(_ info: AudioFileInfo, _ details: FileDetails, path: String) -> JSONValue {
        .object([
            .init("v", .integer(1)), .init("path", .string(path)), .init("container", .string(info.container)),
            .init("codec", .string(info.codec)), .init("sample_rate", .integer(info.sampleRate)),
            .init("channels", .integer(info.channelCount)), .init("frames", .integer(info.frameCount)),
            .init("seconds", .number(info.seconds)),
            .init("bytes", .integer(details.byteCount)), .init("bit_rate", .integer(details.bitRate)),
            .init("tags", .object(details.tags.map { .init($0.key.rawValue, .string($0.value)) })),
            .init("shortfall", info.shortfall.map { .string($0) } ?? .null),
            .init("sections", details.marks.sections.json(within: 0..<info.frameCount)),
        ])
    }
}
