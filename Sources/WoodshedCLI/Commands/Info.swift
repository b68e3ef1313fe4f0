// `woodshed info`: what a file is, as its content says and the decoder proved.
import ArgumentParser
import Woodshed

struct Info: Verb {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say what a recording is: format, rate, channels, exact length.",
        discussion: """
            EXAMPLES
              woodshed info song.mp3
              woodshed info song.mp3 --json

            The length is what can be decoded, not what the header claims.
            """)

    @Argument(help: "A recording.", completion: .file())
    var file: String

    @Flag(name: .long, help: "Write one JSON object to standard output.")
    var json = false

    func perform() throws {
        let info = try Listening.load(file, sampleRate: nil).info
        // Marks that cannot be read are as good as none.
        let sections = (try? FileMarks(of: info))?.sections ?? []
        if json { return try StandardStream.output.line(Self.json(info, sections, path: file).text) }
        var lines = [
            ("path", printable(file)), ("format", "\(info.container), \(info.codec)"),
            ("rate", "\(info.sampleRate) Hz"),
            ("channels", String(info.channelCount)),
            ("length", "\(clockText(info.seconds, decimals: 3))  (\(info.frameCount) frames)"),
        ]
        if !sections.isEmpty { lines.append(("sections", String(sections.count))) }
        for (name, value) in lines {
            let padding = String(repeating: " ", count: 10 - name.count)
            try StandardStream.output.line(name + padding + value)
        }
    }

    static func json(_ info: AudioFileInfo, _ sections: [FileSection], path: String) -> JSONValue {
        .object([
            .init("v", .integer(1)), .init("path", .string(path)), .init("container", .string(info.container)),
            .init("codec", .string(info.codec)), .init("sample_rate", .integer(info.sampleRate)),
            .init("channels", .integer(info.channelCount)), .init("frames", .integer(info.frameCount)),
            .init("seconds", .number(info.seconds)), .init("sections", sections.json(within: 0..<info.frameCount)),
        ])
    }
}
