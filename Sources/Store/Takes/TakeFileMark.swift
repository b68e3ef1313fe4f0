internal import AudioFiles
internal import Files

/// How a take's file is known again. The store keeps both parts in one column, because tables of this version have no other: the key, then the hash
/// and a byte that tells how the hash was made. Versions that do not know the hash find no key there, and compute it anew.
struct TakeFileMark: Hashable {
    /// The key of its sound, once it was needed. Programs that edit tags keep it.
    var key: RecordingKey?
    /// The hash of its bytes when it ended or was added; `unknown` if nobody can tell. Nil in rows of an earlier version.
    var hash: [UInt8]?

    /// No file has this hash.
    static let unknown = [UInt8](repeating: 0, count: 16)

    /// A hash with another byte was made in another way, by a later version.
    private static let kind: UInt8 = 1

    init(key: RecordingKey? = nil, hash: [UInt8]? = nil) { (self.key, self.hash) = (key, hash) }

    init(_ bytes: [UInt8]) {
        let hasHash = bytes.count == 17 || bytes.count == 33
        if hasHash, bytes.last == Self.kind { hash = Array(bytes.dropLast().suffix(16)) }
        if bytes.count != 17 { key = RecordingKey(bytes: Array(bytes.dropLast(hasHash ? 17 : 0))) }
    }

    var bytes: [UInt8] { (key?.bytes ?? []) + (hash.map { $0 + [Self.kind] } ?? []) }

    // MARK: The hash

    private static let blockBytes: Int64 = 1 << 18
    /// 256 MiB: of a longer file as many blocks are hashed, which lie evenly, so that nobody waits for minutes.
    private static let mostBlocks: Int64 = 1 << 10

    /// The hash of a file's length and bytes; nil if it cannot be read, or changes meanwhile.
    static func hash(ofFileAt path: String) -> [UInt8]? {
        guard let file = try? unsafe RegularFile(FileName.systemName(path)),
            let before = FileState(descriptor: file.descriptor)
        else { return nil }
        var hash = ByteHash()
        hash.update(Array("\(before.byteCount)\n".utf8))
        let count = before.byteCount > 0 ? (before.byteCount - 1) / blockBytes + 1 : 0
        let chosen = min(count, mostBlocks)
        for number in 0..<chosen {
            // The first and the last block are among them.
            let block = chosen < count ? number * (count - 1) / (chosen - 1) : number
            guard
                let bytes = try? FileBytes.bytes(
                    of: file.descriptor, at: block * blockBytes, count: Int(blockBytes)), !bytes.isEmpty
            else { return nil }
            hash.update(bytes)
        }
        guard let after = FileState(descriptor: file.descriptor), after.byteCount == before.byteCount,
            after.modified == before.modified
        else { return nil }
        let digest = hash.digest()
        return RecordingKey(high: digest.high, low: digest.low).bytes
    }
}
