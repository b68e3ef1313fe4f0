// The end of a process by its own check.
internal import Glibc

/// The signal that ends a process with a failed precondition: the signal of the processor's instruction for a trap.
///
/// `#expect(processExitsWith: .failure)` also accepts SIGALRM, the end of a process that hangs (Tests/CExitTests).
public let trapSignal: Int32 = {
    #if arch(x86_64) || arch(i386)
        SIGILL
    #else
        SIGTRAP
    #endif
}()
