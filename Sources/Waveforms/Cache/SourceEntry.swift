// The cache's record of a file's content key, so that the file need not be read for identification.
internal import AudioFiles
internal import Files

/// A small file, valid only for one exact state of its recording.
struct SourceEntry {
    private let state: FileState

    private static let magic: [UInt8] = [0x89, 0x57, 0x53, 0x53, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let version: UInt32 = 1
    private static let byteCount = 8 + 8 + 7 * 8 + 2 * ContentKey.byteCount

    init(_ state: FileState) { self.state = state }

    /// One entry per file; an entry for the file's next state replaces the earlier entry.
    var name: String {
        var place = ByteList()
        place.little(state.device)
        place.little(state.inode)
        var hash = ByteHash()
        hash.update(place.bytes)
        return "\(hash.key())\(CacheNames.sourceSuffix)"
    }

    /// Returns the content recorded for exactly this state; nil if there is none.
    func key(in names: CacheNames, _ remarks: inout [String]) -> ContentKey? {
        let entries = WaveformFolder(names.folder)
        let reading = entries.read(name) { (file) throws(WaveformFileError) in
            guard file.byteCount == Int64(Self.byteCount) else { throw .truncated }
            var bytes = [UInt8](repeating: 0, count: Self.byteCount)
            var failure: WaveformFileError?
            unsafe bytes.withUnsafeMutableBytes { target in
                do throws(WaveformFileError) { try unsafe file.read(target) } catch { failure = error }
            }
            if let failure { throw failure }
            return bytes
        }
        switch reading {
        case .nothing: return nil
        case .damaged(let reason):
            remarks.append(entries.discard(name, reason))
            return nil
        case .value(let bytes):
            let place = Self.byteCount - 2 * ContentKey.byteCount
            let key = ContentKey(bytes, at: place)
            // Equal bytes mean the same state and the same key.
            if bytes == self.bytes(key) { return key }
            // An entry of an earlier state is valid; a new entry will replace it soon.
            if !Self.isWhole(bytes) { remarks.append(entries.discard(name, "it is damaged or of another version")) }
            return nil
        }
    }

    /// Records the content of this state; returns a fault on failure.
    func write(_ key: ContentKey, in names: CacheNames) -> FileFault? {
        let bytes = bytes(key)
        do throws(FileFault) {
            try WaveformFolder(names.folder).write(name) { (file) throws(FileFault) in
                try file.append(bytes)
            }
            return nil
        } catch {
            return error
        }
    }

    private func bytes(_ key: ContentKey) -> [UInt8] {
        var list = ByteList()
        list.append(Self.magic)
        list.little(Self.version)
        list.little(UInt32(0))
        list.little(state.device)
        list.little(state.inode)
        list.little(state.byteCount)
        for moment in [state.modified, state.changed] {
            list.little(moment.seconds)
            list.little(moment.nanoseconds)
        }
        list.append(key.bytes)
        list.append(Self.checksum(list.bytes))
        return list.bytes
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        let content = bytes.dropLast(ContentKey.byteCount)
        return bytes.starts(with: magic) && bytes.little(UInt32.self, at: magic.count) == version
            && Array(bytes.suffix(ContentKey.byteCount)) == checksum(Array(content))
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var hash = ByteHash()
        hash.update(bytes)
        return hash.key().bytes
    }
}
