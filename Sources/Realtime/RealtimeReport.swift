// Requests of a real-time thread to the system: granted, or refused with a remedy.
public import Explanations

/// Answers of the system to a real-time thread's requests: each refusal has a cause and a remedy.
///
/// A refusal is not an error: the thread runs anyway, but under load the thread may run late. Show refusals to the
/// user.
public struct RealtimeReport: Sendable, Equatable {
    /// Scheduling of the thread by the system.
    public enum Scheduling: Sendable, Equatable {
        /// SCHED_FIFO at this priority, 1 to 99: before all work that is not real time.
        case fifo(priority: Int)
        /// Scheduled like any other thread: a wait of tens of milliseconds is possible on a busy machine.
        case ordinary
    }

    /// Locked part of the process's memory.
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

    /// A refused request.
    public struct Refusal: Explained, Equatable {
        /// The request and the cause of the refusal, in one line.
        public let message: String
        /// Remedy, in one line.
        public let remedy: String
    }

    /// Scheduling obtained, as read back from the system.
    public internal(set) var scheduling: Scheduling = .ordinary
    /// Memory lock obtained. `nothing` without a refusal means that no lock was requested.
    public internal(set) var memoryLock: MemoryLock = .nothing
    /// True if subnormal numbers count as zero on the thread.
    public internal(set) var flushesToZero = false
    /// Bytes of stack made resident before the body ran; 0 if the system did not tell where the stack is.
    package internal(set) var touchedStackBytes = 0
    /// The refused requests; empty if the system granted all.
    public internal(set) var refusals: [Refusal] = []

    /// True if the system granted all requests.
    public var isComplete: Bool { refusals.isEmpty }
}

extension RealtimeReport.Refusal {
    static func scheduling(requested: Int, limit: Int, granted: Int?, error: Int32) -> Self {
        let outcome =
            granted.map { "the thread runs at \($0) instead" } ?? "the thread runs with ordinary scheduling"
        return Self(
            message: "real-time priority \(requested) was refused (\(systemText(error))); \(outcome)",
            remedy:
                "allow the priority with the line `@audio - rtprio \(max(requested, 95))` in /etc/security/limits.d/audio.conf, "
                + "\(AudioGroup.joining) (the limit is now \(limit))")
    }

    static func memoryLock(limitBytes: UInt, stackLocked: Bool, error: Int32) -> Self {
        let limit = limitBytes == .max ? "none" : "\(limitBytes / 1024) KiB"
        return Self(
            message: "locking memory was refused (\(systemText(error))); "
                + (stackLocked ? "only the thread's stack is locked" : "nothing is locked"),
            remedy:
                "allow locked memory with the line `@audio - memlock unlimited` in /etc/security/limits.d/audio.conf, "
                + "\(AudioGroup.joining) (the limit is now \(limit))")
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
    /// Scheduling class obtained: `fifo` with its priority, or `ordinary`. Real-time safe: no.
    package var schedulingClass: String {
        if case .fifo(let priority) = scheduling { "fifo \(priority)" } else { "ordinary" }
    }
}
