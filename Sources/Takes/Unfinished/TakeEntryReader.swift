internal import Files
internal import Glibc

/// Reads a registry entry in pieces. An entry grows by a line each second: the entry of a take of a month is large, but
/// only the marks stay in memory.
struct TakeEntryReader {
    /// Limit on a line, and on the lines of all marks, in bytes. Later marks are left out.
    private static let mostBytes = 64 << 20
    private static let pieceBytes = 1 << 18

    private var take: TakeDescription?
    private var markBytes = 0

    private init() {}

    /// Returns the description of the take; nil for an unreadable file, or a file that is not an entry of ours.
    static func description(in descriptor: Int32) -> TakeDescription? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var reader = TakeEntryReader()
        var (offset, text): (Int64, [UInt8]) = (0, [])
        // Lines added meanwhile are left out.
        while offset < Int64(status.st_size) {
            let count = min(pieceBytes, Int(Int64(status.st_size) - offset))
            guard let piece = try? FileBytes.bytes(of: descriptor, at: offset, count: count) else { return nil }
            if piece.isEmpty { break }
            offset += Int64(piece.count)
            let searched = text.count
            text += piece
            guard reader.readLines(&text, from: searched), text.count <= mostBytes else { return nil }
        }
        guard reader.read(text) else { return nil }
        return reader.take
    }

    /// Reads the whole lines of `text`, and removes them.
    ///
    /// - Parameter searched: Number of bytes without a line feed.
    /// - Returns: False if the first line is not that of an entry.
    private mutating func readLines(_ text: inout [UInt8], from searched: Int) -> Bool {
        var (start, search) = (0, searched)
        var safe: [Range<Int>] = []
        while let end = Self.lineFeed(in: text, from: search) {
            let line = start..<end
            (start, search) = (end + 1, end + 1)
            // Only numbers of safe frames begin with `{"s`. Of these lines, the last readable one counts.
            if take != nil, line.count > 2, text[line.lowerBound + 2] == UInt8(ascii: "s") {
                safe.append(line)
            } else if !read(Array(text[line])) {
                return false
            }
        }
        for line in safe.reversed() where take?.read(Array(text[line]), takesMarks: false) == true { break }
        text.removeFirst(start)
        return true
    }

    /// Reads a line. Returns false if the line should be the first line of an entry, and is not.
    private mutating func read(_ line: [UInt8]) -> Bool {
        if line.isEmpty { return true }
        guard let known = take?.marks.count else {
            take = TakeDescription(line)
            return take != nil
        }
        _ = take?.read(line, takesMarks: markBytes + line.count <= Self.mostBytes)
        if take?.marks.count != known { markBytes += line.count }
        return true
    }

    private static func lineFeed(in text: [UInt8], from start: Int) -> Int? {
        unsafe text.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, start < bytes.count,
                let found = unsafe memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}
