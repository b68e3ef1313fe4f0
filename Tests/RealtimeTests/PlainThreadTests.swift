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
        // Without a given size the stack would have the system's usual size, 8 MiB.
        #expect((PlainThread.stackBytes...2 * PlainThread.stackBytes).contains(found), "\(found) bytes")
    }
}

/// The length of the memory mapping with the caller's stack; 0 if the system does not report the mapping.
private func bytesOfOwnStack() -> Int {
    var local: UInt8 = 0
    let here = unsafe withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
    guard let file = unsafe fopen("/proc/self/maps", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 4096)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let bounds = text.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        if bounds.count == 2, bounds[0] <= here, here < bounds[1] { return Int(bounds[1] - bounds[0]) }
    }
    return 0
}
