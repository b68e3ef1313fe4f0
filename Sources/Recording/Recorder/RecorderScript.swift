internal import Synchronization

/// What was asked of a recorder, each order with the frame of the input at which it holds: what is heard before it is not
/// concerned, however late the writer comes to it.
final class RecorderScript: Sendable {
    /// Something asked for.
    struct Order: Sendable {
        enum Action: Sendable {
            case record(TakeDraft)
            case pause
            case resume
            case mark(String)
            case stop(RecorderEvent.StopReason)
        }

        let inputFrame: Int64
        let action: Action
    }

    private let orders = Mutex<[Order]>([])

    /// Asks for something from the frame on that is captured next.
    ///
    /// - Parameter now: gives that frame.
    func add(_ action: Order.Action, at now: () -> Int64) {
        orders.withLock { $0.append(Order(inputFrame: now(), action: action)) }
    }

    /// Takes what was asked for, and tells up to which frame nothing else can be asked for any more.
    func take(now: () -> Int64) -> (orders: [Order], end: Int64) {
        orders.withLock { orders in
            defer { orders = [] }
            // Within the lock: an order that comes later is given a frame that is not smaller.
            return (orders, now())
        }
    }
}
