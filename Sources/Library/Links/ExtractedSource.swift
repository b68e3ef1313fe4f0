internal import Explanations
internal import JSON
internal import TextFormats
package import Transfers

/// The location of a video's sound, as reported by a helper program.
package struct ExtractedSource: Sendable, Hashable {
    /// Absolute http or https address, usually valid for some hours.
    package let address: String
    /// Title, one line; nil if the helper does not report a title.
    package let title: String?
    /// Artist, one line; nil if the helper does not report an artist.
    package let artist: String?
    /// Length in seconds; nil if the helper does not report a length.
    package let seconds: Double?
    /// Usual extension of such files, without a dot, for example `m4a`; nil if the helper does not report an extension.
    package let pathExtension: String?
    /// Header fields that the server expects in the request.
    package let headers: [TransferHeader]

    /// Nil unless the address is an absolute http or https address.
    init?(
        address: String, title: String? = nil, artist: String? = nil, seconds: Double? = nil,
        pathExtension: String? = nil,
        headers: [TransferHeader] = []
    ) {
        guard AddressParts.isWeb(address), address.utf8.count <= AddressParts.longest else { return nil }
        self.address = address
        self.title = Self.line(title)
        self.artist = Self.line(artist)
        self.seconds = seconds.flatMap { $0 > 0 && $0 <= 1e7 ? $0 : nil }
        self.pathExtension = pathExtension.flatMap { text in
            let isName = text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
            return isName && (1...8).contains(text.utf8.count) ? text.lowercased() : nil
        }
        self.headers = Array(headers.prefix(32))
    }

    /// Returns a text without control characters, of bounded length; nil if nothing is left.
    private static func line(_ text: String?) -> String? {
        guard let text else { return nil }
        let bytes = text.utf8.map { $0 < 32 || $0 == 127 ? 32 : $0 }.prefix(4096)
        let line = String(decoding: LineText.trimmed(bytes[...]), as: UTF8.self)
        return line.isEmpty ? nil : line
    }
}

extension ExtractedSource {
    /// Parses the output of a helper: one JSON object, as yt-dlp describes a video, or else the first line that is an
    /// address.
    ///
    /// Nil if the output is neither.
    init?(answer: [UInt8]) {
        guard let text = String(validating: answer, as: UTF8.self) else { return nil }
        let bytes = LineText.trimmed(Array(text.utf8)[...])
        if bytes.first == UInt8(ascii: "{") {
            // For a list, helpers write a line for each video; the first line is the requested video.
            let line = bytes.prefix { $0 != 10 }
            guard let value = JSONValue(reading: Array(bytes)) ?? JSONValue(reading: Array(line)) else { return nil }
            self.init(value)
        } else {
            let lines = bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }).lazy.map { line in
                String(decoding: LineText.trimmed(line), as: UTF8.self)
            }
            guard let address = lines.first(where: AddressParts.isWeb) else { return nil }
            self.init(address: address)
        }
    }

    private init?(_ video: JSONValue) {
        guard let source = Self.isPlain(video) ? video : Self.bestSound(video["formats"]?.elements ?? []),
            let address = source["url"]?.stringValue
        else { return nil }
        let artist = ["artist", "uploader", "channel", "creator"].lazy.compactMap { video[$0]?.stringValue }.first
        var headers: [TransferHeader] = []
        if case .object(let fields)? = source["http_headers"] ?? video["http_headers"] {
            headers = fields.compactMap { field in
                field.value.stringValue.flatMap { TransferHeader(name: field.key, value: $0) }
            }
        }
        self.init(
            address: address, title: video["title"]?.stringValue, artist: artist,
            seconds: video["duration"]?.number(in: .measures),
            pathExtension: (source["ext"] ?? video["ext"])?.stringValue, headers: headers)
    }

    /// True if a format is one file at one address, not a list of pieces.
    private static func isPlain(_ format: JSONValue) -> Bool {
        guard let address = format["url"]?.stringValue, AddressParts.isWeb(address) else { return false }
        guard let kind = format["protocol"]?.stringValue else { return true }
        return kind == "http" || kind == "https"
    }

    /// Returns the sound-only format with the highest bit rate; without such a format, the format with a picture and
    /// the highest bit rate.
    private static func bestSound(_ formats: [JSONValue]) -> JSONValue? {
        var best: (format: JSONValue, rank: (Int, Double))?
        for format in formats where isPlain(format) {
            let isOnlySound = format["vcodec"]?.stringValue == "none"
            let sound = format["acodec"]?.stringValue
            guard sound != "none", sound != nil || isOnlySound else { continue }
            let rate = (format["abr"]?.number(in: .measures) ?? format["tbr"]?.number(in: .measures)) ?? 0
            let rank = (isOnlySound ? 1 : 0, rate)
            // Among equals, helpers list the best last.
            if best.map({ rank >= $0.rank }) ?? true { best = (format, rank) }
        }
        return best?.format
    }
}
