internal import Files
internal import Glibc

/// Writes a ZIP archive (PKWARE's APPNOTE 6.3.3) with uncompressed entries: media are already compressed.
///
/// The checksum and the length of an entry are known before its bytes. Nothing is therefore written twice, and any ZIP
/// program can read the archive from its beginning. The archive contains no dates: the same entries make the same
/// bytes. Refused are more than 65,534 entries, or 4 GiB and more, which would need Zip64. Threads: one at a time.
/// Real-time safe: no.
struct ZipWriter {
    /// A file in the archive.
    private struct Entry {
        var name: [UInt8]
        var sum: UInt32
        var byteCount: UInt32
        var offset: UInt32
    }

    private let file: WholeFile
    private var entries: [Entry] = []
    /// Number of bytes written.
    private var offset: Int64 = 0

    /// Largest size of the archive, and largest number of entries. The values above mean that a Zip64 field holds the
    /// number.
    private let mostBytes: Int64
    private static let mostEntries = 0xFFFE
    private static let blockBytes = 1 << 16

    /// - Parameters:
    ///   - file: Destination of the archive; the writer does not commit the file.
    ///   - mostBytes: Size limit; tests choose a limit below the format's own.
    init(_ file: WholeFile, mostBytes: Int64 = 0xFFFF_FFFE) { (self.file, self.mostBytes) = (file, mostBytes) }

    /// Adds a file.
    ///
    /// - Parameter name: Name in ASCII, without a folder. No two files may have the same name.
    mutating func add(_ bytes: [UInt8], named name: String) throws(PackageFault) {
        var sum = CheckSum()
        sum.add(bytes)
        try begin(name, sum: sum.value, byteCount: Int64(bytes.count))
        try append(bytes)
    }

    /// Adds the bytes of an open file, from beginning to end, in blocks.
    ///
    /// - Parameters:
    ///   - source: A descriptor of a regular file. The file must not change during the call.
    ///   - sum: Checksum and length from `sum(of:)`.
    mutating func add(contentsOf source: Int32, _ sum: (value: UInt32, byteCount: Int64), named name: String)
        throws(PackageFault)
    {
        try begin(name, sum: sum.value, byteCount: sum.byteCount)
        var done: Int64 = 0
        try Self.forEachBlock(of: source) { (block) throws(PackageFault) in
            done += Int64(block.count)
            try append(block)
        }
        // The archive already contains the length and the checksum.
        guard done == sum.byteCount else { throw .file(FileFault(code: EIO)) }
    }

    /// Returns the checksum of an open file's bytes, and their number.
    static func sum(of source: Int32) throws(PackageFault) -> (value: UInt32, byteCount: Int64) {
        var (sum, count) = (CheckSum(), Int64(0))
        try forEachBlock(of: source) { (block) throws(PackageFault) in
            sum.add(block)
            count += Int64(block.count)
        }
        return (sum.value, count)
    }

    /// Writes the list of the entries. Nothing can be added afterwards.
    mutating func finish() throws(PackageFault) {
        let start = offset
        var list: [UInt8] = []
        for entry in entries {
            list += Self.words(0x0201_4B50) + Self.halves(0x0314) + Self.fields(entry)
            // No comment, a single disk, and the attributes of an ordinary file, rw-r--r--.
            list += Self.halves(0, 0, 0) + Self.words(0o100644 << 16, entry.offset) + entry.name
        }
        guard offset + Int64(list.count) + 22 <= mostBytes else { throw .tooLarge }
        let count = UInt16(entries.count)
        list += Self.words(0x0605_4B50) + Self.halves(0, 0, count, count)
        list += Self.words(UInt32(list.count - 12), UInt32(start)) + Self.halves(0)
        try append(list)
    }

    private mutating func begin(_ name: String, sum: UInt32, byteCount: Int64) throws(PackageFault) {
        precondition(name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "/") })
        let header = 30 + Int64(name.utf8.count)
        guard entries.count < Self.mostEntries, offset + header + byteCount <= mostBytes else { throw .tooLarge }
        let entry = Entry(name: Array(name.utf8), sum: sum, byteCount: UInt32(byteCount), offset: UInt32(offset))
        entries.append(entry)
        try append(Self.words(0x0403_4B50) + Self.fields(entry) + entry.name)
    }

    /// Returns the fields common to the header of an entry and the list: version 2.0, no flags, stored, the first day
    /// of the format, checksum, both lengths, the name's length, and no extra field.
    private static func fields(_ entry: Entry) -> [UInt8] {
        halves(20, 0, 0, 0, 0x0021) + words(entry.sum, entry.byteCount, entry.byteCount)
            + halves(UInt16(entry.name.count), 0)
    }

    private static func halves(_ values: UInt16...) -> [UInt8] {
        values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }

    private static func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }

    private mutating func append(_ bytes: [UInt8]) throws(PackageFault) {
        do throws(FileFault) { try file.append(bytes) } catch { throw .file(error) }
        offset += Int64(bytes.count)
    }

    private static func forEachBlock(
        of source: Int32, _ body: ([UInt8]) throws(PackageFault) -> Void
    ) throws(PackageFault) {
        var place: Int64 = 0
        while true {
            let block: [UInt8]
            do throws(FileFault) {
                block = try FileBytes.bytes(of: source, at: place, count: blockBytes)
            } catch { throw .file(error) }
            guard !block.isEmpty else { return }
            try body(block)
            place += Int64(block.count)
        }
    }
}
