// Reports from the engine's threads to the main loop: a list, and a descriptor that becomes readable. A single `poll`
// thus waits for keys, signals and the engine together.
import Explanations
import Files
import Synchronization
import Terminal
import Woodshed

/// Queue of reports for the main loop.
final class Inbox<Report: Sendable>: Sendable {
    private let reports = Mutex<[Report]>([])
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

    func put(_ report: Report) {
        let wasEmpty = reports.withLock { reports in
            defer { reports.append(report) }
            return reports.isEmpty
        }
        if wasEmpty { pipe.wake() }
    }

    /// Wakes the reader without a report.
    func wake() { pipe.wake() }

    /// Returns all reports since the last call, in order.
    func take() -> [Report] {
        // The pipe is drained before the list is taken. A report in between causes a spurious wake-up, never a lost
        // wake-up.
        _ = pipe.drain()
        return reports.withLock { reports in
            defer { reports = [] }
            return reports
        }
    }
}
