// Locks of files, and the sign that stands for them where there are none.
import Glibc
import Testing

@testable import Files

@Suite("Locks of files")
struct FileLockTests {
    @Test("a number is that of a running program of ours only if such a process is there")
    func programs() {
        #expect(FileLock.isRunning(getpid()))
        #expect(!FileLock.isRunning(0) && !FileLock.isRunning(-1) && !FileLock.isRunning(.max))
    }
}
