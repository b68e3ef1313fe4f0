// Runs a program without a shell, reads what it writes, and ends it when it takes too long.
internal import Glibc

/// How long a program may run.
struct ChildLimits: Sendable {
    /// Seconds in all.
    var totalSeconds: Double = 900
    /// Seconds without a byte.
    var silentSeconds: Double = 30
}

/// How a program ended.
struct ChildResult: Sendable, Equatable {
    /// Its exit code, or 128 plus the number of the signal that ended it.
    let exitCode: Int32
    /// The last line it wrote to the standard error.
    let lastErrorLine: String
}

/// Why a program did not end by itself.
enum ChildFailure: Error, Equatable {
    /// It is not installed, or may not be run.
    case cannotStart(Int32)
    /// It was ended, as it took longer than permitted.
    case timeout
    /// Its output could not be taken.
    case refused(AudioFileError)
}

/// One run of a program.
struct ChildProcess: ~Copyable {
    private let process: pid_t
    private let output: Int32
    private let errors: Int32
    private var isReaped = false

    /// Starts `arguments[0]`, found along PATH, with nothing to read.
    init(_ arguments: [String]) throws(ChildFailure) {
        let (readOutput, writeOutput) = try Self.makePipe()
        let readErrors: Int32
        let writeErrors: Int32
        do throws(ChildFailure) { (readErrors, writeErrors) = try Self.makePipe() } catch {
            close(readOutput)
            close(writeOutput)
            throw error
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, writeOutput, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, writeErrors, 2)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // What the embedding program blocks or ignores is its own affair.
        var (blocked, defaults) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigfillset(&defaults)
        unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process = pid_t()
        let code = unsafe posix_spawnp(&process, arguments[0], &actions, &attributes, &words, environ)
        close(writeOutput)
        close(writeErrors)
        if code != 0 {
            close(readOutput)
            close(readErrors)
            throw .cannotStart(code)
        }
        self.process = process
        output = readOutput
        errors = readErrors
        _ = fcntl(errors, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if !isReaped {
            kill(process, SIGKILL)
            var status: Int32 = 0
            _ = unsafe waitpid(process, &status, 0)
        }
        close(output)
        close(errors)
    }

    /// Gives all output to `take`, piece by piece, then waits for the program's end.
    mutating func finish(
        _ limits: ChildLimits, _ take: (UnsafeRawBufferPointer) throws(AudioFileError) -> Void
    ) throws(ChildFailure) -> ChildResult {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { unsafe buffer.deallocate() }
        let start = monotonicSeconds()
        var lastByte = start
        var (outputIsOpen, errorText) = (true, [UInt8]())
        while outputIsOpen {
            let now = monotonicSeconds()
            if now - start > limits.totalSeconds || now - lastByte > limits.silentSeconds { throw .timeout }
            var waiting = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            ]
            _ = unsafe poll(&waiting, 2, 100)
            if waiting[1].revents != 0 { drainErrors(&errorText) }
            if waiting[0].revents == 0 { continue }
            let count = unsafe read(output, buffer.baseAddress, buffer.count)
            if count > 0 {
                lastByte = monotonicSeconds()
                do throws(AudioFileError) { try unsafe take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) } catch
                {
                    throw .refused(error)
                }
            } else if count == 0 || errno != EINTR {
                outputIsOpen = false
            }
        }
        let code = try reap(limits)
        drainErrors(&errorText)
        let lines = String(decoding: errorText, as: UTF8.self).split(whereSeparator: \.isNewline)
        return ChildResult(exitCode: code, lastErrorLine: lines.last.map(String.init) ?? "")
    }

    private mutating func reap(_ limits: ChildLimits) throws(ChildFailure) -> Int32 {
        let start = monotonicSeconds()
        while true {
            var status: Int32 = 0
            let ended = unsafe waitpid(process, &status, WNOHANG)
            if ended == process {
                isReaped = true
                let signal = status & 0x7F
                return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
            }
            if monotonicSeconds() - start > limits.silentSeconds { throw .timeout }
            usleep(1000)
        }
    }

    /// Keeps the last few kilobytes of what the program complains about, whatever the amount.
    private func drainErrors(_ text: inout [UInt8]) {
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(errors, &piece, piece.count)
            if count <= 0 { return }
            text = (text + piece[..<count]).suffix(8192)
        }
    }

    private static func makePipe() throws(ChildFailure) -> (reading: Int32, writing: Int32) {
        // Sockets, as they can be made close-on-exec in one step: a program started meanwhile by another thread would
        // else hold our pipe open, and its end would never be seen.
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        if unsafe socketpair(AF_UNIX, kind, 0, &ends) != 0 { throw .cannotStart(errno) }
        return (ends[0], ends[1])
    }
}

/// Seconds of a clock that nobody sets.
private func monotonicSeconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
