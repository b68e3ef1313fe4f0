// What a real-time thread asked of the system, what it got, and what to do about the rest.
public import Explanations

/// How far a real-time thread got what it asked for: each refusal with its cause and a remedy.
///
/// A refusal is no error: the thread runs all the same, later under load than it should. Show it to the user.
public struct RealtimeReport: Sendable, Equatable {
    /// How the system schedules the thread.
    public enum Scheduling: Sendable, Equatable {
        /// SCHED_FIFO at this priority, 1 to 99: before everything that is not real time.
        case fifo(priority: Int)
        /// Like any other thread: it may have to wait for tens of milliseconds on a busy machine.
        case ordinary
    }

    /// What of the process's memory is kept from being paged out.
    public enum MemoryLock: Sendable, Equatable {
        /// All memory of the process, present and future.
        case everything
        /// This thread's stack only.
        case stackOnly
        /// Nothing.
        case nothing
    }

    /// Something asked for and refused.
    public struct Refusal: Explained, Equatable {
        /// What was refused and why, in one line.
        public let message: String
        /// What to do about it, in one line.
        public let remedy: String
    }

    /// The scheduling obtained, as read back from the system.
    public internal(set) var scheduling: Scheduling = .ordinary
    /// The memory lock obtained. `nothing` without a refusal means that none was asked for.
    public internal(set) var memoryLock: MemoryLock = .nothing
    /// Whether subnormal numbers count as zero on the thread.
    public internal(set) var flushesToZero = false
    /// Bytes of stack made resident before the body ran; 0 if the system did not tell where the stack is.
    public internal(set) var touchedStackBytes = 0
    /// What was asked for and refused; empty when all was granted.
    public internal(set) var refusals: [Refusal] = []

    /// Whether everything asked for was granted.
    public var isComplete: Bool { refusals.isEmpty }
}

extension RealtimeReport.Refusal {
    static func scheduling(requested: Int, limit: Int, granted: Int?, error: Int32) -> Self {
        let outcome =
            granted.map { "the thread runs at \($0) instead" } ?? "the thread runs with ordinary scheduling"
        return Self(
            message: "real-time priority \(requested) was refused (\(systemText(error))); \(outcome)",
            remedy:
                "allow it with the line `@audio - rtprio \(max(requested, 95))` in /etc/security/limits.d/audio.conf, "
                + "join the group audio and log in again (the limit is now \(limit))")
    }

    static func memoryLock(limitBytes: UInt, stackLocked: Bool, error: Int32) -> Self {
        let limit = limitBytes == .max ? "none" : "\(limitBytes / 1024) KiB"
        return Self(
            message: "locking all memory was refused (\(systemText(error))); "
                + (stackLocked ? "only the thread's stack is locked" : "nothing is locked"),
            remedy: "allow it with the line `@audio - memlock unlimited` in /etc/security/limits.d/audio.conf, "
                + "join the group audio and log in again (the limit is now \(limit))")
    }

    static let flushToZero = Self(
        message: "flush-to-zero is not known for this processor; very quiet tails may cost twenty times the usual time",
        remedy: "run on x86-64 or AArch64")

    static func stack(error: Int32) -> Self {
        Self(
            message: "the thread's stack could not be found and touched (\(systemText(error)))",
            remedy: "free some memory; until then the first blocks may be late")
    }

    static func name(_ name: String, error: Int32) -> Self {
        Self(
            message: "the thread could not be named \"\(name)\" (\(systemText(error)))",
            remedy: "use a name of at most 15 bytes; the sound is not affected")
    }
}

extension RealtimeReport {
    /// The scheduling class that was obtained: `fifo` with its priority, or `ordinary`. Real-time safe: no.
    public var schedulingClass: String {
        if case .fifo(let priority) = scheduling { "fifo \(priority)" } else { "ordinary" }
    }
}
