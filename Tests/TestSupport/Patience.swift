// Waiting for an action of another thread or program, without a guess at its duration.
//
// All limits are patience with a busy machine, and no measures. The nearest limit ends first, so a failure names its
// wait: a wait of the test (400 s), a part of the test held until the test goes on (500 s), the process of the test
// (600 s, Tests/CExitTests), and a step that prints nothing (900 s, scripts/steps/step.sh).
internal import Glibc

/// The factor of all limits here, from 1 to 4: WOODSHED_STEP_SECONDS for a slower machine lengthens these limits, too.
/// A step limit above an hour, as in the soak, is for tests of many hours; no single wait needs so long.
private let slowness: Double = {
    let step = unsafe getenv("WOODSHED_STEP_SECONDS").flatMap { unsafe Double(String(cString: $0)) } ?? 900
    return min(max(1, step / 900), 4)
}()

/// Waits until a claim is true; false if the claim is false after `seconds`, however seldom the claim was tried.
///
/// Pass the result to `#expect` or `#require`: the test would otherwise go on whether the claim is true or not.
public func eventually(seconds: Double = 400, _ claim: () throws -> Bool) rethrows -> Bool {
    let limit = SuspendingClock.now + .seconds(seconds * slowness)
    while SuspendingClock.now < limit {
        if try claim() { return true }
        usleep(1000)
    }
    // This thread may have stood still beyond the limit.
    return try claim()
}

/// Waits as `eventually` does, but suspends the task: the claim may need a task that has no other thread to run on.
package func eventuallySuspended(_ claim: () async throws -> Bool) async rethrows -> Bool {
    let limit = SuspendingClock.now + .seconds(400 * slowness)
    while SuspendingClock.now < limit, !Task.isCancelled {
        if try await claim() { return true }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return try await claim()
}

/// Stands still until the test releases this part of the test, for example a decoder. If the test fails first, the part
/// goes on after longer than any wait of the test.
package func standStill(until isReleased: () -> Bool) { _ = eventually(seconds: 500, isReleased) }

/// The end of `withPatience` without a result.
package struct PatienceEnded: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `body` in a task of its own and returns its result, such as the awaited event of a stream.
///
/// - Throws: `PatienceEnded` if `body` lasts longer than `seconds`; its task is then cancelled and left behind. The
///   test's own task stays as it is: Swift Testing takes the cancelling of that task for a wish to skip the test.
package func withPatience<Value: Sendable>(
    seconds: Double = 400, fileID: String = #fileID, line: Int = #line, _ body: @escaping () async throws -> Value
) async throws -> Value {
    let handed = Handed(body)
    let (ends, end) = AsyncStream<Result<Value, any Error>>.makeStream()
    let work = Task {
        let result: Result<Value, any Error>
        do { result = try await .success(handed.run()) } catch { result = .failure(error) }
        end.yield(result)
    }
    let clock = Task {
        try await Task.sleep(for: .seconds(seconds * slowness))
        end.finish()
    }
    defer { clock.cancel() }
    var results = ends.makeAsyncIterator()
    guard let result = await results.next() else {
        work.cancel()
        throw PatienceEnded(description: "\(fileID):\(line) still waits after \(seconds * slowness) s")
    }
    return try result.get()
}

/// A function for another task to run, once.
private final class Handed<Value>: @unchecked Sendable {
    // Unchecked: the task that hands over the function only waits meanwhile.
    private var body: (() async throws -> Value)?

    init(_ body: @escaping () async throws -> Value) { self.body = body }

    /// Runs the function, and releases what the function holds: the test may go on to watch the release.
    func run() async throws -> Value {
        guard let body = body.take() else { preconditionFailure("a function is handed over once") }
        return try await body()
    }
}
