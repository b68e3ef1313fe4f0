internal import Files
internal import Glibc
internal import Realtime
internal import Synchronization

/// Controller events for a run.
package enum ControllerNews: Equatable, Sendable {
    case pressed(ControllerTrigger)
    case connected(String)
    case lost(String)
    case missing(String, others: [String])
}

/// A thread that waits for a source, and reports presses.
///
/// A flood of messages costs no memory and no time of the run: presses beyond the limit of waiting presses are dropped.
package final class ControllerThread: Sendable {
    private let pipe: WakePipe
    private let isOver = Atomic<Bool>(false)
    private let waiting = Atomic<Int>(0)
    private let thread = Mutex<PlainThread?>(nil)

    /// The greatest number of waiting presses. Nobody presses so often before hearing the first.
    private static let mostWaiting = 64
    private static let retryMilliseconds: Int32 = 500
    private static let place = "no controller: "

    package init() throws(ControlError) {
        do throws(WakePipeError) {
            pipe = try WakePipe()
        } catch {
            throw ControlError(.io, error, at: Self.place)
        }
    }

    deinit { pipe.closeBoth() }

    /// Starts listening.
    ///
    /// - Parameter take: Called on the thread. Call `carriedOut` once for each press.
    package func start(
        _ source: any ControllerSource, _ take: @escaping @Sendable (ControllerNews) -> Void
    ) throws(ControlError) {
        let started = PlainThread(name: "woodshed-midi") { [self] in
            run(source, take)
            source.close()
        }
        guard let started else { throw ControlError(.io, .threads, at: Self.place) }
        thread.withLock { $0 = started }
    }

    /// Reports that a press was carried out, or dropped.
    package func carriedOut() { waiting.subtract(1, ordering: .relaxed) }

    /// Ends the thread; call only once.
    package func stop() {
        isOver.store(true, ordering: .releasing)
        pipe.wake()
        let started = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        started?.join()
    }

    private func run(_ source: any ControllerSource, _ take: (ControllerNews) -> Void) {
        var filter = PressFilter()
        for arrival in source.tryAgain() { tell(arrival, &filter, take) }
        while !isOver.load(ordering: .acquiring) {
            var requests = [
                pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let isThere = source.descriptor >= 0
            _ = unsafe poll(&requests, 2, isThere ? -1 : Self.retryMilliseconds)
            let arrivals = requests[1].revents != 0 ? source.read() : isThere ? [] : source.tryAgain()
            for arrival in arrivals { tell(arrival, &filter, take) }
        }
    }

    private func tell(_ arrival: ControllerArrival, _ filter: inout PressFilter, _ take: (ControllerNews) -> Void) {
        switch arrival {
        case .message(let message):
            guard let trigger = filter.trigger(of: message) else { return }
            guard waiting.load(ordering: .relaxed) < Self.mostWaiting else { return }
            waiting.add(1, ordering: .relaxed)
            take(.pressed(trigger))
        case .connected(let name): take(.connected(name))
        case .lost(let name):
            // The position of the pedals on reconnection is unknown.
            filter = PressFilter()
            take(.lost(name))
        case .missing(let name, let others): take(.missing(name, others: others))
        }
    }
}
