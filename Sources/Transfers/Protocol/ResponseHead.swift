internal import Explanations
internal import Files
internal import JSON

/// The head of a server's answer: its status and its fields.
struct ResponseHead {
    /// The status code; 0 before the first line.
    private(set) var status = 0
    /// The fields in the order of the answer, with lower-case names.
    private var fields: [(name: String, value: String)] = []
    /// Number of bytes of all heads of a request, including interim answers.
    private(set) var byteCount = 0
    /// True if the whole head of the final answer has been received.
    private(set) var isComplete = false

    /// Largest head in bytes, longer than the head of any honest answer.
    static let longest = 256 << 10

    init() {}

    /// Adds a line with its line ending.
    ///
    /// - Returns: False if the head is too long.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        byteCount += line.count
        if byteCount > Self.longest { return false }
        // A trailer after the body is ignored.
        if isComplete { return true }
        var text = unsafe String(validating: line, as: UTF8.self) ?? Self.latin(line)
        while let end = text.unicodeScalars.last, end == "\n" || end == "\r" { text.unicodeScalars.removeLast() }
        if text.isEmpty {
            isComplete = status >= 200
        } else if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            status = words.count > 1 ? Int(digits: words[1], in: 0...999) ?? 0 : 0
            fields = []
        } else if let colon = text.firstIndex(of: ":") {
            let name = text[..<colon].lowercased()
            fields.append((name, text[text.index(after: colon)...].trimmed(Self.isBlank)))
        }
        return true
    }

    private static func latin(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: OlderText.latin(unsafe Array(bytes)[...]), as: UTF8.self)
    }

    /// True for a character that may surround the value of a field.
    static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    /// Returns the values of all fields of a name.
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// Returns the value of a field permitted once only; nil if the field is missing or has different values.
    func value(_ name: String) -> String? {
        let all = values(name)
        guard let first = all.first, all.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// Number of bytes of the body; nil if the answer does not say.
    var contentLength: Int64? { value("content-length").flatMap(Self.count) }

    /// True if the answer states the end of the body. An end marked only by the closed connection does not count,
    /// because an error closes the connection as well.
    var statesEnd: Bool {
        contentLength != nil
            || values("transfer-encoding").contains { value in
                value.split(separator: ",").contains { $0.trimmed(Self.isBlank).lowercased() == "chunked" }
            }
    }

    /// Parses a number of bytes: digits only. Returns nil for any other text or an impossible number.
    static func count(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(digits: text, in: .counts) : nil
    }

    /// First encoding of the body that this program cannot undo; nil if there is none.
    var foreignEncoding: String? {
        let known = ["", "identity", "none", "aws-chunked"]
        for value in values("content-encoding") + values("transfer-encoding") {
            for part in value.split(separator: ",") {
                let name = part.trimmed(Self.isBlank).lowercased()
                if !known.contains(name), name != "chunked" { return name }
            }
        }
        return nil
    }

    /// Range of the file in the body; nil if the answer states none.
    var contentRange: ContentRange? { value("content-range").flatMap(ContentRange.init) }

    /// Returns the seconds to wait before the next request, by `Retry-After`; nil if the answer does not say.
    func retryAfterSeconds(now: Int64 = FileState.Moment.now.seconds) -> Int? {
        guard let text = value("retry-after") else { return nil }
        if let seconds = Self.count(text) { return Int(seconds) }
        guard let date = WebDate.seconds(text, now: now) else { return nil }
        // Count from the server's own clock, which may differ from ours.
        let start = value("date").flatMap { WebDate.seconds($0, now: now) } ?? now
        return Int(max(0, date - start))
    }
}

/// The bytes `first ... last` of a file of `total` bytes.
struct ContentRange: Equatable {
    let first, last: Int64
    /// Length of the file; nil if the server does not know it.
    let total: Int64?

    /// Reads the form "bytes 0-99/1234"; nil for anything else.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ResponseHead.count(ends[0]), let last = ResponseHead.count(ends[1]),
            first <= last
        else { return nil }
        let total = ResponseHead.count(parts[1])
        guard parts[1] == "*" || total != nil, total.map({ last < $0 }) ?? true else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }
}
