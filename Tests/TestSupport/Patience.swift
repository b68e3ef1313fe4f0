// Waiting for an action of another thread or program, without a guess at its duration.
internal import Glibc

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

/// Runs `body`, and cancels this task if `body` lasts longer than `seconds`, which are patience with a busy machine and
/// no measure. A stream of events ends with the task, so a test fails instead of waiting for ever.
package func withPatience<Value>(seconds: Double = 400, _ body: () async throws -> Value) async rethrows -> Value {
    try await unsafe withUnsafeCurrentTask { task in
        let running = unsafe RunningTask(task: task)
        let clock = Task.detached {
            try await Task.sleep(for: .seconds(seconds))
            running.cancel()
        }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        // The clock must not outlive this task.
        clock.cancel()
        _ = await clock.result
        return try result.get()
    }
}

/// A task that another task may cancel before the end of the first.
@safe
private struct RunningTask: @unchecked Sendable {
    // Unchecked: any task may cancel a task that still runs.
    let task: UnsafeCurrentTask?

    func cancel() { unsafe task?.cancel() }
}
