// Waiting for an action of another thread or program, without a guess at its duration.
package import Files
internal import Glibc

extension ChildLimits {
    /// Limits that no test reaches, also if a busy machine starts the program late.
    package static var patient: ChildLimits { ChildLimits(totalSeconds: 3600, silentSeconds: 3600) }
}

/// Waits until a claim is true; false if it is not within `seconds`, which are patience with a busy machine and no
/// measure.
///
/// Pass the result to `#expect` or `#require`: the test would otherwise go on whether the claim is true or not.
public func eventually(seconds: Double = 120, _ claim: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<Int(seconds * 1000) {
        if try claim() { return true }
        usleep(1000)
    }
    return try claim()
}
