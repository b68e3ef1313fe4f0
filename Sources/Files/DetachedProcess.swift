internal import CLinux
internal import Glibc

/// A program that outlives its starter: in its own session, with empty input, and with its output in a file or
/// nowhere.
///
/// A descriptor holds the process as long as this value lives, to learn of its end. After that the process is left
/// alone.
package struct DetachedProcess: ~Copyable {
    /// Process number, for messages and file names. Nothing is ever sent to this number.
    package let number: Int
    /// Descriptor of the process; -1 if the system refused the descriptor, as before Linux 5.3 or without a free one.
    private let process: Int32

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: Path of the program; a name without a slash is found along PATH.
    ///   - arguments: Name and arguments of the program, in the system's form.
    ///   - variables: Variables added to the environment, each as NAME=value.
    ///   - output: Descriptor for the standard output and the standard error; nil for no output.
    package init(
        _ path: String, _ arguments: [[CChar]], variables: [String], output: Int32?
    ) throws(ChildFailure) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for target in [Int32(1), 2] {
            if let output {
                unsafe posix_spawn_file_actions_adddup2(&actions, output, target)
            } else {
                unsafe posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_WRONLY, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // In its own session the program gets none of the terminal's signals. It inherits no blocked or ignored
        // signals.
        var (blocked, defaults) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigfillset(&defaults)
        unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        // POSIX_SPAWN_SETSID; <spawn.h> defines it only for the GNU dialect.
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80))

        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe []
        var place = unsafe environ
        while let entry = unsafe place.pointee {
            unsafe environment.append(strdup(entry))
            unsafe place += 1
        }
        for variable in variables { unsafe environment.append(strdup(variable)) }
        unsafe environment.append(nil)
        defer { unsafe environment.forEach { unsafe free($0) } }
        var child = pid_t()
        let code = unsafe posix_spawnp(&child, path, &actions, &attributes, &words, &environment)
        if code != 0 { throw .cannotStart(code) }
        number = Int(child)
        // Nobody has waited for this child, so the number is still its own.
        process = linux_process_open(child)
    }

    deinit { if process >= 0 { close(process) } }

    /// Returns the end of the process, once; nil while it runs.
    ///
    /// - Parameter milliseconds: Longest wait for the end.
    package func end(within milliseconds: Int32) -> ChildEnd? {
        guard process >= 0 else { return endByNumber(within: milliseconds) }
        guard DescriptorEvents.wait(for: POLLIN, of: process, milliseconds: milliseconds) != 0 else { return nil }
        var info = unsafe siginfo_t()
        // P_PIDFD: <sys/wait.h> defines the constant as a macro of its own.
        guard unsafe waitid(idtype_t(rawValue: 3), id_t(process), &info, WEXITED) == 0 else { return .unknown }
        return unsafe Self.ending(info)
    }

    /// Returns the end of a process that could not be held.
    ///
    /// The system answers for children of this process only. A number that belongs to another program by now gives
    /// `unknown`.
    private func endByNumber(within milliseconds: Int32) -> ChildEnd? {
        var rest = milliseconds
        while true {
            var info = unsafe siginfo_t()
            if unsafe waitid(P_PID, id_t(number), &info, WEXITED | WNOHANG) == 0 {
                if unsafe info.si_signo != 0 { return unsafe Self.ending(info) }
            } else if errno != EINTR {
                return .unknown
            }
            if rest <= 0 { return nil }
            let step = min(rest, Self.stepMilliseconds)
            usleep(UInt32(step) * 1000)
            rest -= step
        }
    }

    /// Time between two questions for the end of a process that could not be held.
    private static let stepMilliseconds: Int32 = 10

    private static func ending(_ info: siginfo_t) -> ChildEnd {
        let status = unsafe info._sifields._sigchld.si_status
        return unsafe info.si_code == Int32(CLD_EXITED) ? .exited(status) : .killed(status)
    }
}
