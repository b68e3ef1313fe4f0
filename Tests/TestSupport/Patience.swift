// Waiting for something that another thread or program does, without a guess how long that takes.
internal import Glibc

/// Waits until a claim is true; false when it is not within `seconds`, which are patience with a busy machine and no measure.
///
/// Its result is for `#expect` or `#require`: what is done next would else be done whether the claim is true or not.
public func eventually(seconds: Double = 120, _ claim: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<Int(seconds * 1000) {
        if try claim() { return true }
        usleep(1000)
    }
    return try claim()
}
