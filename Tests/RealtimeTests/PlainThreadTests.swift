import Glibc
import Realtime
import Synchronization
import Testing

@Suite("Ordinary thread")
struct PlainThreadTests {
    @Test("an ordinary thread has a small stack, because a device's thread may lock all stacks in memory")
    func stack() throws {
        let bytes = Mutex(0)
        let thread = PlainThread(name: "test-stack") {
            let found = bytesOfOwnStack()
            bytes.withLock { $0 = found }
        }
        try #require(thread).join()
        let found = bytes.withLock { $0 }
        // Without a given size the stack would have the system's usual size, 8 MiB. The C library may use the stack of
        // another test's ended thread, of up to four times the size.
        #expect((PlainThread.stackBytes...4 * PlainThread.stackBytes).contains(found), "\(found) bytes")
    }
}

/// The length of the caller's stack, by the C library; 0 if unknown. The system's list of mappings does not tell: the
/// mapping of a stack may be joined with a mapping of another test.
private func bytesOfOwnStack() -> Int {
    // Swift's Glibc lacks this function.
    typealias Query = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32
    guard let function = unsafe dlsym(nil, "pthread_getattr_np") else { return 0 }
    var attributes = pthread_attr_t()
    guard unsafe unsafeBitCast(function, to: Query.self)(pthread_self(), &attributes) == 0 else { return 0 }
    defer { unsafe pthread_attr_destroy(&attributes) }
    var bytes = 0
    return unsafe pthread_attr_getstacksize(&attributes, &bytes) == 0 ? bytes : 0
}
