// Runs a program without a shell, reads its output, and ends the program after a timeout.
internal import CLinux
internal import Glibc

/// Time limits of a program.
package struct ChildLimits: Sendable {
    /// Longest run in seconds.
    package var totalSeconds: Double
    /// Longest time without a byte of output, in seconds.
    package var silentSeconds: Double

    package init(totalSeconds: Double = 900, silentSeconds: Double = 30) {
        (self.totalSeconds, self.silentSeconds) = (totalSeconds, silentSeconds)
    }
}

/// The end of a program.
package enum ChildEnd: Sendable, Equatable {
    /// The program exited with this exit code.
    case exited(Int32)
    /// This signal killed the program.
    case killed(Int32)
    /// The program has ended, but its status went elsewhere: the embedding program ignores SIGCHLD, or waits for all of
    /// its children, and Linux is older than 6.15.
    case unknown
}

/// The result of a program that ended on its own.
package struct ChildResult: Sendable, Equatable {
    package let end: ChildEnd
    /// Last line written to the standard error.
    package let lastErrorLine: String
}

/// The reason why a program did not end on its own.
package enum ChildFailure: Error, Equatable {
    /// The program is not installed or not executable; an errno.
    case cannotStart(Int32)
    /// A time limit ended the program.
    case timeout
    /// The caller wanted no further output, which ended the program.
    case stopped
}

/// A run of a program.
///
/// The process is held by a descriptor, never by its number. The number may belong to another program as soon as the
/// child has been waited for. It therefore does not matter how the embedding program handles SIGCHLD.
package struct ChildProcess: ~Copyable {
    /// Descriptor of the process; -1 if the process ended, and other code waited for it, before it could be held, or if
    /// the system had no descriptor for a minute.
    private let process: Int32
    /// True if the process and its children are in their own process group.
    private let leadsGroup: Bool
    private let output: Int32
    private let errors: Int32
    private var isReaped = false

    /// Longest wait for output before the limits are checked, in seconds.
    private static let stepSeconds = 0.1

    /// Starts `arguments[0]`, found along PATH, with empty input.
    ///
    /// - Parameters:
    ///   - descriptors: Descriptors passed to the program, as descriptors 3, 4 and so on: see ``path(ofDescriptor:)``.
    ///   - startsOthers: True if the program may start further programs. Ending the program then ends them as well.
    package init(
        _ arguments: [String], descriptors: [Int32] = [], startsOthers: Bool = false
    ) throws(ChildFailure) {
        let own = try Descriptors(handingOver: descriptors)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (target, descriptor) in own.handedOver.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target + 1))
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The child does not inherit the signals blocked or ignored by the embedding program. SIGINT and SIGQUIT are
        // blocked, because the terminal's keys send these signals to all programs: a child ended by Ctrl-C would seem
        // to have finished its work.
        var (blocked, defaults) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGINT)
        unsafe sigaddset(&blocked, SIGQUIT)
        unsafe sigfillset(&defaults)
        unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        // Zero makes a new process group, not a group of this number.
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (startsOthers ? POSIX_SPAWN_SETPGROUP : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var number = pid_t()
        let code = unsafe posix_spawnp(&number, arguments[0], &actions, &attributes, &words, environ)
        if code != 0 { throw .cannotStart(code) }
        process = own.hold(number)
        leadsGroup = startsOthers
        (output, errors) = own.takeReadEnds()
    }

    deinit {
        if !isReaped, process >= 0 {
            // On an older system only the program itself is ended.
            if leadsGroup { linux_process_group_signal(process, SIGKILL) }
            linux_process_signal(process, SIGKILL)
            _ = DescriptorEvents.wait(for: POLLIN, of: process, milliseconds: -1)
            _ = end()
        }
        if process >= 0 { close(process) }
        close(output)
        close(errors)
    }

    /// Returns the path at which the program can open the file of its `index`-th passed descriptor, from 0.
    package static func path(ofDescriptor index: Int) -> String { "/proc/self/fd/\(3 + index)" }

    /// Passes all output to `take`, piece by piece, then waits for the end of the program.
    ///
    /// The limits count the time spent waiting here. Time during which the whole job was stopped (Ctrl-Z) does not
    /// count.
    ///
    /// - Parameters:
    ///   - isWanted: Called at least every 100 ms. Returning false ends the program.
    ///   - take: Receives output; returns true to receive further output.
    package mutating func finish(
        _ limits: ChildLimits, isWanted: () -> Bool = { true }, _ take: (UnsafeRawBufferPointer) -> Bool
    ) throws(ChildFailure) -> ChildResult {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var (total, silent) = (0.0, 0.0)
        var (outputIsOpen, errorsAreOpen, isOver, errorText) = (true, true, process < 0, [UInt8]())
        while outputIsOpen || !isOver {
            if !isWanted() { throw .stopped }
            if total > limits.totalSeconds || silent > limits.silentSeconds { throw .timeout }
            let start = MonotonicTime.seconds()
            var waiting = [
                pollfd(fd: outputIsOpen ? output : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errorsAreOpen ? errors : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOver ? -1 : process, events: Int16(POLLIN), revents: 0),
            ]
            // After the end of the process all its output is in the pipe. Do not wait then, even if another process
            // holds the other end.
            let count = unsafe poll(&waiting, 3, isOver ? 0 : Int32(Self.stepSeconds * 1000))
            // Time passes also under signals in quick succession.
            let passed = min(MonotonicTime.seconds() - start, 2 * Self.stepSeconds)
            (total, silent) = (total + passed, silent + passed)
            if count < 0 { continue }
            // A program may redirect its error output; poll() would then return at once for as long as it runs.
            if waiting[1].revents != 0 { errorsAreOpen = drainErrors(&errorText) }
            if waiting[0].revents != 0 {
                let count = unsafe read(output, buffer.baseAddress, buffer.count)
                if count > 0 {
                    silent = 0
                    if unsafe !take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { throw .stopped }
                } else if count == 0 || errno != EINTR && errno != EAGAIN {
                    outputIsOpen = false
                }
            } else if isOver {
                outputIsOpen = false
            }
            if waiting[2].revents != 0 { isOver = true }
        }
        let end = end()
        isReaped = true
        _ = drainErrors(&errorText)
        let lines = String(decoding: errorText, as: UTF8.self).split(whereSeparator: \.isNewline)
        return ChildResult(end: end, lastErrorLine: lines.last.map(String.init) ?? "")
    }

    /// Returns the end of the process, and removes the process from the system's list. Requires an ended process.
    private func end() -> ChildEnd {
        if process < 0 { return .unknown }
        var info = unsafe siginfo_t()
        while true {
            if unsafe waitid(ProcessHold.kind, id_t(process), &info, WEXITED) == 0 {
                let status = unsafe info._sifields._sigchld.si_status
                return unsafe info.si_code == Int32(CLD_EXITED) ? .exited(status) : .killed(status)
            }
            if errno != EINTR { break }
        }
        // Another waiter took the status.
        var status: Int32 = 0
        if unsafe linux_process_end(process, &status) != 0 { return .unknown }
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
    }

    /// Keeps the last few kilobytes of the program's error output, whatever its length.
    ///
    /// Reads at most as much as a socket holds, so that a program that never stops complaining is not read for ever.
    /// Returns false once no process can write any more.
    private func drainErrors(_ text: inout [UInt8]) -> Bool {
        var piece = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<64 {
            let count = unsafe read(errors, &piece, piece.count)
            if count <= 0 { return count < 0 && (errno == EAGAIN || errno == EINTR) }
            text = (text + piece[..<count]).suffix(8192)
        }
        return true
    }
}

private enum ProcessHold {
    /// P_PIDFD: <sys/wait.h> defines the constant as a macro of its own.
    static let kind = idtype_t(rawValue: 3)
}

/// The descriptors needed to start a program. Releasing this object closes all descriptors not taken before.
private final class Descriptors {
    /// Descriptors for the program, which become its descriptors 1, 2, 3 and so on. All are higher than these numbers,
    /// so that none overwrites another.
    private(set) var handedOver: [Int32] = []
    private var readEnds: [Int32] = []
    /// Descriptor reserved for the process, so that a started child can be held. If the reserve cannot be opened, the
    /// system cannot hold processes at all.
    private var reserve: Int32

    private static let lowest: Int32 = 16
    /// Attempts to hold a process, a millisecond apart, while other threads use up all descriptors: a minute.
    private static let attempts = 60_000

    init(handingOver given: [Int32]) throws(ChildFailure) {
        reserve = linux_process_open(getpid())
        if reserve < 0 { throw .cannotStart(errno) }
        for _ in 0..<2 {
            // Use sockets, because they become close-on-exec in a single step. Otherwise a program started meanwhile by
            // another thread would hold our pipe open, and the end of the pipe would never be seen.
            var ends: [Int32] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            if unsafe socketpair(AF_UNIX, kind, 0, &ends) != 0 { throw .cannotStart(errno) }
            readEnds.append(ends[0])
            defer { close(ends[1]) }
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            try handOver(ends[1])
        }
        for descriptor in given { try handOver(descriptor) }
    }

    deinit { for descriptor in handedOver + readEnds + [reserve] where descriptor >= 0 { close(descriptor) } }

    private func handOver(_ descriptor: Int32) throws(ChildFailure) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, Self.lowest)
        if copy < 0 { throw .cannotStart(errno) }
        handedOver.append(copy)
    }

    /// Returns a descriptor of a process just started. Returns -1 if the process has ended and was waited for: its
    /// number may then be another's.
    ///
    /// The reserve is given up only if no other descriptor is free. Another thread may take the reserve at that moment.
    /// Then the descriptors that the program has copies of follow, one by one, and at last the call waits for a
    /// descriptor.
    func hold(_ number: pid_t) -> Int32 {
        var process = linux_process_open(number)
        var attempt = 0
        while process < 0, errno == EMFILE || errno == ENFILE, attempt < Self.attempts {
            if reserve >= 0 {
                close(reserve)
                reserve = -1
            } else if let spare = handedOver.popLast() {
                close(spare)
            } else {
                usleep(1000)
            }
            attempt += 1
            process = linux_process_open(number)
        }
        if process < 0 { return -1 }
        // The system knows whether the number is a child of ours, running or ended; another program is not.
        var info = unsafe siginfo_t()
        if unsafe waitid(ProcessHold.kind, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 { return process }
        close(process)
        return -1
    }

    func takeReadEnds() -> (output: Int32, errors: Int32) {
        defer { readEnds = [] }
        return (readEnds[0], readEnds[1])
    }
}
