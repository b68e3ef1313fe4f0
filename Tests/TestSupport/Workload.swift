// How much a test may do. Most tests run as shipped and under the thread sanitizer, in `make test-quick` with a few of their cases, and
// by hand without optimisation.

internal import Glibc

/// What this build of the tests can bear.
public enum Workload {
    /// Whether the build is optimised. At -Onone even generic arithmetic may allocate, and vector code is about a hundred
    /// times slower.
    public static var isOptimised: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    /// Whether a test may go through all of its cases: code runs about as fast as it ships, and the developer did not ask for
    /// few cases.
    ///
    /// Elsewhere a test takes a few of them: for the thread sanitizer, which makes code ten times slower, sound computed
    /// by one thread holds nothing to find however long it is.
    public static let isWhole =
        unsafe isOptimised && !Sanitizers.watchThreads && getenv("WOODSHED_FEW_CASES") == nil
}

/// Of the same cases, all where the build can bear them, and elsewhere these few.
public func cases<Cases>(_ all: Cases, few: Cases) -> Cases { Workload.isWhole ? all : few }

/// How often a test is to repeat: `short`, or what the environment says for long runs.
public func environmentCount(_ name: String, short: Int) -> Int {
    unsafe getenv(name).flatMap { unsafe Int(String(cString: $0)) } ?? short
}
