// The folder of the cache: files appear complete, are read completely, and are removed in the order of their last use.
internal import AudioFiles
internal import Explanations
internal import Files
internal import Glibc
internal import UserState

/// The names of the files.
struct CacheNames {
    let folder: String
    /// The common beginning of the names of all entries for recordings of one length.
    let prefix: String

    init(folder: String, byteCount: Int64) {
        self.folder = folder
        prefix = ByteHash.hexadecimal(UInt64(bitPattern: byteCount)) + "-"
    }

    /// Returns the name of the waveform for a content.
    func entry(_ key: ContentKey, tones: Bool) -> String {
        "\(prefix)\(key)\(tones ? "+tones" : "")\(Self.entrySuffix)"
    }

    func reason(_ fault: FileFault) -> String {
        AudioFileError.writing(folder, errno: fault.code, creating: true).message
    }

    static let (entrySuffix, sourceSuffix, partSuffix) = (".waveform", ".source", FilePlace.temporarySuffix)
}

/// A folder of files which never change.
struct WaveformFolder {
    let folder: String

    init(_ folder: String) { self.folder = folder }

    /// The result of reading a file.
    enum Reading<Value> {
        case nothing
        case value(Value)
        /// The file is damaged, with the reason in plain words.
        case damaged(String)
    }

    /// Seconds for which the folder keeps a partial file from a killed program.
    private static let partPatience: Int64 = 3600

    /// Creates the folder, accessible to the user only.
    func make() throws(FileFault) {
        do throws(StateFile.Fault) { try StateFolder.makeFolders(above: folder + "/.") } catch {
            throw FileFault(code: error.code)
        }
    }

    /// Reads a file and marks the file as used.
    func read<Value>(
        _ name: String, _ body: (borrowing RegularFile) throws(WaveformFileError) -> Value
    ) -> Reading<Value> {
        // Links are not followed, and opening never waits, whatever the kind of file.
        let file: RegularFile
        do throws(FileFault) { file = try unsafe RegularFile(path(name), followsLinks: false) } catch {
            switch error.code {
            case ENOENT, ENOTDIR: return .nothing
            case EISDIR, ENODEV: return .damaged("it is no file")
            default: return .damaged("it cannot be opened")
            }
        }
        do throws(WaveformFileError) {
            let value = try body(file)
            // The time of last use determines the order of removal; if the time cannot be set, the entry counts as
            // unused.
            _ = futimens(file.descriptor, nil)
            return .value(value)
        } catch {
            return .damaged(error.message)
        }
    }

    /// Removes an invalid file and returns a remark. Another program may just have replaced it by a valid file, which
    /// is then made again.
    func discard(_ name: String, _ reason: String) -> String {
        let isRemoved = unsafe unlink(path(name)) == 0 || errno == ENOENT
        return "\(path(name)): \(reason); it \(isRemoved ? "was removed" : "cannot be removed")"
    }

    /// Writes a file so that other programs never see a part of the file. The data is not forced to the disk: after a
    /// power failure the file may be cut short or zeros, and is then rejected as damaged.
    func write(_ name: String, _ body: (WholeFile) throws(FileFault) -> Void) throws(FileFault) {
        let file = try WholeFile(path(name), permissions: 0o600, isDurable: false)
        try body(file)
        try file.commit()
    }

    /// Returns true if an entry's name begins with `prefix`.
    func hasEntry(beginningWith prefix: String) -> Bool {
        names.contains { $0.hasPrefix(prefix) && $0.hasSuffix(CacheNames.entrySuffix) }
    }

    /// Removes the least recently used files until the rest takes at most `limit` bytes. Files with other names do not
    /// belong to the cache and stay.
    func removeOldest(until limit: Int64, but kept: [String]) {
        var files: [(name: String, byteCount: Int64, used: FileState.Moment)] = []
        let now = FileState.Moment.now
        for name in names {
            var status = stat()
            guard unsafe lstat(path(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let used = FileState.Moment(
                seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
            if name.hasSuffix(CacheNames.partSuffix) {
                if now.seconds - Self.partPatience > used.seconds { unsafe unlink(path(name)) }
            } else if name.hasSuffix(CacheNames.entrySuffix) || name.hasSuffix(CacheNames.sourceSuffix) {
                files.append((name, Self.occupiedBytes(Int64(status.st_size)), used))
            }
        }
        var total = files.reduce(0) { $0 + $1.byteCount }
        for file in files.sorted(by: { ($0.used, $0.name) < ($1.used, $1.name) }) {
            if total <= limit { break }
            if kept.contains(file.name) { continue }
            if unsafe unlink(path(file.name)) == 0 || errno == ENOENT { total -= file.byteCount }
        }
    }

    /// Returns the bytes that a file occupies: whole blocks of the disk. A sparse file can have any size, so sizes are
    /// limited to a terabyte, and sums of sizes cannot overflow.
    static func occupiedBytes(_ byteCount: Int64) -> Int64 { (min(byteCount, 1 << 40) + 4095) & ~4095 }

    private func path(_ name: String) -> String { folder + "/" + name }

    /// The names in the folder; empty if the folder cannot be read, because the cache then keeps nothing.
    private var names: [String] { (try? Folder.names(in: folder)) ?? [] }
}

extension RegularFile {
    /// Fills `target` with the next bytes of a file of the cache.
    func read(_ target: UnsafeMutableRawBufferPointer) throws(WaveformFileError) {
        let count: Int
        do throws(FileFault) { count = try unsafe FileBytes.read(descriptor, into: target) } catch {
            throw .io(errno: error.code)
        }
        if count < target.count { throw .truncated }
    }
}
