// Facts that a thread can find out about itself without using the code under test.
import Glibc

/// A thread's properties as the system and the processor show them.
struct ThreadObservation: Sendable {
    /// As `sched_getscheduler` answers, flags included.
    let policy = sched_getscheduler(0)
    let priority: Int32
    let name: String
    let lockedKilobytes: Int
    let subnormalIsZero: Bool
    let residentPagesBelow: Int
    let blocksInterrupts: Bool
    let blocksFaults: Bool

    /// Observes the calling thread, and `pages` pages of its stack below the caller.
    init(pages: Int = 0) {
        var parameters = sched_param()
        unsafe sched_getparam(0, &parameters)
        priority = parameters.sched_priority
        name = contents(of: "/proc/thread-self/comm").filter { $0 != "\n" }
        lockedKilobytes = lockedMemoryKilobytes()
        subnormalIsZero = product(Float(bitPattern: 1), 1).bitPattern == 0
        residentPagesBelow = residentPages(pages)
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        blocksInterrupts = unsafe sigismember(&mask, SIGINT) == 1
        blocksFaults = unsafe sigismember(&mask, SIGSEGV) == 1
    }

    /// SCHED_FIFO with the flag against inheritance by children; not in Swift's C library.
    static let fifoResetOnFork: Int32 = SCHED_FIFO | 0x4000_0000
}

/// The product, computed where the call stands: the compiler knows nothing of the mode and would move a bare `*`.
@inline(never)
@_optimize(none)
func product(_ left: Float, _ right: Float) -> Float { left * right }

/// The text of a small file of the system's.
private func contents(of path: String) -> String {
    guard let file = unsafe fopen(path, "r") else { return "" }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
}

/// The locked memory of the process, in kB.
func lockedMemoryKilobytes() -> Int {
    for line in contents(of: "/proc/self/status").split(separator: "\n") where line.hasPrefix("VmLck:") {
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? -1
    }
    return -1
}

/// The number of the `count` pages below this function's frame that are in memory.
@inline(never)
private func residentPages(_ count: Int) -> Int {
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    var local: UInt8 = 0
    let here = unsafe withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
    let lowest = (here / page - UInt(count)) * page
    var answer = [UInt8](repeating: 0, count: count)
    let failed = unsafe mincore(UnsafeMutableRawPointer(bitPattern: lowest), Int(page) * count, &answer)
    return failed == 0 ? answer.count { $0 & 1 == 1 } : -1
}
