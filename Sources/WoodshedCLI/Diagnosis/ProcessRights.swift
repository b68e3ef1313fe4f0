// The rights of this process, from /proc/self.
import Woodshed

/// Limits and capabilities relevant to sound.
struct ProcessRights: Equatable {
    /// The highest real-time priority, 0 for none; 99 with CAP_SYS_NICE.
    var realTimePriority = 0
    /// Time a real-time thread may compute without a rest, in microseconds; nil for no limit.
    var realTimeMicroseconds: Int?
    /// The lowest niceness the process may give itself.
    var niceness = 0
    /// Number of lockable bytes; nil for no limit.
    var lockedBytes: Int? = 0

    private static let lockCapability = 14
    private static let niceCapability = 23

    /// Reads the rights. A right missing in the kernel's report counts as not granted.
    init(_ files: SystemFiles) {
        let limits = files.text("proc/self/limits") ?? ""
        realTimePriority = Self.soft("Max realtime priority", in: limits).flatMap { $0 ?? 99 } ?? 0
        realTimeMicroseconds = Self.soft("Max realtime timeout", in: limits).flatMap { $0 }
        // The kernel counts upwards from 20, which is the niceness 0.
        niceness = 20 - (Self.soft("Max nice priority", in: limits).flatMap { $0 ?? 40 } ?? 0)
        if let locked = Self.soft("Max locked memory", in: limits) { lockedBytes = locked }
        let status = files.text("proc/self/status") ?? ""
        let capabilities = SystemFiles.value(of: "CapEff", in: status).flatMap { UInt64($0, radix: 16) } ?? 0
        if capabilities & (1 << Self.niceCapability) != 0 { (realTimePriority, niceness) = (99, -20) }
        if capabilities & (1 << Self.lockCapability) != 0 { lockedBytes = nil }
        niceness = min(niceness, 0)
    }

    /// Returns the soft limit of a row: nil without the row, `.some(nil)` for no limit.
    private static func soft(_ row: String, in limits: String) -> Int?? {
        guard let line = limits.split(separator: "\n").first(where: { $0.hasPrefix(row) }),
            let word = line.dropFirst(row.count).split(separator: " ").first
        else { return nil }
        return word == "unlimited" ? .some(nil) : Int(word).map { .some($0) }
    }
}
