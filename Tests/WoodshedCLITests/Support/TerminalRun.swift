// Runs a program on a terminal of its own, and reads the screen as a user would.
import Glibc
import ProcessHandles
import Testing

extension Trait where Self == ConditionTrait {
    /// For tests with a program on a terminal. Where no terminal is possible, the tests are reported as not run.
    static var needsTerminal: Self {
        .enabled("no pseudo-terminal can be opened here, as without /dev/pts") { TerminalRun.isPossible }
    }
}

/// A process with a pseudo-terminal as its controlling terminal.
///
/// Without a pseudo-terminal, the test fails, runs nothing and sees nothing.
final class TerminalRun {
    /// Whether a pseudo-terminal can be opened.
    static let isPossible: Bool = {
        var ends: (Int32, Int32) = (-1, -1)
        guard unsafe openpty(&ends.0, &ends.1, nil, nil, nil) == 0 else { return false }
        close(ends.0)
        close(ends.1)
        return true
    }()

    private let master: Int32
    private let process: pid_t
    private let handle: ProcessHandle?
    private(set) var seen: [UInt8] = []
    private var isReaped = false

    init(_ path: String, _ arguments: [String], environment: [String: String] = [:], columns: Int = 80) {
        // Not by `openpty`, whose ends reach programs just started by other tests: the terminal would not end with its
        // program. Only the program opens the terminal's own end.
        let outer = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // Swift does not see TIOCSPTLCK, which unlocks the terminal, and TIOCGPTN, which gets its number.
        var (lock, number): (Int32, Int32) = (0, 0)
        guard outer >= 0, unsafe ioctl(outer, 0x4004_5431, &lock) == 0, unsafe ioctl(outer, 0x8004_5430, &number) == 0
        else {
            Issue.record("no pseudo-terminal could be opened (errno \(errno)), so \(path) was not run")
            if outer >= 0 { close(outer) }
            (master, process, handle, hasEnded, isReaped) = (-1, -1, nil, true, true)
            return
        }
        master = outer
        TerminalRun.resize(outer, columns: columns)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        process = unsafe Command.spawn(
            path, arguments, environment: environment, actions: &actions, ownSession: true)
        unsafe posix_spawn_file_actions_destroy(&actions)
        handle = ProcessHandle(process)
        if handle == nil {
            Issue.record("\(path) could not be started, or the system gives no descriptor of it")
            hasEnded = true
        }
        isReaped = process <= 0
    }

    deinit {
        handle?.send(SIGKILL)
        // Closing hangs up on a program that did not end.
        if master >= 0 { close(master) }
        if !isReaped { _ = Command.exitStatus(of: process) }
    }

    var text: String { String(decoding: seen, as: UTF8.self) }

    /// Sends the program a signal; the other method sends typed text.
    func send(signal: Int32) { handle?.send(signal) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(master, bytes, bytes.count)
    }

    func resize(columns: Int) { Self.resize(master, columns: columns) }

    private static func resize(_ terminal: Int32, columns: Int) {
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// Number of bytes seen up to the end of the last whole drawing. The last read may end in the middle of a drawing,
    /// where no terminal's cursor rests.
    var endOfDrawing: Int {
        let end = Array("\u{1B}[?7h".utf8)
        return seen.indices.last { seen[...$0].suffix(end.count).elementsEqual(end) }.map { $0 + 1 } ?? 0
    }

    /// The terminal's local flags, which raw mode changes.
    var localFlags: tcflag_t {
        var settings = termios()
        _ = unsafe tcgetattr(master, &settings)
        return settings.c_lflag
    }

    /// Reads until any of the texts has been seen after `from` bytes, or the time is over.
    @discardableResult
    func wait(for wanted: String..., from: Int = 0, seconds: Double = 120) -> Bool {
        read(seconds: seconds) {
            let text = String(decoding: seen.dropFirst(from), as: UTF8.self)
            return wanted.contains { text.contains($0) }
        }
    }

    /// Reads all output within the time.
    func read(seconds: Double) { read(seconds: seconds) { false } }

    /// Reads to the end and returns how the process ended. A run that takes longer than `seconds` is killed, and fails
    /// the test.
    func finish(seconds: Double = 120) -> Int32 {
        read(seconds: seconds) { hasEnded }
        guard !isReaped else { return -127 }
        if !hasEnded {
            Issue.record("a run on a terminal has not ended, and is killed: \(text.suffix(600))")
            handle?.send(SIGKILL)
        }
        isReaped = true
        return Command.exitStatus(of: process)
    }

    private var hasEnded = false

    @discardableResult
    private func read(seconds: Double, until isDone: () -> Bool) -> Bool {
        // Counts the time without output. A program may also draw without a pause for ever.
        var rest = Int(seconds * 1000)
        let end = ContinuousClock.now + .seconds(seconds + 400)
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !isDone() {
            guard rest > 0, !hasEnded, ContinuousClock.now < end else { return false }
            var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&request, 1, 20) == 0 {
                rest -= 20
                continue
            }
            let count = unsafe Glibc.read(master, &buffer, buffer.count)
            // The terminal ends with an error once nobody has the terminal open any more.
            if count <= 0 { hasEnded = true } else { seen += buffer.prefix(count) }
        }
        return true
    }
}
