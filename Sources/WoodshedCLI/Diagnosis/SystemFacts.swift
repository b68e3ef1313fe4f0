// Facts about the system, read by `doctor`.
import DesktopBus
import Glibc
import Terminal
import Woodshed

/// Facts used by the checks.
struct SystemFacts {
    /// Permissions of the process, from its limits and capabilities.
    var rights: ProcessRights
    /// True if the system grants the permitted priority; control groups and containers can still refuse.
    var grantsRealTime: Bool
    /// Speed settings of the processors, without duplicates; empty if the system does not report any.
    var pacing: [ProcessorPace]
    /// Time for real-time threads in each period, -1 for all of the period; nil without a report.
    var throttle: (runtime: Int, period: Int)?
    /// The kernel's version and its boot command line.
    var kernel: (version: String, commandLine: String)?
    /// The user's relation to the group `audio`; nil if there is no such group.
    var audioGroup: GroupMembership?
    /// The kernel's sound device nodes, and the nodes this process may not open.
    var soundNodes: (all: [String], refused: [String])
    /// True if this process may open the MIDI sequencer, which receives pedals; nil without a sequencer.
    var opensSequencer: Bool?
    /// Name of the player that media keys reached, or the error; nil before `tryMediaKeys()`.
    var mediaKeys: Result<String, DesktopBusError>?
    /// The path of ffmpeg.
    var ffmpegPath: String?
    /// Free bytes on the disk of the current folder; nil without a report.
    var freeBytes: UInt64?

    /// Tests media keys over the session bus, with a temporary player.
    mutating func tryMediaKeys() {
        do throws(DesktopBusError) {
            mediaKeys = .success(try BusTest.run(BusAddresses(environment: environmentVariable).session))
        } catch {
            mediaKeys = .failure(error)
        }
    }

    /// Reads the facts.
    ///
    /// - Parameters:
    ///   - files: The system's files, or others in tests.
    ///   - trial: Requests real-time priority; returns true if granted.
    ///   - permits: Returns true if a file may be read and written.
    init(
        _ files: SystemFiles, trial: () -> Bool = SystemFacts.triesRealTime,
        permits: (String) -> Bool = { SystemFiles.machine.permits(R_OK | W_OK, $0) }
    ) {
        rights = ProcessRights(files)
        grantsRealTime = trial()
        pacing = Self.pacing(files)
        if let runtime = files.line("proc/sys/kernel/sched_rt_runtime_us").flatMap({ Int($0) }),
            let period = files.line("proc/sys/kernel/sched_rt_period_us").flatMap({ Int($0) })
        {
            throttle = (runtime, period)
        }
        kernel = files.line("proc/version").map { ($0, files.line("proc/cmdline") ?? "") }
        audioGroup = GroupMembership("audio", files)
        let sounds = files.names(in: "dev/snd")
        let nodes = sounds.filter { $0.hasPrefix("pcm") || $0.hasPrefix("control") }
        soundNodes = (nodes, nodes.filter { !permits("dev/snd/" + $0) })
        opensSequencer = sounds.contains("seq") ? permits("dev/snd/seq") : nil
        ffmpegPath = Self.executable("ffmpeg")
        freeBytes = Self.freeBytes(".")
    }

    private static func pacing(_ files: SystemFiles) -> [ProcessorPace] {
        let folder = "sys/devices/system/cpu"
        let processors = files.names(in: folder).filter { $0.hasPrefix("cpu") && Int($0.dropFirst(3)) != nil }
        return Set(processors.compactMap { ProcessorPace(files, "\(folder)/\($0)/cpufreq") }).sorted {
            $0.description < $1.description
        }
    }

    /// Requests the lowest real-time priority, and restores the normal scheduling.
    static func triesRealTime() -> Bool {
        var parameters = sched_param(sched_priority: 1)
        guard unsafe sched_setscheduler(0, SCHED_FIFO, &parameters) == 0 else { return false }
        parameters.sched_priority = 0
        _ = unsafe sched_setscheduler(0, SCHED_OTHER, &parameters)
        return true
    }

    private static func executable(_ name: String) -> String? {
        let folders = (environmentVariable("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { unsafe access($0, X_OK) == 0 }
    }

    private static func freeBytes(_ path: String) -> UInt64? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        // Some network and user file systems report as many blocks as the number can hold.
        let (bytes, isTooMuch) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooMuch ? .max : bytes
    }
}

/// The relation of a user to a group.
enum GroupMembership: Equatable {
    /// Root needs no membership.
    case isRoot
    /// The process has the group's rights.
    case counts
    /// The user belongs to the group, but logged in before being added.
    case needsLogin
    /// The user does not belong to the group.
    case isMissing

    /// Reads the relation for the user of this process; nil without such a group.
    init?(_ name: String, _ files: SystemFiles) {
        let groups = (files.text("etc/group") ?? "").split(separator: "\n").map {
            $0.split(separator: ":", omittingEmptySubsequences: false)
        }
        guard let group = groups.first(where: { $0.count >= 4 && $0[0] == name }) else { return nil }
        let status = files.text("proc/self/status") ?? ""
        func numbers(_ key: String) -> [Substring] {
            (SystemFiles.value(of: key, in: status) ?? "").split(whereSeparator: \.isWhitespace).map { $0[...] }
        }
        let user = numbers("Uid").dropFirst().first ?? "0"
        guard user != "0" else {
            self = .isRoot
            return
        }
        guard !(numbers("Groups") + numbers("Gid").dropFirst().prefix(1)).contains(group[2]) else {
            self = .counts
            return
        }
        let users = (files.text("etc/passwd") ?? "").split(separator: "\n").map {
            $0.split(separator: ":", omittingEmptySubsequences: false)
        }
        let own = users.first { $0.count >= 4 && $0[2] == user }
        let isListed = own.map { group[3].split(separator: ",").contains($0[0]) || $0[3] == group[2] } ?? false
        self = isListed ? .needsLogin : .isMissing
    }
}
