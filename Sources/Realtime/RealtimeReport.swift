// The requests of a real-time thread to the system, what was granted, and what to do about the rest.
public import Explanations

/// What the system granted to a real-time thread: each refusal has a cause and a remedy.
///
/// A refusal is not an error: the thread runs anyway, but under load it may run late. Show it to the user.
public struct RealtimeReport: Sendable, Equatable {
    /// How the system schedules the thread.
    public enum Scheduling: Sendable, Equatable {
        /// SCHED_FIFO at this priority, 1 to 99: before everything that is not real time.
        case fifo(priority: Int)
        /// Like any other thread: it may have to wait for tens of milliseconds on a busy machine.
        case ordinary
    }

    /// The part of the process's memory that is locked.
    public enum MemoryLock: Sendable, Equatable {
        /// All memory of the process, present and future: in the command.
        case everything
        /// This thread's stack and the buffers of all real-time threads, until the thread ends: inside another program.
        case buffers
        /// This thread's stack only.
        case stackOnly
        /// Nothing.
        case nothing
    }

    /// A request that was refused.
    public struct Refusal: Explained, Equatable {
        /// What was refused and why, in one line.
        public let message: String
        /// What to do about it, in one line.
        public let remedy: String
    }

    /// The scheduling obtained, as read back from the system.
    public internal(set) var scheduling: Scheduling = .ordinary
    /// The memory lock obtained. `nothing` without a refusal means that none was requested.
    public internal(set) var memoryLock: MemoryLock = .nothing
    /// Whether subnormal numbers count as zero on the thread.
    public internal(set) var flushesToZero = false
    /// Bytes of stack made resident before the body ran; 0 if the system did not tell where the stack is.
    package internal(set) var touchedStackBytes = 0
    /// The requests that were refused; empty if all were granted.
    public internal(set) var refusals: [Refusal] = []

    /// Whether all requests were granted.
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
            message: "locking memory was refused (\(systemText(error))); "
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
    package var schedulingClass: String {
        if case .fifo(let priority) = scheduling { "fifo \(priority)" } else { "ordinary" }
    }
}
