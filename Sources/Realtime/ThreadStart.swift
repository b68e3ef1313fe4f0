// Carries out the first steps of a new real-time thread, in order, and reports the result to the thread's creator.
internal import CRealtime
internal import Explanations
internal import Glibc

/// The context of a new thread, and its report.
@safe
final class ThreadStart: @unchecked Sendable {
    private let name: String
    private let configuration: RealtimeThread.Configuration
    private var body: (@Sendable () -> Void)?
    /// Set while the thread runs.
    let mark = ThreadMark()
    private let isPrepared: UnsafeMutablePointer<sem_t>
    /// Written by the new thread before `isPrepared` is posted, read by its creator afterwards.
    private var report = RealtimeReport()
    /// The memory to unlock when the thread ends.
    private var lockedStack: UnsafeMutableRawBufferPointer?
    private var holdsBuffers = false

    init(name: String, configuration: RealtimeThread.Configuration, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.configuration = configuration
        self.body = body
        unsafe isPrepared = .allocate(capacity: 1)
        unsafe sem_init(isPrepared, 0, 0)
    }

    deinit {
        unsafe sem_destroy(isPrepared)
        unsafe isPrepared.deallocate()
    }

    /// Waits until the new thread is prepared. The wait is bounded, because preparing makes a handful of system calls.
    func waitForReport() -> RealtimeReport {
        // Only an interrupting signal makes `sem_wait` return early.
        while unsafe sem_wait(isPrepared) != 0 {}
        return report
    }

    /// The thread's main function.
    func run() {
        mark.set()
        report = prepare()
        unsafe sem_post(isPrepared)
        runBody()
        unlockMemory()
        mark.clear()
    }

    /// Runs the body. A separate function, so that objects held only by the body are released at its return, while the
    /// mark is still set: such an object may own the thread and wait for it.
    @inline(never)
    private func runBody() {
        guard let body else { return }
        self.body = nil
        body()
    }

    private func prepare() -> RealtimeReport {
        var report = RealtimeReport()
        leaveSignalsToOtherThreads()
        let named = unsafe realtime_name_thread(name)
        if named != 0 { report.refusals.append(.name(name, error: named)) }

        // Enabled for the thread's whole life, so never restored.
        _ = realtime_flush_to_zero_enable()
        report.flushesToZero = realtime_flush_to_zero_is_supported()
        if !report.flushesToZero { report.refusals.append(.flushToZero) }

        prepareMemory(&report)
        // Last, so that nothing above runs ahead of the rest of the system.
        if let priority = configuration.priority { schedule(priority, &report) }
        return report
    }

    /// Keeps the process's asynchronous signals off this thread: a handler would run in the middle of a block.
    private func leaveSignalsToOtherThreads() {
        var mask = sigset_t()
        unsafe sigfillset(&mask)
        // A fault must still reach its handler, or a crash leaves no trace. The limit on real-time CPU time must still
        // be able to stop a runaway thread.
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGXCPU, SIGPROF] {
            unsafe sigdelset(&mask, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &mask, nil)
    }

    private func prepareMemory(_ report: inout RealtimeReport) {
        var lowest: UnsafeMutableRawPointer?
        var byteCount = 0
        let failure = unsafe realtime_stack_touch(&lowest, &byteCount)
        if failure == 0 { report.touchedStackBytes = byteCount } else { report.refusals.append(.stack(error: failure)) }

        guard configuration.locksMemory else { return }
        // With a finite limit the calls could succeed now and make later allocations of the process fail, so no call is
        // tried.
        let isUnlimited = realtime_memory_lock_is_unlimited()
        var refused: Int32 = ENOMEM
        if isUnlimited, !ProcessOwner.isHost {
            refused = realtime_lock_all_memory()
            guard refused != 0 else {
                report.memoryLock = .everything
                return
            }
        }
        let stackIsLocked = unsafe failure == 0 && mlock(lowest, byteCount) == 0
        if stackIsLocked { unsafe lockedStack = UnsafeMutableRawBufferPointer(start: lowest, count: byteCount) }
        report.memoryLock = stackIsLocked ? .stackOnly : .nothing
        if isUnlimited, ProcessOwner.isHost, stackIsLocked {
            holdsBuffers = true
            refused = RealtimeMemory.lock()
            guard refused != 0 else {
                report.memoryLock = .buffers
                return
            }
        }
        let limit = currentLimit(__RLIMIT_MEMLOCK)
        report.refusals.append(.memoryLock(limitBytes: limit, stackLocked: stackIsLocked, error: refused))
    }

    /// Unlocks the stack and the buffers: the C library reuses the stacks of ended threads for later threads. If the
    /// program itself locks all of its memory, these stay locked like the rest.
    private func unlockMemory() {
        let isKept = realtime_future_memory_is_locked()
        if holdsBuffers { RealtimeMemory.unlock(keepsLocks: isKept) }
        if !isKept, let stack = unsafe lockedStack { unsafe munlock(stack.baseAddress, stack.count) }
    }

    private func schedule(_ priority: Int, _ report: inout RealtimeReport) {
        let refused = realtime_schedule_fifo(Int32(priority))
        let limit = Int(clamping: currentLimit(__RLIMIT_RTPRIO))
        // Any real-time priority is far better than none: use what the limit permits.
        if refused != 0, (1..<priority).contains(limit) { _ = realtime_schedule_fifo(Int32(limit)) }

        let obtained = Int(realtime_current_fifo_priority())
        report.scheduling = obtained > 0 ? .fifo(priority: obtained) : .ordinary
        if refused != 0 {
            let granted = obtained > 0 ? obtained : nil
            report.refusals.append(.scheduling(requested: priority, limit: limit, granted: granted, error: refused))
        }
    }
}

/// Returns the process's current limit on `resource`; 0 if the system does not report the limit.
private func currentLimit(_ resource: __rlimit_resource) -> UInt {
    var limit = rlimit()
    return unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 ? limit.rlim_cur : 0
}

/// Largest stack, in bytes, up to which a stack refused as too small is enlarged.
private let largestMinimumStack = 1 << 20

/// Cause of a failure to create a thread.
struct ThreadFailure: Error {
    /// The last requested stack size, in bytes.
    let stackBytes: Int
    /// The system's error number.
    let code: Int32
}

/// Creates a thread with a given stack size; increases a size that is too small for the system.
///
/// - Parameters:
///   - context: passed to `entry`; not released here if no thread is created.
///   - entry: a function and not a closure, so that no actor's isolation can cling to the function.
func startThread(
    stackBytes: Int, _ context: UnsafeMutableRawPointer,
    _ entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
) throws(ThreadFailure) -> pthread_t {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    let page = sysconf(Int32(_SC_PAGESIZE))
    let bytes = max(stackBytes, sysconf(Int32(_SC_THREAD_STACK_MIN)))
    var rounded = (bytes > Int.max - page) ? Int.max / page * page : (bytes + page - 1) / page * page
    var handle = pthread_t()
    var failure: Int32
    repeat {
        failure = unsafe pthread_attr_setstacksize(&attributes, rounded)
        if failure == 0 { failure = unsafe pthread_create(&handle, &attributes, entry, context) }
        // Libraries store their thread-local data on the stack; only a refusal by the system shows the needed size.
        guard failure == EINVAL, rounded < largestMinimumStack else { break }
        rounded *= 2
    } while true
    if failure != 0 { throw ThreadFailure(stackBytes: rounded, code: failure) }
    return handle
}

/// Creates a thread that runs `start`.
func startThread(_ start: ThreadStart, stackBytes: Int) throws(RealtimeThreadError) -> pthread_t {
    let context = unsafe Unmanaged.passRetained(start)
    do throws(ThreadFailure) {
        return try unsafe startThread(stackBytes: stackBytes, context.toOpaque(), threadEntry)
    } catch {
        unsafe context.release()
        throw RealtimeThreadError(
            message: "the system made no thread with a stack of \(error.stackBytes) bytes (\(systemText(error.code)))",
            remedy: "\(SystemLimit.threads.remedy) Or ask for a smaller stack.")
    }
}

private func threadEntry(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context = unsafe context { unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
