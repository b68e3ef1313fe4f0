import Foundation
import Glibc
import ProcessHandles
import TestSupport
import Testing

@testable import Files

/// The standard output and the exit of a shell script.
private func runShell(
    _ script: String, descriptors: [Int32] = [], limits: ChildLimits = .patient
) throws -> (output: String, result: ChildResult) {
    var child = try ChildProcess(["/bin/sh", "-c", script], descriptors: descriptors)
    var output: [UInt8] = []
    let result = try unsafe child.finish(limits) { bytes in
        unsafe output.append(contentsOf: bytes)
        return true
    }
    return (String(decoding: output, as: UTF8.self), result)
}

@Suite("Child processes")
struct ChildProcessTests {
    /// 300,000 bytes, more than a pipe or a socket holds.
    private static let long = "i=0; while [ $i -lt 3000 ]; do printf '%0100d' $i; i=$((i+1)); done"

    @Test("all output of a child arrives, then its end and its last error line")
    func ends() throws {
        let whole = try runShell(Self.long)
        #expect(whole.output.utf8.count == 300_000 && whole.result.end == .exited(0))
        let failed = try runShell("echo out; echo first >&2; echo last >&2; exit 3")
        #expect(failed.output == "out\n" && failed.result.end == .exited(3) && failed.result.lastErrorLine == "last")
        let killed = try runShell("echo part; kill -9 $$")
        #expect(killed.output == "part\n" && killed.result.end == .killed(SIGKILL))
        let error = #expect(throws: ChildFailure.self) { try runShell0(["/no/such/program"]) }
        #expect(error == .cannotStart(ENOENT))
    }

    private func runShell0(_ arguments: [String]) throws { _ = try ChildProcess(arguments) }

    @Test("a child counts as ended even if a grandchild still has its output open")
    func grandchildren() throws {
        // The background process would hold the output for longer than any test lasts.
        let run = try runShell("sleep 3600 & echo $!; exit 0")
        #expect(run.result.end == .exited(0))
        let sleeper = try #require(Int32(run.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(try #require(ProcessHandle(sleeper)).send(SIGKILL))
    }

    @Test("a child is ended at a time limit, in silence, on cancellation, or past an output limit")
    func limits() throws {
        func failure(_ limits: ChildLimits, isWanted: Bool = true, takes: Bool = true) -> ChildFailure? {
            do throws(ChildFailure) {
                var child = try ChildProcess(["/bin/sh", "-c", "echo 1; exec sleep 3600"])
                _ = try unsafe child.finish(limits, isWanted: { isWanted }) { _ in takes }
                return nil
            } catch { return error }
        }
        #expect(failure(ChildLimits(totalSeconds: 0.2, silentSeconds: 100)) == .timeout)
        #expect(failure(ChildLimits(totalSeconds: 100, silentSeconds: 0.2)) == .timeout)
        #expect(failure(.patient, isWanted: false) == .stopped)
        #expect(failure(.patient, takes: false) == .stopped)
    }

    @Test("a child that has closed its error output is waited for without polling fast")
    func closedErrors() throws {
        var child = try ChildProcess(["/bin/sh", "-c", "exec 2>/dev/null; sleep 1; echo done"])
        var (turns, output) = (0, [UInt8]())
        let wanted = {
            turns += 1
            return true
        }
        let begin = ContinuousClock.now
        let result = try unsafe child.finish(.patient, isWanted: wanted) { bytes in
            unsafe output.append(contentsOf: bytes)
            return true
        }
        // A turn without output or an end takes 100 ms; without a wait there would be hundreds of thousands.
        let longTurns = (ContinuousClock.now - begin) / .milliseconds(100)
        #expect(Double(turns) < longTurns + 100, "\(turns) turns")
        #expect(result.end == .exited(0) && output == Array("done\n".utf8))
    }

    @Test("a child gets the given descriptors, whatever their names stand for by then")
    func descriptors() throws {
        let path = NSTemporaryDirectory() + "woodshed-child-\(UInt64.random(in: 0...UInt64.max))"
        try Data("one".utf8).write(to: URL(fileURLWithPath: path))
        let first = unsafe open(path, O_RDONLY | O_CLOEXEC)
        try FileManager.default.removeItem(atPath: path)
        let second = try UnnamedFile.inMemory(Array("two".utf8))
        defer { for descriptor in [first, second] { close(descriptor) } }
        let names = (0..<2).map(ChildProcess.path)
        let run = try runShell(
            "cat \(names[0]) \(names[1]); cat < /dev/stdin", descriptors: [first, second])
        #expect(run.output == "onetwo" && run.result.end == .exited(0))
    }

    @Test(
        "a program that ignores SIGCHLD or reaps all children learns a child's end, or that it is unknown"
    )
    func otherParents() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            try ChildProcessTests.checkEnds(isKnown: false)
        }
        await #expect(processExitsWith: .success) {
            // The program waits for all children.
            signal(SIGCHLD) { _ in
                let kept = errno
                var status: Int32 = 0
                while unsafe waitpid(-1, &status, WNOHANG) > 0 {}
                errno = kept
            }
            try ChildProcessTests.checkEnds(isKnown: false)
        }
        await #expect(processExitsWith: .success) { try ChildProcessTests.checkEnds(isKnown: true) }
    }

    /// Exits with a code of failure after a wrong report of a child's end, or none.
    private static func checkEnds(isKnown: Bool) throws {
        for _ in 0..<20 {
            for (script, end) in [("exit 0", ChildEnd.exited(0)), ("exit 7", .exited(7)), ("kill -9 $$", .killed(9))] {
                // Without a report of the child's end, the process would wait for ever.
                alarm(300)
                let run = try runShell("\(long); \(script)")
                guard run.output.utf8.count == 300_000 else { exit(1) }
                guard run.result.end == end || !isKnown && run.result.end == .unknown else { exit(2) }
            }
        }
        // Giving up a child kills the process, and waits for the end.
        var child = try ChildProcess(["/bin/sh", "-c", "echo $$; exec sleep 3600"])
        var text = ""
        do {
            _ = try unsafe child.finish(.patient) { bytes in
                text += unsafe String(decoding: bytes, as: UTF8.self)
                return false
            }
            exit(3)
        } catch {}
        drop(child)
        guard let number = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)), number > 1 else { exit(4) }
        guard ProcessHandle(number) == nil else { exit(5) }
    }

    private static func drop(_ child: consuming ChildProcess) { _ = consume child }

    @Test(
        "a started program is held, and its end known, although another thread takes every descriptor given up",
        .enabled(if: !Sanitizers.watchThreads))
    func fewDescriptors() async {
        // In a separate process, which may open nothing more.
        await #expect(processExitsWith: .success) {
            guard waitForRuntimeDescriptors() else { exit(4) }
            // The program's descriptors have numbers above 16.
            var taken = [fcntl(0, F_DUPFD_CLOEXEC, 0)]
            while let last = taken.last, last < 20 { taken.append(fcntl(0, F_DUPFD_CLOEXEC, 0)) }
            let next = taken.last ?? 0
            // Six more: the reserve, two ends of sockets and three descriptors for the program.
            var limit = rlimit(rlim_cur: rlim_t(next + 7), rlim_max: rlim_t(next + 7))
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            let thief = DescriptorThief()
            var (started, failures) = (0, 0)
            while started < 50 {
                // Without descriptors a program is not started. The runtime may have opened one for good.
                guard let run = try? runShell("exit 7", descriptors: [0]) else {
                    failures += 1
                    if failures % 10_000 == 0, let file = taken.popLast() { close(file) }
                    continue
                }
                started += 1
                alarm(300)
                guard run.result.end == .exited(7) else { exit(2) }
            }
            if thief.wasRobbed() { exit(3) }
        }
    }

    @Test("Ctrl-C at the terminal is left to the embedding program")
    func interruption() throws {
        // The thread itself unblocks the signals: a started program would inherit blocked signals anyway.
        var (keys, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&keys)
        for key in [SIGINT, SIGQUIT] { unsafe sigaddset(&keys, key) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &keys, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        // The whole process group gets the signal; the shell itself belongs to the group.
        let run = try runShell("kill -INT $$; kill -QUIT $$; echo alive")
        #expect(run.output == "alive\n" && run.result.end == .exited(0))
    }
}
