// A thread that computes sound: SCHED_FIFO, memory locked, stack touched, subnormals flushed, named.
// A refusal by the system is reported, not fatal. The thread does not loop, wait or stop anything: its body does, and
// returns.
internal import CRealtime
public import Explanations
internal import Glibc
internal import Synchronization

/// Error: the system created no thread.
public struct RealtimeThreadError: ExplainedError, Equatable {
    /// The failed request and the cause, in one line.
    public let message: String
    /// Remedy, in one line.
    public let remedy: String
}

/// A thread with real-time scheduling, as far as the system permits: see `report`.
///
/// The thread starts in `init` and ends when its body returns; make the body return, then `join()`. If the last
/// reference is released without joining, the thread runs on by itself until the body returns.
public final class RealtimeThread: Sendable {
    /// Requests to the system.
    public struct Configuration: Sendable, Equatable {
        /// The SCHED_FIFO priority, 1 to 99; `nil` for ordinary scheduling.
        package var priority: Int?
        /// True to lock the memory needed by the thread: its stack and Woodshed's buffers, while the thread runs.
        package var locksMemory: Bool
        /// The stack's size in bytes; rounded up to whole pages and to the system's minimum. The whole stack becomes
        /// resident.
        package var stackBytes: Int

        /// Makes a configuration.
        ///
        /// Memory of the program around the thread is neither locked nor unlocked. With a finite limit on locked
        /// memory, only the stack is locked.
        ///
        /// - Parameters:
        ///   - priority: 1 to 99, or `nil` for ordinary scheduling. Above 50 the thread has precedence over the
        ///     interrupt threads.
        ///   - locksMemory: true to lock memory.
        ///   - stackBytes: 1 or more.
        public init(priority: Int? = 70, locksMemory: Bool = true, stackBytes: Int = 512 * 1024) {
            precondition(priority.map { (1...99).contains($0) } ?? true, "a real-time priority is from 1 to 99")
            precondition(stackBytes >= 1, "a thread needs a stack")
            self.priority = priority
            self.locksMemory = locksMemory
            self.stackBytes = stackBytes
        }
    }

    /// The thread's name, as shown by tools like `top -H`: at most 15 bytes, cut at a character.
    package let name: String
    /// Granted and refused requests; complete before the body starts.
    public let report: RealtimeReport

    private let handle: pthread_t
    private let mark: ThreadMark
    private let isJoined = Mutex(false)

    /// Starts a thread, prepares the thread and then runs `body` on it; returns when the preparation is done.
    ///
    /// Real-time safe: no (allocates, starts a thread, waits for its preparation).
    ///
    /// - Parameters:
    ///   - name: shown by system tools; cut to 15 bytes.
    ///   - configuration: the requests to the system.
    ///   - body: runs on the new thread and ends the thread by returning.
    /// - Throws: `RealtimeThreadError` if the system creates no thread (too many threads, or no memory for the stack).
    public init(
        name: String, configuration: Configuration = Configuration(), body: @escaping @Sendable () -> Void
    ) throws(RealtimeThreadError) {
        // The kernel's limit for a thread's name.
        self.name = name.shortened(toBytes: 15)
        let start = ThreadStart(name: self.name, configuration: configuration, body: body)
        mark = start.mark
        handle = try startThread(start, stackBytes: configuration.stackBytes)
        report = start.waitForReport()
    }

    /// Waits until the body has returned. Any number of threads may call this, any number of times.
    ///
    /// A call from the body returns at once: the last reference to the owner of a thread may be released on that very
    /// thread.
    ///
    /// Real-time safe: no.
    public func join() {
        guard !mark.isCurrent else { return }
        // Held during the wait on purpose: a second caller returns when the first does, and a handle is joined once.
        isJoined.withLock { joined in
            guard !joined else { return }
            let failure = pthread_join(handle, nil)
            precondition(failure == 0, "the system lost a thread: \(systemText(failure))")
            joined = true
        }
    }

    deinit {
        if !isJoined.withLock({ $0 }) { pthread_detach(handle) }
    }
}

extension RealtimeThreadError: CategorisedError {
    package var exitStatus: ExitStatus { SystemLimit.threads.exitStatus }
}
