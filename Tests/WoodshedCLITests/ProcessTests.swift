// Processes started and signalled by the tests: a misdirected signal could end everything on the machine.
import Glibc
import ProcessHandles
import Testing

@Suite("Processes of the tests")
struct ProcessTests {
    /// Starts a program of the system.
    private func start(_ name: String, _ arguments: [String]) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        return unsafe Command.spawn(name, arguments, environment: [:], actions: &actions)
    }

    @Test("a program of the tests has the signals of a user's shell, whatever a test ignores")
    func signals() {
        // A signal with no effect on the other tests of the process.
        signal(SIGURG, SIG_IGN)
        let run = Command.run(["-E", "^Sig(Blk|Ign):", "/proc/self/status"], program: "grep")
        // The C library ignores signals 32 and 33, its own, in every program that posix_spawn starts.
        let own: UInt64 = 3 << 31
        let sets = run.lines.map { line in line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } }
        #expect(sets.map { $0.map { $0 & ~own } } == [0, 0], "\(run.text)\(run.error)")
    }

    @Test("a process number that is not in use cannot be opened", arguments: [-1, 0, Int32.min, Int32.max])
    func noProcess(number: Int32) {
        #expect(ProcessHandle(number) == nil)
    }

    @Test("a signal reaches its process, but not a process that has been waited for")
    func waitedFor() throws {
        // Far longer than this test may be held up before the signal.
        let process = start("sleep", ["3600"])
        let handle = try #require(ProcessHandle(process))
        #expect(handle.number == process && handle.send(SIGTERM))
        #expect(Command.exitStatus(of: process) == -SIGTERM)
        #expect(!handle.send(SIGKILL))
    }

    @Test("a program with a handler for a signal is recognised")
    func handled() throws {
        let process = start("bash", ["-c", "trap 'exit 7' TERM; while :; do sleep 0.01; done"])
        let handle = try #require(ProcessHandle(process))
        #expect(handle.waitUntilHandled(SIGTERM) && handle.send(SIGTERM) && handle.waitUntilTaken(SIGTERM))
        #expect(Command.exitStatus(of: process) == 7)
    }

    @Test("a run for which no terminal can be opened fails with that reason, and ends no process")
    func noTerminal() async {
        // In a separate process, which may open no more descriptors.
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            withKnownIssue {
                let run = TerminalRun("true", [])
                #expect(!run.wait(for: "anything") && run.finish() == -127)
            } matching: { issue in
                issue.comments.contains { $0.rawValue.contains("no pseudo-terminal could be opened") }
            }
        }
    }
}
