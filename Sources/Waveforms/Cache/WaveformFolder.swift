// The folder of the cache: files that appear whole, are read whole, and go in the order of their last use.
internal import AudioFiles
internal import Files
internal import Glibc
internal import UserState

/// The files' names.
struct CacheNames {
    let folder: String
    /// What the names of all entries of recordings of one length begin with.
    let prefix: String

    init(folder: String, byteCount: Int64) {
        self.folder = folder
        prefix = ContentKey.hexadecimal(UInt64(bitPattern: byteCount)) + "-"
    }

    /// The waveform of a content.
    func entry(_ key: ContentKey, tones: Bool) -> String {
        "\(prefix)\(key)\(tones ? "+tones" : "")\(Self.entrySuffix)"
    }

    func reason(_ fault: FileFault) -> String {
        AudioFileError.writing(folder, errno: fault.code, creating: true).message
    }

    static let (entrySuffix, sourceSuffix, partSuffix) = (".waveform", ".source", FilePlace.temporarySuffix)
}

/// A folder of files that are never changed.
struct WaveformFolder {
    let folder: String

    init(_ folder: String) { self.folder = folder }

    /// What is under a name.
    enum Reading<Value> {
        case nothing
        case value(Value)
        /// For a reason in plain words.
        case damaged(String)
    }

    /// How long a file that a killed program has begun stays, in s.
    private static let partPatience: Int64 = 3600

    /// Makes the folder, for the user alone.
    func make() throws(FileFault) {
        do throws(StateFile.Fault) { try StateFolder.makeFolders(above: folder + "/.") } catch {
            throw FileFault(code: error.code)
        }
    }

    /// Reads a file and marks it as used.
    func read<Value>(
        _ name: String, _ body: (borrowing RegularFile) throws(WaveformFileError) -> Value
    ) -> Reading<Value> {
        // No link is followed, and what is no file is not waited for.
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
            // The time of its last use decides who goes first; where it cannot be set, an entry goes as an unused one does.
            _ = futimens(file.descriptor, nil)
            return .value(value)
        } catch {
            return .damaged(error.message)
        }
    }

    /// Removes what is not believed, and tells so. Somebody may just have put a good one in its place: that is made again, too.
    func discard(_ name: String, _ reason: String) -> String {
        let isRemoved = unsafe unlink(path(name)) == 0 || errno == ENOENT
        return "\(path(name)): \(reason); it \(isRemoved ? "was removed" : "cannot be removed")"
    }

    /// Puts a file in its place, so that nobody meets half of it. It need not be on the disk at once: after a loss of power it may be
    /// cut short or zeros, and is then not believed.
    func write(_ name: String, _ body: (WholeFile) throws(FileFault) -> Void) throws(FileFault) {
        let file = try WholeFile(path(name), permissions: 0o600, isDurable: false)
        try body(file)
        try file.commit()
    }

    /// Whether there is an entry whose name begins so.
    func hasEntry(beginningWith prefix: String) -> Bool {
        names.contains { $0.hasPrefix(prefix) && $0.hasSuffix(CacheNames.entrySuffix) }
    }

    /// Removes the files that were not used for longest until the rest takes no more than `limit` bytes; files of other names
    /// are none of ours and are left alone.
    func removeOldest(until limit: Int64, but kept: [String]) {
        var files: [(name: String, byteCount: Int64, used: SourceIdentity.Moment)] = []
        let now = SourceIdentity.Moment.now
        for name in names {
            var status = stat()
            guard unsafe lstat(path(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let used = SourceIdentity.Moment(
                seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
            if name.hasSuffix(CacheNames.partSuffix) {
                if now.seconds - Self.partPatience > used.seconds { unsafe unlink(path(name)) }
            } else if name.hasSuffix(CacheNames.entrySuffix) || name.hasSuffix(CacheNames.sourceSuffix) {
                // A file takes whole blocks of the disk.
                files.append((name, (Int64(status.st_size) + 4095) & ~4095, used))
            }
        }
        var total = files.reduce(0) { $0 + $1.byteCount }
        for file in files.sorted(by: { ($0.used, $0.name) < ($1.used, $1.name) }) {
            if total <= limit { break }
            if kept.contains(file.name) { continue }
            if unsafe unlink(path(file.name)) == 0 || errno == ENOENT { total -= file.byteCount }
        }
    }

    private func path(_ name: String) -> String { folder + "/" + name }

    /// Those in the folder; none where it cannot be read, as nothing is kept then.
    private var names: [String] { (try? Folder.names(in: folder)) ?? [] }
}

extension RegularFile {
    /// Fills `target` with the bytes of a file of the cache that come next.
    func read(_ target: UnsafeMutableRawBufferPointer) throws(WaveformFileError) {
        let count: Int
        do throws(FileFault) { count = try unsafe FileBytes.read(descriptor, into: target) } catch {
            throw .io(errno: error.code)
        }
        if count < target.count { throw .truncated }
    }
}
