internal import AudioFiles
internal import Files
internal import Glibc
internal import JSON
internal import Synchronization
internal import UserState

/// The content of a registry entry, with a JSON object on each line. The take comes first, then each mark when added.
/// Further lines state the number of frames on the disk whenever it grows, and the number of all frames when the end
/// begins. The parser ignores a line cut off by a kill, which is not JSON.
struct TakeDescription {
    /// Absolute path of the take.
    let path: String
    let identity: FileIdentity
    let format: TakeFormat
    /// Start of the take, in seconds since 1970.
    let startTime: Int64
    /// Text of the recording program for a recovery after a crash; nil for none.
    var attachment: String?
    var marks: [TakeMark] = []
    /// Number of frames of the take, if its end has begun: chunks follow these frames, not samples.
    var finalFrameCount: Int64?
    /// Identifier of the system start during which the take was recorded; nil if unknown.
    var boot = Self.currentBoot
    /// Number of frames certainly on the disk.
    var safeFrameCount: Int64 = 0

    /// Number of reliable frames. After a restart of the system, possibly with a power loss, only the frames certainly
    /// on the disk are reliable. The file system may have turned later frames into anything, even full-scale noise.
    var reliableFrameCount: Int64 {
        guard let boot, let now = Self.currentBoot, boot != now else { return .max }
        return safeFrameCount
    }

    private static let version: Int64 = 1

    /// First line of the entry.
    var line: String {
        let fields: [JSONValue.Field] = [
            .init("v", .integer(Self.version)), .init("path", .string(path)),
            .init("device", .integer(Int64(bitPattern: identity.device))),
            .init("inode", .integer(Int64(bitPattern: identity.inode))), .init("birth", .integer(identity.birth)),
            .init("container", .string(format.container.rawValue)), .init("format", .string(format.samples.rawValue)),
            .init("rate", .integer(format.sampleRate)), .init("channels", .integer(format.channelCount)),
            .init("start", .integer(startTime)),
        ]
        let extra: [JSONValue.Field?] = [
            boot.map { .init("boot", .string($0)) }, attachment.map { .init("attachment", .string($0)) },
        ]
        return JSONValue.object(fields + extra.compactMap { $0 }).text + "\n"
    }

    static func line(_ mark: TakeMark) -> String {
        JSONValue.object([.init("mark", .string(mark.name)), .init("frame", .integer(mark.frame))]).text + "\n"
    }

    static func line(finalFrameCount: Int64) -> String {
        JSONValue.object([.init("end", .integer(finalFrameCount))]).text + "\n"
    }

    static func line(safeFrameCount: Int64) -> String {
        JSONValue.object([.init("safe", .integer(safeFrameCount))]).text + "\n"
    }

    /// Identifier made by the kernel at each start; nil if unavailable.
    static let currentBoot: String? = {
        do throws(FileFault) {
            let file = try unsafe RegularFile("/proc/sys/kernel/random/boot_id")
            let bytes = try FileBytes.bytes(of: file.descriptor, count: 36)
            return bytes.count == 36 ? String(decoding: bytes, as: UTF8.self) : nil
        } catch { return nil }
    }()
}

extension TakeDescription {
    /// Parses the first line of an entry; nil if the line is not an entry's of ours, or of a later version.
    init?(_ line: [UInt8]) {
        guard let head = JSONValue(reading: line), head["v"]?.integer(in: .counts) == Self.version,
            let path = head["path"]?.stringValue, path.hasPrefix("/"),
            let device = head["device"]?.integer(in: .identities), let inode = head["inode"]?.integer(in: .identities),
            let birth = head["birth"]?.integer(in: .identities), let start = head["start"]?.integer(in: .identities),
            let container = head["container"]?.stringValue.flatMap(TakeContainer.init),
            let samples = head["format"]?.stringValue.flatMap(WaveSampleFormat.init),
            let rate = head["rate"]?.integer(in: .sampleRates).map(Int.init), FileLimits.sampleRates.contains(rate),
            let channels = head["channels"]?.integer(in: .counts).map(Int.init),
            FileLimits.channelCounts.contains(channels)
        else { return nil }
        self.path = path
        identity = FileIdentity(device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode), birth: birth)
        format = TakeFormat(container: container, samples: samples, sampleRate: rate, channelCount: channels)
        startTime = start
        attachment = head["attachment"]?.stringValue
        // Entries of earlier versions do not state the system start.
        boot = head["boot"]?.stringValue
    }

    /// Parses a further line of the entry.
    ///
    /// - Parameter takesMarks: False to leave out a mark.
    /// - Returns: False for a line without a meaning, such as a line cut off by a kill.
    mutating func read(_ line: [UInt8], takesMarks: Bool) -> Bool {
        guard let line = JSONValue(reading: line) else { return false }
        if let name = line["mark"]?.stringValue, let frame = line["frame"]?.integer(in: .counts) {
            if takesMarks, !name.utf8.contains(0), (0...format.lastMarkFrame).contains(frame) {
                marks.append(TakeMark(name: name, frame: frame))
            }
        } else if let end = line["end"]?.integer(in: .counts), end >= 0 {
            finalFrameCount = end
        } else if let safe = line["safe"]?.integer(in: .counts), safe >= 0 {
            safeFrameCount = safe
        } else {
            return false
        }
        return true
    }
}

/// A locked entry of the registry: no other program treats its take as unfinished. The system releases the lock when
/// this process dies.
final class TakeEntry {
    let path: String
    private let descriptor: Int32
    private let calls: any FileCalls
    private var isDirty = false
    /// True if a full disk has cut off the last line, in this process or an earlier one.
    private var isCut = false
    private var safeFrames: Int64 = 0

    static let ending = ".take"
    /// Suffix of an entry under creation, not locked yet.
    static let newEnding = ".new"

    /// Creates an entry in `folder`. Creates the folder if missing.
    init(in folder: String, for take: TakeDescription, calls: any FileCalls) throws(StateFile.Fault) {
        path = "\(folder)/\(String(UInt64.random(in: 0...UInt64.max), radix: 36))\(Self.ending)"
        self.calls = calls
        try StateFolder.makeFolders(above: path, calls: calls)
        let new = path + Self.newEnding
        let file = unsafe open(new, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0 { throw Self.fault(errno) }
        descriptor = file
        // The entry gets its name only when locked and on the disk. A visible entry is therefore never unlocked while
        // its take runs, and never empty after a power loss.
        do throws(FileFault) {
            guard try FileLock.take(descriptor) != .held else { throw FileFault(code: EWOULDBLOCK) }
        } catch {
            unsafe unlink(new)
            throw Self.fault(error.code)
        }
        do throws(StateFile.Fault) {
            try append(take.line)
            _ = calls.synchroniseData(descriptor)
            isDirty = false
            if unsafe rename(new, path) != 0 { throw Self.fault(errno) }
            // Only an entry tells of samples that are not on the disk yet.
            _ = calls.synchroniseFolder(folder)
        } catch {
            unsafe unlink(new)
            throw error
        }
    }

    /// Locks an entry; nil if there is none, or if another program holds it.
    init?(holding path: String, calls: any FileCalls = SystemFileCalls()) {
        let flags = O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var file = unsafe open(path, O_RDWR | flags)
        if file < 0, errno == EACCES || errno == EROFS { file = unsafe open(path, O_RDONLY | flags) }
        if file < 0 { return nil }
        (self.path, self.calls) = (path, calls)
        descriptor = file
        // Without locks nobody knows whether the take still runs, so the entry stays unchanged.
        if flock(file, LOCK_EX | LOCK_NB) != 0 { return nil }
        // The previous holder may have removed the entry meanwhile.
        guard let named = FileIdentity(path: path), named.isSame(as: FileIdentity(descriptor: file)) else { return nil }
        var status = stat()
        var last: UInt8 = 0
        isCut =
            unsafe fstat(file, &status) == 0 && status.st_size > 0 && pread(file, &last, 1, status.st_size - 1) == 1
            && last != UInt8(ascii: "\n")
    }

    deinit {
        FileLock.release(descriptor)
    }

    /// Returns the description of an entry's take, even if another program holds the entry; nil if unreadable.
    static func description(at path: String) -> TakeDescription? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return TakeEntryReader.description(in: file)
    }

    /// Returns the description of the take; nil if unreadable.
    func description() -> TakeDescription? { TakeEntryReader.description(in: descriptor) }

    /// Adds a line in a single write.
    func append(_ line: String) throws(StateFile.Fault) {
        // A line behind the rest of a line that was cut off would be lost with that rest.
        let bytes = Array(((isCut ? "\n" : "") + line).utf8)
        var written = unsafe write(descriptor, bytes, bytes.count)
        for _ in 0..<FileBytes.patience where written < 0 && errno == EINTR {
            written = unsafe write(descriptor, bytes, bytes.count)
        }
        if written > 0 { isCut = written < bytes.count }
        guard written == bytes.count else { throw Self.fault(written < 0 ? errno : ENOSPC) }
        isDirty = true
    }

    /// Records the number of the take's frames on the disk, and waits until the entry is on the disk as well.
    func synchronise(safeFrameCount: Int64) {
        if safeFrameCount != safeFrames {
            safeFrames = safeFrameCount
            _ = try? append(TakeDescription.line(safeFrameCount: safeFrameCount))
        }
        if isDirty { _ = calls.synchroniseData(descriptor) }
        isDirty = false
    }

    /// Removes the entry, and waits until the removal is on the disk. Otherwise the user could be offered a take again
    /// after changing it.
    func remove() {
        _ = calls.remove(path)
        _ = calls.synchroniseFolder(FilePlace.folder(of: path))
    }

    private static func fault(_ code: Int32) -> StateFile.Fault {
        StateFile.Fault(code: code, action: "cannot be written")
    }
}

/// The registry entry of a completely ended take. The entry remains until the program has listed the take.
///
/// If the program dies before `settle()`, the next start finds the take, with its attachment.
package final class TakeReceipt: @unchecked Sendable {
    // Unchecked because the take's file has given the entry away; from then on the lock guards the entry.
    private let lock = Mutex(())
    private var entry: TakeEntry?

    init(_ entry: TakeEntry) { self.entry = entry }

    /// Removes the entry of a listed take, so that recovery no longer offers the take. Real-time safe: no.
    package func settle() {
        lock.withLock { _ in
            entry?.remove()
            entry = nil
        }
    }
}
