// The wait of a main thread for a processor, which is no standstill.
import Glibc
import TestSupport
import Testing

@testable import Terminal

@Suite("The main thread's wait for a processor")
struct ProcessorWaitTests {
    /// Starts a computing thread for each processor, and lets them go before this thread.
    private static func starve() -> Bool {
        let compute: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
            while getppid() >= 0 {}
            return nil
        }
        var thread = pthread_t()
        return (0..<sysconf(Int32(_SC_NPROCESSORS_ONLN))).allSatisfy { _ in
            unsafe pthread_create(&thread, nil, compute, nil) == 0
        } && setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) == 0
    }

    @Test("a main thread without a turn for half a second has waited")
    func figures() async {
        await #expect(processExitsWith: .success) {
            ProcessorWait.prepareForHandlers()
            let begin = ProcessorWait.waited()
            guard ProcessorWait.state() == UInt8(ascii: "R") else { exit(1) }
            guard Self.starve() else { exit(2) }
            while ProcessorWait.waited() - begin < 600_000_000 {}
            exit(ProcessorWait.hasLasted() ? 0 : 3)
        }
    }

    @Test("a signal ends a process whose main thread sleeps, and no process whose main thread waits for a processor")
    func signal() async {
        await #expect(processExitsWith: .exitCode(128 + SIGTERM)) {
            guard Signals.install() >= 0 else { exit(1) }
            Signals.beginWatching()
            Signals.postponeLeaving(seconds: 1)
            raise(SIGTERM)
            while true { usleep(100_000) }
        }
        await #expect(processExitsWith: .success) {
            guard Signals.install() >= 0 else { exit(1) }
            Signals.beginWatching()
            Signals.postponeLeaving(seconds: 1)
            guard Self.starve() else { exit(2) }
            raise(SIGTERM)
            // Much longer than the allowance.
            let begin = ProcessorWait.waited()
            while ProcessorWait.waited() - begin < 3_000_000_000 {}
            exit(0)
        }
    }
}
