import Glibc
import TestSupport
import Testing

@testable import Files

@Suite("Detached processes")
struct DetachedProcessTests {
    @Test("a detached process without a descriptor counts as running until it ends, with its exit code")
    func unheld() async {
        // In a separate process, which may open nothing more.
        await #expect(processExitsWith: .success) {
            guard waitForRuntimeDescriptors() else { exit(6) }
            // The program ends when the other end of this pipe closes.
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 else { exit(1) }
            let output = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
            // The started program inherits the limit and gets the numbers of these descriptors.
            for _ in 0..<8 { _ = fcntl(output, F_DUPFD_CLOEXEC, 3) }
            let next = dup(0)
            close(next)
            var limit = rlimit(rlim_cur: rlim_t(next), rlim_max: rlim_t(next))
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(2) }
            let words = ["sh", "-c", "cat /proc/self/fd/\(ends[0]); exit 7"]
            let process = try DetachedProcess(
                words[0], words.map { Array($0.utf8CString) }, variables: [], output: output)
            guard process.end(within: 20) == nil else { exit(3) }
            close(ends[1])
            var end: ChildEnd?
            while end == nil { end = process.end(within: 1000) }
            guard end == .exited(7) else { exit(4) }
            // The number may be another program's from now on.
            guard process.end(within: 0) == .unknown else { exit(5) }
        }
    }

    @Test("a detached process without an output writes nowhere, also if its starter can open nothing more")
    func silent() async {
        // In a separate process, which may open nothing more.
        await #expect(processExitsWith: .success) {
            guard waitForRuntimeDescriptors() else { exit(6) }
            // The starter's own outputs, which the program must not get.
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0, fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else { exit(1) }
            guard dup2(ends[1], 1) == 1, dup2(ends[1], 2) == 2 else { exit(2) }
            // The started program inherits the limit and gets the numbers of these descriptors.
            for _ in 0..<8 { _ = fcntl(0, F_DUPFD_CLOEXEC, 3) }
            let next = dup(0)
            close(next)
            var limit = rlimit(rlim_cur: rlim_t(next), rlim_max: rlim_t(next))
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(3) }
            let words = ["sh", "-c", "echo words; cat /nonexistent/file; exit 7"]
            let process = try DetachedProcess(
                words[0], words.map { Array($0.utf8CString) }, variables: [], output: nil)
            var end: ChildEnd?
            while end == nil { end = process.end(within: 1000) }
            guard end == .exited(7) else { exit(4) }
            var byte: UInt8 = 0
            guard unsafe read(ends[0], &byte, 1) < 0, errno == EAGAIN else { exit(5) }
        }
    }
}
