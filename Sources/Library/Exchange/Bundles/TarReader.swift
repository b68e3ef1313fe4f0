internal import Files
internal import JSON
internal import TextFormats

/// Reads an archive once, from beginning to end; the archive may come from a pipe. Memory use does not depend on the
/// archive's size.
struct TarReader {
    /// Why reading an archive failed.
    enum Fault: Error, Equatable {
        /// The bytes are no header.
        case notHeader
        /// The archive ends early.
        case cutOff
        /// Reading failed.
        case system(FileFault)
    }

    /// A member of the archive.
    struct Member: Equatable {
        let name: [UInt8]
        let byteCount: Int64
        /// True for a file with contents: no link, folder, device or sparse file.
        let isFile: Bool
    }

    private let descriptor: Int32
    /// Unread bytes of the current member; then the zeros that follow.
    private var rest: Int64 = 0
    private var padding = 0
    /// True once a header was read.
    private(set) var isArchive = false

    /// Longest name and longest pax header accepted, in bytes.
    private static let longestHead: Int64 = 1 << 20
    private static let pieceSize = 1 << 20

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Returns the next member; nil at the end. Skips the unread rest of the previous member.
    mutating func next() throws(Fault) -> Member? {
        try skip()
        var (name, size): ([UInt8]?, Int64?) = (nil, nil)
        var hasHoles = false
        while true {
            let block = try exactly(TarHeader.blockSize)
            if block.allSatisfy({ $0 == 0 }) { return nil }
            guard let header = TarHeader(block) else { throw .notHeader }
            isArchive = true
            switch header.type {
            case UInt8(ascii: "x"), UInt8(ascii: "L"), UInt8(ascii: "g"), UInt8(ascii: "K"):
                begin(header.byteCount)
                guard header.byteCount <= Self.longestHead else { throw .notHeader }
                let bytes = try exactly(Int(header.byteCount))
                rest = 0
                try skip()
                if header.type == UInt8(ascii: "L") { name = Array(bytes.prefix { $0 != 0 }) }
                guard header.type == UInt8(ascii: "x") else { continue }
                guard let records = Self.records(bytes) else { throw .notHeader }
                if let path = records["path"] { name = path }
                if let text = records["size"] {
                    guard let value = Int64(digits: text, in: .counts) else { throw .notHeader }
                    size = value
                }
                hasHoles = hasHoles || records.keys.contains { $0.hasPrefix("GNU.sparse.") }
            default:
                var isContinued = header.isContinued
                while isContinued { isContinued = try exactly(TarHeader.blockSize)[504] != 0 }
                let isFile = [0, UInt8(ascii: "0"), UInt8(ascii: "7")].contains(header.type) && !hasHoles
                // Links and devices have no contents, whatever their size field says.
                let hasContents = !(UInt8(ascii: "1")...UInt8(ascii: "6")).contains(header.type)
                begin(hasContents ? size ?? header.byteCount : 0)
                return Member(name: name ?? header.name, byteCount: rest, isFile: isFile)
            }
        }
    }

    /// Returns the next piece of the current member; empty at the end of the member.
    mutating func piece() throws(Fault) -> [UInt8] {
        let bytes = try exactly(Int(min(rest, Int64(Self.pieceSize))))
        rest -= Int64(bytes.count)
        return bytes
    }

    /// Reads the catalogue in the current member. Only a catalogue from a pipe is loaded into memory as a whole.
    ///
    /// - Throws: `Fault`, `CatalogueError`.
    mutating func catalogue() throws -> CataloguePieces {
        if let file = CatalogueFile(descriptor, byteCount: rest) {
            guard file.isWhole else { throw Fault.cutOff }
            return try CataloguePieces(reading: file)
        }
        var bytes: [UInt8] = []
        while true {
            let piece = try piece()
            if piece.isEmpty { return try CataloguePieces(reading: bytes) }
            bytes += piece
        }
    }

    private mutating func begin(_ byteCount: Int64) {
        (rest, padding) = (byteCount, TarHeader.padding(byteCount).count)
    }

    private mutating func skip() throws(Fault) {
        while rest > 0 { _ = try piece() }
        if padding > 0 { _ = try exactly(padding) }
        padding = 0
    }

    private func exactly(_ count: Int) throws(Fault) -> [UInt8] {
        if count == 0 { return [] }
        let bytes: [UInt8]
        do throws(FileFault) { bytes = try FileBytes.bytes(of: descriptor, count: count) } catch {
            throw .system(error)
        }
        if bytes.count < count { throw .cutOff }
        return bytes
    }

    /// Parses the records of an extended header; nil if malformed.
    private static func records(_ bytes: [UInt8]) -> [String: [UInt8]]? {
        var records: [String: [UInt8]] = [:]
        var rest = bytes[...]
        while let first = rest.first, first != 0 {
            guard let space = rest.prefix(20).firstIndex(of: UInt8(ascii: " ")),
                let count = Int(digits: rest[rest.startIndex..<space], in: 1...rest.count),
                space + 1 < rest.startIndex + count,
                rest[rest.startIndex + count - 1] == UInt8(ascii: "\n")
            else { return nil }
            let record = rest[(space + 1)..<(rest.startIndex + count - 1)]
            guard let equals = record.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            records[String(decoding: record[record.startIndex..<equals], as: UTF8.self)] = Array(
                record[(equals + 1)...])
            rest = rest[(rest.startIndex + count)...]
        }
        return records
    }
}
