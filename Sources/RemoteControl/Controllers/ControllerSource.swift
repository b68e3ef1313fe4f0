/// A source of controller messages. Once its thread runs, only this thread uses the source.
package protocol ControllerSource: AnyObject, Sendable {
    /// The descriptor to poll for reading; -1 while there is nothing to wait for.
    var descriptor: Int32 { get }
    /// Returns the arrived messages; never waits.
    func read() -> [ControllerArrival]
    /// Looks for a missing controller; called twice a second while `descriptor` is -1.
    func tryAgain() -> [ControllerArrival]
    /// Releases all resources.
    func close()
}

/// A report of a source.
package enum ControllerArrival: Equatable, Sendable {
    case message(ControllerMessage)
    /// A controller is connected from now on.
    case connected(String)
    /// The controller has gone; when back, the source connects again.
    case lost(String)
    /// The controller is not there yet; carries the available controllers.
    case missing(String, others: [String])
}
