// Reports from the engine's threads to the main loop: a list, and a descriptor that becomes readable. A single `poll`
// thus waits for keys, signals and the engine together.
import Explanations
import Files
import Synchronization
import Terminal
import Woodshed

/// Queue of reports for the main loop.
final class Inbox<Report: Sendable>: Sendable {
    /// Waiting reports that are only news, at most: fewer than the loop takes between two looks at the keys.
    static var newsLimit: Int { 8192 }

    private struct State {
        var reports: [Report] = []
        /// Reports among them that are only news.
        var newsCount = 0
        /// News without room since the last call of `takeLost`.
        var lostCount = 0
    }

    private let state = Mutex(State())
    private let pipe: WakePipe

    /// Readable while there are reports.
    var descriptor: Int32 { pipe.readEnd }

    init() throws(CommandFailure) {
        do throws(WakePipeError) {
            pipe = try WakePipe()
        } catch {
            throw CommandFailure(error.exitStatus, error.message, remedy: error.remedy)
        }
    }

    deinit { pipe.closeBoth() }

    /// Adds a report.
    ///
    /// - Parameter isNews: True for a report that no state depends on. News come faster than the loop takes them if
    ///   thousands of passes play in a second; then `newsLimit` of them wait, and further news are only counted.
    func put(_ report: Report, isNews: Bool = false) {
        let wakes = state.withLock { state in
            if isNews {
                guard state.newsCount < Self.newsLimit else {
                    state.lostCount += 1
                    return false
                }
                state.newsCount += 1
            }
            defer { state.reports.append(report) }
            return state.reports.isEmpty
        }
        if wakes { pipe.wake() }
    }

    /// Wakes the reader without a report.
    func wake() { pipe.wake() }

    /// Returns all reports since the last call, in order.
    func take() -> [Report] {
        // The pipe is drained before the list is taken. A report in between causes a spurious wake-up, never a lost
        // wake-up.
        _ = pipe.drain()
        return state.withLock { state in
            defer { (state.reports, state.newsCount) = ([], 0) }
            return state.reports
        }
    }

    /// Returns the number of news without room since the last call. These news came after all reports taken so far.
    func takeLost() -> Int {
        state.withLock { state in
            defer { state.lostCount = 0 }
            return state.lostCount
        }
    }
}
