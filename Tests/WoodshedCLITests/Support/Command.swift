// Runs the built command as a user would: another process, with pipes for the output.
import Glibc
import ProcessHandles
import Synchronization
import TestSupport
import Testing

/// Exit status and output of a finished run.
struct Finished {
    /// The exit code, or minus the signal that ended the process.
    let status: Int32
    let output: [UInt8]
    let error: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
    var errorLines: [String] { error.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) }
}

/// The command under test.
enum Command {
    /// The path in the environment (`WOODSHED_TESTED_COMMAND`), or the command beside the test bundle, where the build
    /// puts the executable.
    static let path: String = {
        if let named = unsafe getenv("WOODSHED_TESTED_COMMAND") { return unsafe String(cString: named) }
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count - 1)
        let own = String(decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/woodshed"
    }()

    /// The user's data of runs without a place of their own, a folder for each run; removed when the tests end.
    private static let data: TestFolder = {
        _ = atexit { TestFolder.remove(Command.data.path) }
        return TestFolder()
    }()
    private static let runCount = Atomic<Int>(0)

    /// A value of TZ for runs that count days: a time zone where noon is less than an hour ago, so that the day does
    /// not change within a test.
    static var zoneAtNoon: String {
        // POSIX subtracts the hours from the time of the meridian.
        let hours = time(nil) / 3600 % 24 - 12
        return "NOON\(hours < 0 ? "" : "+")\(hours)"
    }

    /// Runs the command to its end. A run that takes longer than `seconds` is killed, which fails the test.
    ///
    /// - Parameters:
    ///   - environment: Replaces or adds variables.
    ///   - folder: The working folder; nil is the current one.
    ///   - outputPath: A file for standard output instead of a pipe.
    ///   - program: Another program to run in place of the command.
    ///   - act: Called once the process runs.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil, outputPath: String? = nil,
        program: String? = nil, seconds: Double = 300, act: ((RunningCommand) -> Void)? = nil
    ) -> Finished {
        let (output, error) = (Pipe(), Pipe())
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if let outputPath {
            unsafe posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        } else {
            unsafe posix_spawn_file_actions_adddup2(&actions, output.writeEnd, 1)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, error.writeEnd, 2)
        let inFolder = folder.map { ["-c", #"cd "$1" && shift && exec "$@""#, "sh", $0, path] + arguments }
        let process = unsafe spawn(
            program ?? (folder == nil ? path : "/bin/sh"), inFolder ?? arguments, environment: environment,
            actions: &actions)
        output.closeWriteEnd()
        error.closeWriteEnd()
        guard process > 0 else { return Finished(status: -127, output: [], error: "cannot start \(path)") }
        let running = RunningCommand(ProcessHandle(process), output, error)
        act?(running)
        running.drain(seconds: seconds)
        gather(arguments, running.output)
        return Finished(
            status: exitStatus(of: process), output: running.output,
            error: String(decoding: running.errors, as: UTF8.self))
    }

    /// Keeps the events and the measured round trips of a run, if requested, for scripts/tests/test-json.py and its
    /// other parser.
    private static func gather(_ arguments: [String], _ output: [UInt8]) {
        guard let path = unsafe getenv("WOODSHED_JSON_LINES"), arguments.contains("--json") else { return }
        // A killed run may leave half a line.
        let lines = output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            .filter { line in
                [#"{"v":1,"event":"#, #"{"v":1,"output":"#].contains { line.starts(with: Array($0.utf8)) }
            }
        let bytes = lines.flatMap { $0 + [UInt8(ascii: "\n")] }
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        // In one call, as other tests write there, too.
        if unsafe write(file, bytes, bytes.count) != bytes.count {
            Issue.record("\(unsafe String(cString: path)) is not written")
        }
        close(file)
    }

    /// Starts a program.
    ///
    /// - Parameter ownSession: Makes the process the leader of a session (POSIX_SPAWN_SETSID, 0x80): the first terminal
    ///   that the process opens becomes its controlling one.
    /// - Returns: The process id, or -1.
    static func spawn(
        _ path: String, _ arguments: [String], environment: [String: String],
        actions: UnsafePointer<posix_spawn_file_actions_t>, ownSession: Bool = false
    ) -> pid_t {
        var variables = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm", "HOME": "/nonexistent",
            "XDG_DATA_HOME": data[String(runCount.add(1, ordering: .relaxed).newValue)],
        ]
        variables.merge(environment) { $1 }
        // A command under a sanitizer follows the options of its own run.
        for name in ["TSAN_OPTIONS", "RTSAN_OPTIONS"] {
            variables[name] = unsafe getenv(name).map { unsafe String(cString: $0) }
        }
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var settings = unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe settings.forEach { unsafe free($0) }
        }
        var usual = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&usual)
        defer { unsafe posix_spawnattr_destroy(&usual) }
        let flags = usual.setShellSignals() | (ownSession ? 0x80 : 0)
        unsafe posix_spawnattr_setflags(&usual, flags)
        var process: pid_t = -1
        let result = unsafe posix_spawnp(&process, path, actions, &usual, &words, &settings)
        return result == 0 ? process : -1
    }

    /// Waits for a process, and kills a process that does not end: it would hold the tests for ever.
    static func exitStatus(of process: pid_t) -> Int32 {
        if let handle = ProcessHandle(process), !handle.waitUntilEnded() { handle.send(SIGKILL) }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }

    /// Runs a tool of the system; the tests need the tool and fail clearly without it.
    static func tool(_ name: String, _ arguments: [String]) -> Bool {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 {
            unsafe posix_spawn_file_actions_addopen(&actions, Int32(descriptor), "/dev/null", O_RDWR, 0)
        }
        let process = unsafe spawn(name, arguments, environment: [:], actions: &actions)
        return process > 0 && exitStatus(of: process) == 0
    }
}

/// The running command, for waiting and for signals.
final class RunningCommand {
    /// Nil where the system gives no descriptor of the process; then no signal is sent, as the run's end shows.
    private let handle: ProcessHandle?
    private let pipes: [Pipe]
    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []
    private var requests: [pollfd]

    fileprivate init(_ handle: ProcessHandle?, _ output: Pipe, _ errors: Pipe) {
        self.handle = handle
        pipes = [output, errors]
        requests = pipes.map { pollfd(fd: $0.readEnd, events: Int16(POLLIN), revents: 0) }
    }

    func send(_ signal: Int32) { handle?.send(signal) }

    /// Sends Ctrl-C twice a second until the process has ended, like a user in a hurry: of two at once, only the first
    /// counts.
    func interruptUntilEnded() -> Bool {
        guard let handle else { return false }
        return eventually {
            handle.send(SIGINT)
            return handle.hasEnded(within: 500)
        }
    }

    /// Waits until a signal would no longer simply end the process.
    func waitUntilHandled(_ signal: Int32) -> Bool { handle?.waitUntilHandled(signal) ?? false }

    /// Waits until the process has taken a signal.
    func waitUntilTaken(_ signal: Int32) -> Bool { handle?.waitUntilTaken(signal) ?? false }

    /// Reads until standard output has this many occurrences of a text; false when the process ends, or after two
    /// minutes, without the text.
    @discardableResult
    func wait(for wanted: String, count: Int = 1) -> Bool {
        read(seconds: 120) { String(decoding: output, as: UTF8.self).ranges(of: wanted).count >= count }
    }

    /// The same for standard error.
    @discardableResult
    func wait(forError wanted: String) -> Bool {
        read(seconds: 120) { String(decoding: errors, as: UTF8.self).contains(wanted) }
    }

    /// Reads until both pipes are closed, and ends a run that takes longer than `seconds`.
    fileprivate func drain(seconds: Double) {
        if !read(seconds: seconds, until: { isClosed }) {
            let told = String(decoding: errors, as: UTF8.self)
            Issue.record("a run has not ended after \(Int(seconds)) s, and is killed: \(told)")
            handle?.send(SIGKILL)
        }
        // A process that holds the pipes beyond the command's end would be waited for in vain.
        read(seconds: 10) { isClosed }
    }

    private var isClosed: Bool { requests.allSatisfy { $0.fd < 0 } }

    @discardableResult
    private func read(seconds: Double, until isDone: () -> Bool) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        var buffer = [UInt8](repeating: 0, count: 65536)
        var lateLooks = 0
        while !isDone() {
            // Output may have come while this thread stood still beyond the end. Some programs write without end.
            if ContinuousClock.now >= end { lateLooks += 1 }
            guard !isClosed, lateLooks <= 100 else { return false }
            guard unsafe poll(&requests, 2, lateLooks > 0 ? 0 : 100) > 0 else {
                if lateLooks > 0 { return false }
                continue
            }
            for index in 0..<2 where requests[index].revents != 0 {
                let count = unsafe Glibc.read(requests[index].fd, &buffer, buffer.count)
                if count <= 0 { requests[index].fd = -1 }
                if count > 0 && index == 0 { output += buffer.prefix(count) }
                if count > 0 && index == 1 { errors += buffer.prefix(count) }
            }
        }
        return true
    }
}

/// A pipe from the process to the test.
final class Pipe {
    let readEnd: Int32
    private(set) var writeEnd: Int32

    init() {
        // A pipe with a name, because `pipe` cannot open its ends with O_CLOEXEC. Set later, the flag would come too
        // late for a program just started by another test, and that program would keep the pipe open.
        let folder = TestFolder()
        let path = folder["pipe"]
        _ = unsafe mkfifo(path, 0o600)
        readEnd = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        writeEnd = unsafe open(path, O_WRONLY | O_CLOEXEC)
        _ = fcntl(readEnd, F_SETFL, 0)
        withExtendedLifetime(folder) {}
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }
}
