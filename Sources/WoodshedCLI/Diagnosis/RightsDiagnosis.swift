// Checks of the process's limits, which can make the device thread late.
import Terminal

/// The checks of the rights of a process.
struct RightsDiagnosis {
    let rights: ProcessRights
    /// True if the system grants the permitted priority.
    let grantsRealTime: Bool

    var checks: [Check] { [priority, timeout, niceness, memoryLock] }

    /// The engine's real-time priority.
    private static let wantedPriority = 70
    /// Niceness requested by sound servers after real-time priority is refused.
    private static let wantedNiceness = -11
    /// The shortest acceptable limit for computing a block of the longest period, in microseconds.
    private static let wantedMicroseconds = 200_000

    private static func limitRemedy(_ lines: String...) -> String {
        let text = lines.map { "@audio - \($0)" }.joined(separator: "\\n")
        return "log in again after: printf '\(text)\\n' | sudo tee -a /etc/security/limits.d/audio.conf"
    }

    private var hasRealTime: Bool { rights.realTimePriority > 0 && grantsRealTime }

    private var priority: Check {
        let limit = rights.realTimePriority
        let remedy = Self.limitRemedy("rtprio 95")
        guard limit > 0 else {
            return Check(
                name: "priority", grade: .weak, finding: "no real-time priority; a busy computer may cause dropouts",
                remedy: remedy)
        }
        guard grantsRealTime else {
            return Check(
                name: "priority", grade: .weak,
                finding: "real-time priority is within the limits, but refused by a container or control group",
                remedy: "run woodshed outside, or start the container with --cap-add=SYS_NICE --ulimit rtprio=95")
        }
        guard limit >= Self.wantedPriority else {
            return Check(
                name: "priority", grade: .weak,
                finding:
                    "real-time priority only up to \(limit), not \(Self.wantedPriority); other threads may come first",
                remedy: remedy)
        }
        return Check(name: "priority", grade: .good, finding: "real-time priority granted, up to \(limit)")
    }

    private var timeout: Check {
        guard let limit = rights.realTimeMicroseconds else {
            return Check(name: "rt time", grade: .good, finding: "real-time threads may compute as long as they need")
        }
        guard limit < Self.wantedMicroseconds else {
            return Check(
                name: "rt time", grade: .good, finding: "real-time threads may compute for \(limit / 1000) ms in a row")
        }
        return Check(
            name: "rt time", grade: .weak,
            finding: "the system ends a program whose real-time thread computes for \(limit / 1000) ms in a row",
            remedy: "start woodshed from this shell after: sudo prlimit --pid $$ --rttime=unlimited")
    }

    /// Checks the niceness, the fallback of a process without real-time priority.
    private var niceness: Check {
        let lowest = rights.niceness
        if lowest <= Self.wantedNiceness {
            return Check(name: "nice", grade: .good, finding: "niceness down to \(lowest) granted")
        }
        if hasRealTime {
            return Check(
                name: "nice", grade: .good,
                finding: "niceness not below \(lowest); real-time priority is enough")
        }
        return Check(
            name: "nice", grade: .weak, finding: "niceness not below \(lowest); other programs have the same priority",
            remedy: "start with nice -n -11 woodshed; " + Self.limitRemedy("nice -11"))
    }

    private var memoryLock: Check {
        guard let limit = rights.lockedBytes else {
            return Check(name: "memory", grade: .good, finding: "memory may be locked")
        }
        return Check(
            name: "memory", grade: .weak,
            finding: "only \(sizeText(UInt64(max(0, limit)))) of memory may be locked; swapping may cause dropouts",
            remedy: Self.limitRemedy("memlock unlimited"))
    }
}
