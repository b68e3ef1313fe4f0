/// Where messages of controllers come from. Its thread alone uses it, once that runs.
package protocol ControllerSource: AnyObject, Sendable {
    /// What becomes readable when there is something to read; -1 while there is nothing to wait for.
    var descriptor: Int32 { get }
    /// What has arrived; never waits.
    func read() -> [ControllerArrival]
    /// Looks whether what is missing has come back; called twice a second while `descriptor` is -1.
    func tryAgain() -> [ControllerArrival]
    /// Gives everything back.
    func close()
}

/// What a source tells.
package enum ControllerArrival: Equatable, Sendable {
    case message(ControllerMessage)
    /// A controller is heard from now on.
    case connected(String)
    /// It has gone; it is heard again when it comes back.
    case lost(String)
    /// It is not there yet; what there is instead.
    case missing(String, others: [String])
}
