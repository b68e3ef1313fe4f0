internal import AudioFiles
internal import Files

/// Identifies a take's file. The store keeps both parts in one column, because tables of this version have no other:
/// the key, then the hash and a byte for the method of the hash. Versions without the hash find no key in the column,
/// and recompute the key.
struct TakeFileMark: Hashable {
    /// The key of the take's sound, stored when first needed. Programs that edit tags preserve the key.
    var key: RecordingKey?
    /// The hash of the file's bytes when the take ended or was added; `unknown` if undetermined. Nil in rows of an
    /// earlier version.
    var hash: [UInt8]?

    /// No file has this hash.
    static let unknown = [UInt8](repeating: 0, count: 16)

    /// The method of the hash. Another byte marks the method of a later version.
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
    /// 256 MiB. Of a longer file, this many evenly spaced blocks are hashed, so that nobody waits for minutes.
    private static let mostBlocks: Int64 = 1 << 10

    /// Returns the hash of a file's length and bytes; nil if the file is unreadable, or changes meanwhile.
    static func hash(ofFileAt path: String) -> [UInt8]? {
        guard let file = try? unsafe RegularFile(FileName.systemName(path)),
            let before = FileState(descriptor: file.descriptor)
        else { return nil }
        var hash = ByteHash()
        hash.update(Array("\(before.byteCount)\n".utf8))
        let count = before.byteCount > 0 ? (before.byteCount - 1) / blockBytes + 1 : 0
        let chosen = min(count, mostBlocks)
        for number in 0..<chosen {
            // The chosen blocks include the first and the last.
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
