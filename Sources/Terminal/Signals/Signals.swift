// Signals become bytes in a pipe that the main loop reads together with the keyboard. Handlers are installed, not
// SIG_IGN or a blocked mask, because a decoder process would inherit both.
package import Explanations
import Files
import Glibc
import Synchronization

/// The handled signals, and their arrivals.
package enum Signals {
    private static let writeEnd = Atomic<Int32>(-1)
    /// A watch lasts while a loop reads the pipe, or soon will; otherwise an interrupt ends the process itself.
    private static let requests = EndRequests()
    /// True if the reader of the pipe has seen a signal that requests the end.
    private static let isAnswered = Atomic<Bool>(false)
    /// True during an operation that must complete before the process ends.
    private static let isHolding = Atomic<Bool>(false)
    /// Signal that would have ended the process during the operation; 0 for none.
    private static let held = Atomic<Int32>(0)
    /// The first signal of the watch that requested the end; 0 for none.
    private static let first = Atomic<Int32>(0)
    /// Seconds after the first signal before an unresponsive main thread is ended. A second in which the main thread
    /// waits for a processor does not count.
    package static let patience: UInt32 = 5
    /// Allowance in seconds for ending a take, with some seconds to spare.
    package static let concludingSeconds: UInt32 = 40
    /// Present allowance of the main thread, in seconds.
    private static let allowance = Atomic<UInt32>(5)
    /// Remaining seconds of the allowance. Each second is counted by its own alarm, so a stopped process loses at most
    /// a second.
    private static let secondsLeft = Atomic<Int>(0)

    private static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP]
    private static let faults: [Int32] = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]

    /// Installs the handlers. Call once, before any thread starts.
    ///
    /// - Parameter others: Further signals, reported through the descriptor.
    /// - Returns: A descriptor that becomes readable when a signal has arrived; -1 if the system gives no pipe.
    package static func install(others: [Int32] = []) -> Int32 {
        RawMode.prepareForHandlers()
        PartialFiles.prepareForHandlers()
        LiveLines.prepareForHandlers()
        LastWords.prepareForHandlers()
        ProcessorWait.prepareForHandlers()
        guard let pipe = try? WakePipe() else { return -1 }
        _ = requests.isRequested
        _ = (allowance.load(ordering: .relaxed), secondsLeft.load(ordering: .relaxed))
        _ = (isHolding.load(ordering: .relaxed), held.load(ordering: .relaxed), first.load(ordering: .relaxed))
        writeEnd.store(pipe.writeEnd, ordering: .releasing)
        let telling = [SIGTSTP, SIGCONT, SIGWINCH] + others
        unblock(ending + telling + [SIGALRM])
        handle(SIGALRM, alarmHandler)
        for number in ending where !isIgnored(number) { handle(number, endingHandler) }
        for number in telling where !isIgnored(number) { handle(number, notifyingHandler) }
        // A write to a closed pipe then fails with EPIPE, and a write beyond the permitted size with EFBIG. The writing
        // code handles these errors.
        for number in [SIGPIPE, SIGXFSZ] { handle(number, quietHandler) }
        for number in faults {
            handle(number, faultHandler, flags: Int32(bitPattern: UInt32(SA_RESETHAND)) | Int32(SA_NODEFER))
        }
        return pipe.readEnd
    }

    /// Begins the watch: from here on, the reader of the pipe handles a first interrupt. Within an earlier watch,
    /// begins its next part: an interrupt seen by the reader is over, and a further interrupt counts as the first. An
    /// interrupt not seen yet still counts, so another interrupt ends the process at once.
    ///
    /// - Returns: False within an earlier watch, which only its owner ends.
    @discardableResult
    package static func beginWatching() -> Bool {
        let begins = !requests.isWatched
        // An earlier part may have had a longer allowance.
        allowance.store(patience, ordering: .relaxed)
        guard isAnswered.exchange(false, ordering: .relaxed) || begins else { return false }
        // Before the watch: a first interrupt of the watch keeps its alarm and its number.
        stopLeaving()
        first.store(0, ordering: .sequentiallyConsistent)
        requests.beginWatch()
        return begins
    }

    /// Ends the watch: from here on, an interrupt ends the process at once again, and so does an interrupt of the watch
    /// that the reader of the pipe has not seen.
    package static func endWatching() {
        requests.endWatch()
        stopLeaving()
        guard requests.isRequested, !isAnswered.load(ordering: .relaxed) else { return }
        // A handler on another thread that has not stored the number yet finds the watch ended, and ends the process.
        let number = first.load(ordering: .sequentiallyConsistent)
        if number != 0 { leave(by: number) }
    }

    private static func stopLeaving() {
        secondsLeft.store(0, ordering: .relaxed)
        alarm(0)
    }

    /// Renews the allowance: the loop responds. After an interrupt, the process ends if no call renews the allowance
    /// for `seconds`.
    package static func postponeLeaving(seconds: UInt32 = patience) {
        allowance.store(seconds, ordering: .relaxed)
        if requests.isRequested { leaveLater() }
    }

    /// Ends the process after the allowance, unless called again before. Safe in a signal handler.
    private static func leaveLater() {
        secondsLeft.store(Int(allowance.load(ordering: .relaxed)), ordering: .relaxed)
        alarm(1)
    }

    /// Runs a short operation to its end in spite of signals, such as creating a file and storing its name. A pending
    /// signal ends the process afterwards.
    package static func holding<Result>(_ body: () throws -> Result) rethrows -> Result {
        isHolding.store(true, ordering: .sequentiallyConsistent)
        defer {
            isHolding.store(false, ordering: .sequentiallyConsistent)
            let number = held.load(ordering: .sequentiallyConsistent)
            if number != 0 { leave(by: number) }
        }
        return try body()
    }

    /// Returns the signals since the last call, oldest first.
    package static func drain(_ descriptor: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        let numbers = bytes.prefix(count).map { Int32($0) }
        if numbers.contains(where: ending.contains) { isAnswered.store(true, ordering: .relaxed) }
        return numbers
    }

    /// Stops this process like Ctrl-Z; returns when the process continues.
    package static func stopUntilContinued() {
        handle(SIGTSTP, SIG_DFL)
        _ = raise(SIGTSTP)
        handle(SIGTSTP, notifyingHandler)
    }

    /// Unblocks signals. The mask is inherited from the parent, and some parents (thread pools) leave a mask not meant
    /// for us.
    private static func unblock(_ numbers: [Int32]) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        _ = unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        // nohup, and background jobs of a shell without job control, ask to ignore signals, and are obeyed.
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
        let (order, isWatched) = Signals.requests.add(at: max(1, MonotonicTime.now() / 1_000_000))
        if order == .echo { return }
        if order == .first {
            Signals.first.store(number, ordering: .sequentiallyConsistent)
            // The responsible thread may wait for an event that never comes.
            Signals.leaveLater()
        }
        if isWatched {
            // The watch may end at this moment.
            if order == .first, Signals.requests.isWatched { return Signals.notify(number) }
            // Only a second Ctrl-C means that the user does not want to wait.
            if order == .later, number != SIGINT { return }
        }
        Signals.held.store(number, ordering: .sequentiallyConsistent)
        if !Signals.isHolding.load(ordering: .sequentiallyConsistent) { Signals.leave(by: number) }
    }

    private static let alarmHandler: __sighandler_t = { _ in
        let second = ProcessorWait.hasLasted() ? 0 : 1
        let left = Signals.secondsLeft.subtract(second, ordering: .relaxed).newValue
        if left > 0 { alarm(1) }
        let number = Signals.first.load(ordering: .sequentiallyConsistent)
        if left == 0, number != 0 { Signals.leave(by: number) }
    }

    /// Ends the process at once: clears the lines on the terminal, and reports the finished work. Safe in a signal
    /// handler.
    private static func leave(by number: Int32) {
        RawMode.leave()
        LiveLines.leaveTerminal()
        LastWords.write()
        PartialFiles.removeAll()
        _exit(128 + number)
    }

    /// Ends the process at once, and leaves no partial files behind.
    package static func leave(with status: ExitStatus) -> Never {
        RawMode.leave()
        PartialFiles.removeAll()
        _exit(status.rawValue)
    }

    /// Restores the terminal, then lets the fault take its course (the action was reset on entry).
    private static let faultHandler: __sighandler_t = { number in
        RawMode.leave()
        LiveLines.leaveTerminal()
        _ = raise(number)
    }
}
