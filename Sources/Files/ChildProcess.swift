// Runs a program without a shell, reads its output, and ends it when it takes too long.
internal import CLinux
internal import Glibc

/// How long a program may run.
package struct ChildLimits: Sendable {
    /// Seconds in all.
    package var totalSeconds: Double
    /// Seconds without a byte.
    package var silentSeconds: Double

    package init(totalSeconds: Double = 900, silentSeconds: Double = 30) {
        (self.totalSeconds, self.silentSeconds) = (totalSeconds, silentSeconds)
    }
}

/// How a program ended.
package enum ChildEnd: Sendable, Equatable {
    /// By itself, with this exit code.
    case exited(Int32)
    /// By this signal.
    case killed(Int32)
    /// It has ended, but its status went elsewhere: the embedding program ignores SIGCHLD, or waits for all of its children,
    /// and Linux is older than 6.15.
    case unknown
}

/// The result of a program that ended by itself.
package struct ChildResult: Sendable, Equatable {
    package let end: ChildEnd
    /// The last line it wrote to the standard error.
    package let lastErrorLine: String
}

/// Why a program did not end by itself.
package enum ChildFailure: Error, Equatable {
    /// It is not installed, or may not be run; an errno.
    case cannotStart(Int32)
    /// It was ended because it took longer than permitted.
    case timeout
    /// It was ended because its output was no longer wanted.
    case stopped
}

/// One run of a program.
///
/// It is held by a descriptor of the process, never by its number, which may belong to another program as soon as the child has been
/// waited for. So it does not matter how the embedding program handles SIGCHLD.
package struct ChildProcess: ~Copyable {
    /// Stands for the process; -1 if it ended and other code waited for it before it could be held.
    private let process: Int32
    /// Whether it and what it starts are in a process group of their own.
    private let leadsGroup: Bool
    private let output: Int32
    private let errors: Int32
    private var isReaped = false

    /// Seconds to wait for output before the limits are checked.
    private static let stepSeconds = 0.1

    /// Starts `arguments[0]`, found along PATH, with empty input.
    ///
    /// - Parameters:
    ///   - descriptors: Passed to the program as descriptors 3, 4 and so on: see ``path(ofDescriptor:)``.
    ///   - startsOthers: Whether it may start programs of its own, which end with it when it is ended.
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
        // The child does not inherit the signals that the embedding program blocks or ignores. But SIGINT and SIGQUIT are blocked, because
        // the terminal's keys send them to all programs: a child that ended at Ctrl-C would seem to have finished its work.
        var (blocked, defaults) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGINT)
        unsafe sigaddset(&blocked, SIGQUIT)
        unsafe sigfillset(&defaults)
        unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        // Not a group of that number, but one of its own.
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
            _ = wait(milliseconds: -1)
            _ = end()
        }
        if process >= 0 { close(process) }
        close(output)
        close(errors)
    }

    /// The name by which the program can open the file of its `index`-th passed descriptor, from 0 on.
    package static func path(ofDescriptor index: Int) -> String { "/proc/self/fd/\(3 + index)" }

    /// Passes all output to `take`, piece by piece, then waits for the program's end.
    ///
    /// The limits count the time of the waits here, so time for which the whole job was stopped (Ctrl-Z) does not count.
    ///
    /// - Parameters:
    ///   - isWanted: Called at least every 100 ms; the program is ended if it returns false.
    ///   - take: Receives output; returns whether it wants more.
    package mutating func finish(
        _ limits: ChildLimits, isWanted: () -> Bool = { true }, _ take: (UnsafeRawBufferPointer) -> Bool
    ) throws(ChildFailure) -> ChildResult {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var (total, silent) = (0.0, 0.0)
        var (outputIsOpen, isOver, errorText) = (true, process < 0, [UInt8]())
        while outputIsOpen || !isOver {
            if !isWanted() { throw .stopped }
            if total > limits.totalSeconds || silent > limits.silentSeconds { throw .timeout }
            let start = monotonicSeconds()
            var waiting = [
                pollfd(fd: outputIsOpen ? output : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOver ? -1 : process, events: Int16(POLLIN), revents: 0),
            ]
            // Once it has ended, all its output is in the pipe, so there is nothing to wait for, even if another process holds the other end.
            if unsafe poll(&waiting, 3, isOver ? 0 : Int32(Self.stepSeconds * 1000)) < 0 { continue }
            let passed = min(monotonicSeconds() - start, 2 * Self.stepSeconds)
            (total, silent) = (total + passed, silent + passed)
            if waiting[1].revents != 0 { drainErrors(&errorText) }
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
        drainErrors(&errorText)
        let lines = String(decoding: errorText, as: UTF8.self).split(whereSeparator: \.isNewline)
        return ChildResult(end: end, lastErrorLine: lines.last.map(String.init) ?? "")
    }

    /// Waits until the process has ended; false if it does not end within the time.
    private func wait(milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&waiting, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }

    /// How the process ended; removes it from the system's list. Call it after the end.
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
        // The status went elsewhere.
        var status: Int32 = 0
        if unsafe linux_process_end(process, &status) != 0 { return .unknown }
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
    }

    /// Keeps the last few kilobytes of the program's error output, whatever its length.
    ///
    /// At most as much as a socket holds is read, so that a program that never ceases to complain is not read for ever.
    private func drainErrors(_ text: inout [UInt8]) {
        var piece = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<64 {
            let count = unsafe read(errors, &piece, piece.count)
            if count <= 0 { return }
            text = (text + piece[..<count]).suffix(8192)
        }
    }
}

private enum ProcessHold {
    /// P_PIDFD, which <sys/wait.h> defines as a macro of its own.
    static let kind = idtype_t(rawValue: 3)
}

/// The descriptors needed to start a program; closed with this object, except for those that were taken.
private final class Descriptors {
    /// The program gets these as its descriptors 1, 2, 3 and so on. All are higher than those, so that none overwrites another.
    private(set) var handedOver: [Int32] = []
    private var readEnds: [Int32] = []
    /// Reserved for the process, so that a started child can be held. If it cannot be opened, processes cannot be
    /// held here at all.
    private var reserve: Int32

    private static let lowest: Int32 = 16

    init(handingOver given: [Int32]) throws(ChildFailure) {
        reserve = linux_process_open(getpid())
        if reserve < 0 { throw .cannotStart(errno) }
        for _ in 0..<2 {
            // Sockets, because they can be made close-on-exec in one step. Otherwise a program that another thread starts meanwhile would
            // hold our pipe open, and its end would never be seen.
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

    /// A descriptor of a process that was just started; -1 if it has ended and was waited for, so that its number may be another's.
    func hold(_ number: pid_t) -> Int32 {
        close(reserve)
        reserve = -1
        let process = linux_process_open(number)
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

/// Seconds of a clock that cannot be set.
private func monotonicSeconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
