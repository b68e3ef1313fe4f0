// Signals become bytes in a pipe that the main loop reads together with the keyboard. Handlers are installed (instead of SIG_IGN
// or a blocked mask), because both of those would be inherited by a decoder process.
package import Explanations
import Files
import Glibc
import Synchronization

/// The signals that this command handles, and those that have arrived.
package enum Signals {
    private static let writeEnd = Atomic<Int32>(-1)
    private static let interrupts = Atomic<Int>(0)
    /// True once a loop reads the pipe; before that, an interrupt ends the process itself.
    private static let isWatched = Atomic<Bool>(false)
    /// True during an operation that the end of the process must not interrupt.
    private static let isHolding = Atomic<Bool>(false)
    /// The signal that would have ended the process meanwhile; 0: none.
    private static let held = Atomic<Int32>(0)
    /// The first signal that requested the end.
    private static let first = Atomic<Int32>(0)
    /// Seconds after the first signal for which the main thread may not respond before the process is ended anyway.
    package static let patience: UInt32 = 5
    /// As long as the end of a take may take, and some seconds more.
    package static let concludingSeconds: UInt32 = 40
    /// The same for what the main thread does at present.
    private static let allowance = Atomic<UInt32>(5)
    /// How many of these seconds are left. They are counted by one alarm each: a process that is stopped meanwhile loses one at most.
    private static let secondsLeft = Atomic<Int>(0)

    private static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP]
    private static let faults: [Int32] = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]

    /// Installs the handlers; call once, before any thread is started.
    ///
    /// - Parameter others: Signals with another meaning.
    /// - Returns: The descriptor that becomes readable when a signal has arrived; -1 if the system has none left.
    package static func install(others: [Int32] = []) -> Int32 {
        RawMode.prepareForHandlers()
        PartialFiles.prepareForHandlers()
        LiveLines.prepareForHandlers()
        guard let pipe = WakePipe() else { return -1 }
        _ = interrupts.load(ordering: .relaxed)
        _ = isWatched.load(ordering: .relaxed)
        _ = (allowance.load(ordering: .relaxed), secondsLeft.load(ordering: .relaxed))
        _ = (isHolding.load(ordering: .relaxed), held.load(ordering: .relaxed), first.load(ordering: .relaxed))
        writeEnd.store(pipe.writeEnd, ordering: .releasing)
        let telling = [SIGTSTP, SIGCONT, SIGWINCH] + others
        unblock(ending + telling + [SIGALRM])
        handle(SIGALRM, alarmHandler)
        for number in ending where !isIgnored(number) { handle(number, endingHandler) }
        for number in telling where !isIgnored(number) { handle(number, notifyingHandler) }
        // A write to a closed pipe then fails with EPIPE, and one beyond the permitted size with EFBIG; the code that writes
        // handles these errors.
        for number in [SIGPIPE, SIGXFSZ] { handle(number, quietHandler) }
        for number in faults {
            handle(number, faultHandler, flags: Int32(bitPattern: UInt32(SA_RESETHAND)) | Int32(SA_NODEFER))
        }
        return pipe.readEnd
    }

    /// From here on the loop that reads the pipe handles a first interrupt.
    package static func beginWatching() {
        interrupts.store(0, ordering: .relaxed)
        allowance.store(patience, ordering: .relaxed)
        isWatched.store(true, ordering: .releasing)
    }

    /// From here on an interrupt ends the process at once again.
    package static func endWatching() {
        isWatched.store(false, ordering: .releasing)
        secondsLeft.store(0, ordering: .relaxed)
        alarm(0)
    }

    /// The loop responds; after an interrupt, the process is ended once this was not called for some seconds.
    package static func postponeLeaving(seconds: UInt32 = patience) {
        allowance.store(seconds, ordering: .relaxed)
        if interrupts.load(ordering: .acquiring) > 0 { leaveLater() }
    }

    /// Ends the process after the allowance, unless it is called again before. Safe in a signal handler.
    private static func leaveLater() {
        secondsLeft.store(Int(allowance.load(ordering: .relaxed)), ordering: .relaxed)
        alarm(1)
    }

    /// Runs a short operation, such as creating a file and storing its name, that a signal must not interrupt: the process
    /// ends after it.
    package static func holding<Result>(_ body: () throws -> Result) rethrows -> Result {
        isHolding.store(true, ordering: .sequentiallyConsistent)
        defer {
            isHolding.store(false, ordering: .sequentiallyConsistent)
            let number = held.load(ordering: .sequentiallyConsistent)
            if number != 0 { leave(by: number) }
        }
        return try body()
    }

    /// The signals that arrived since the last call, oldest first.
    package static func drain(_ descriptor: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        return bytes.prefix(count).map { Int32($0) }
    }

    /// Stops this process as Ctrl-Z does; returns when it is continued.
    package static func stopUntilContinued() {
        handle(SIGTSTP, SIG_DFL)
        _ = raise(SIGTSTP)
        handle(SIGTSTP, notifyingHandler)
    }

    /// A parent's mask is inherited, and some parents (thread pools) leave one that was not meant for us.
    private static func unblock(_ numbers: [Int32]) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        _ = unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        // nohup and background jobs of a shell without job control ask for this, and keep it.
        let current = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        let ignoring = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        return current == ignoring
    }

    private static func handle(_ number: Int32, _ handler: __sighandler_t?, flags: Int32 = SA_RESTART) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = handler
        action.sa_flags = flags
        unsafe sigemptyset(&action.sa_mask)
        _ = unsafe sigaction(number, &action, nil)
    }

    private static func notify(_ number: Int32) {
        let kept = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = kept
    }

    private static let notifyingHandler: __sighandler_t = { number in Signals.notify(number) }

    private static let quietHandler: __sighandler_t = { _ in }

    private static let endingHandler: __sighandler_t = { number in
        let earlier = Signals.interrupts.add(1, ordering: .acquiringAndReleasing).oldValue
        if earlier == 0 {
            Signals.first.store(number, ordering: .releasing)
            // The thread that should respond may wait for something that never comes.
            Signals.leaveLater()
        }
        if Signals.isWatched.load(ordering: .acquiring) {
            if earlier == 0 { return Signals.notify(number) }
            // A terminal that closes and `timeout` send theirs twice; only who presses Ctrl-C again does not want to wait.
            if number != SIGINT { return }
        }
        Signals.held.store(number, ordering: .sequentiallyConsistent)
        if !Signals.isHolding.load(ordering: .sequentiallyConsistent) { Signals.leave(by: number) }
    }

    private static let alarmHandler: __sighandler_t = { _ in
        let left = Signals.secondsLeft.subtract(1, ordering: .relaxed).newValue
        if left > 0 { alarm(1) }
        let number = Signals.first.load(ordering: .acquiring)
        if left == 0, number != 0 { Signals.leave(by: number) }
    }

    /// Ends the process at once, and clears the lines on the terminal. Safe in a signal handler.
    private static func leave(by number: Int32) {
        RawMode.leave()
        LiveLines.leaveTerminal()
        PartialFiles.removeAll()
        _exit(128 + number)
    }

    /// Ends the process at once, with nothing half done left behind.
    package static func leave(with status: ExitStatus) -> Never {
        RawMode.leave()
        PartialFiles.removeAll()
        _exit(status.rawValue)
    }

    /// Gives the terminal back, then lets the fault take its course (the action was reset on entry).
    private static let faultHandler: __sighandler_t = { number in
        RawMode.leave()
        LiveLines.leaveTerminal()
        _ = raise(number)
    }
}
