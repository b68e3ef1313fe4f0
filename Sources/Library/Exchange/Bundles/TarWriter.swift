internal import Files

/// Writes an archive member by member. Memory use does not depend on the archive's size.
struct TarWriter {
    private let file: WholeFile
    private static let pieceSize = 1 << 20

    init(_ file: WholeFile) { self.file = file }

    func add(_ name: String, _ bytes: [UInt8]) throws(FileFault) {
        try file.append(TarHeader(name: Array(name.utf8), byteCount: Int64(bytes.count)).blocks)
        try file.append(bytes)
        try file.append(TarHeader.padding(Int64(bytes.count)))
    }

    /// Adds a file.
    ///
    /// - Parameter isCancelled: Called for each piece.
    /// - Returns: False if the file became shorter after opening, or the work was cancelled: the archive is then
    ///   useless.
    func add(
        _ name: String, _ source: borrowing RegularFile, isCancelled: () -> Bool
    ) throws(FileFault) -> Bool {
        let byteCount = source.byteCount
        try file.append(TarHeader(name: Array(name.utf8), byteCount: byteCount).blocks)
        var offset: Int64 = 0
        while offset < byteCount {
            let count = Int(min(Int64(Self.pieceSize), byteCount - offset))
            let bytes = try FileBytes.bytes(of: source.descriptor, at: offset, count: count)
            if bytes.count < count || isCancelled() { return false }
            try file.append(bytes)
            offset += Int64(count)
        }
        try file.append(TarHeader.padding(byteCount))
        return true
    }

    /// Ends the archive with two blocks of zeros.
    func end() throws(FileFault) { try file.append([UInt8](repeating: 0, count: 2 * TarHeader.blockSize)) }
}
