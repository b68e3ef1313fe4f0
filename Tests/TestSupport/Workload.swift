// The amount of work of a test. Most tests run as shipped and under the thread sanitizer, in `make test-quick` with a
// few of the cases, and by hand without optimisation.

internal import Glibc

/// The capacity of this build of the tests.
public enum Workload {
    /// Whether the build is optimised. At -Onone even generic arithmetic may allocate, and vector code is about a
    /// hundred times slower.
    public static var isOptimised: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    /// Whether a test may go through all of its cases: code runs about as fast as shipped, and the developer did not
    /// request few cases.
    ///
    /// Otherwise a test takes a few cases. The thread sanitizer makes code ten times slower, and finds nothing in sound
    /// computed by one thread, however long.
    public static let isWhole =
        unsafe isOptimised && !Sanitizers.watchThreads && getenv("WOODSHED_FEW_CASES") == nil
}

/// All cases in a build fast enough for all, otherwise only `few`.
public func cases<Cases>(_ all: Cases, few: Cases) -> Cases { Workload.isWhole ? all : few }

/// The number of repetitions of a test: `short`, or the environment's value for long runs.
public func environmentCount(_ name: String, short: Int) -> Int {
    unsafe getenv(name).flatMap { unsafe Int(String(cString: $0)) } ?? short
}
