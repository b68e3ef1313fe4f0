// What `doctor` reads from the system.
import Glibc

/// What the checks look at.
struct SystemFacts {
    /// Whether the system lets this process run at real-time priority.
    var mayUseRealTime: Bool
    /// Whether the system lets this process lock as much memory as playing needs.
    var mayLockMemory: Bool
    /// The governor of the first processor; nil where the system does not say.
    var governor: String?
    /// Whether /dev/snd is there.
    var hasSoundFolder: Bool
    /// Whether every playback node in it may be opened.
    var mayOpenSound: Bool
    /// Where ffmpeg was found.
    var ffmpegPath: String?
    /// Bytes free in the current folder; nil when it cannot be asked.
    var freeBytes: UInt64?

    static var current: SystemFacts {
        SystemFacts(
            mayUseRealTime: triesRealTime(), mayLockMemory: triesLocking(),
            governor: firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            hasSoundFolder: mayAccess("/dev/snd", F_OK),
            mayOpenSound: soundNodes().allSatisfy { mayAccess("/dev/snd/" + $0, R_OK | W_OK) },
            ffmpegPath: executable("ffmpeg"), freeBytes: freeBytes("."))
    }

    private static func mayAccess(_ path: String, _ mode: Int32) -> Bool {
        unsafe access(path, mode) == 0
    }

    /// Asks for the lowest real-time priority and gives it back: limits and capabilities both count, and only trying
    /// tells what they come to.
    private static func triesRealTime() -> Bool {
        var parameters = sched_param(sched_priority: 1)
        guard unsafe sched_setscheduler(0, SCHED_FIFO, &parameters) == 0 else { return false }
        parameters.sched_priority = 0
        _ = unsafe sched_setscheduler(0, SCHED_OTHER, &parameters)
        return true
    }

    /// Locks a read-only stretch of zeros: it counts against the limit whole and yet takes a single page.
    private static func triesLocking() -> Bool {
        let size = 64_000_000
        guard let memory = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe memory != MAP_FAILED
        else { return false }
        defer { unsafe munmap(memory, size) }
        return unsafe mlock(memory, size) == 0
    }

    private static func soundNodes() -> [String] {
        guard let folder = unsafe opendir("/dev/snd") else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("pcm"), name.hasSuffix("p") { names.append(name) }
        }
        return names
    }

    private static func firstLine(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private static func executable(_ name: String) -> String? {
        let folders = (environmentVariable("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { mayAccess($0, X_OK) }
    }

    private static func freeBytes(_ path: String) -> UInt64? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
