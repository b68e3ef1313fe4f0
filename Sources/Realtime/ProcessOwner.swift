internal import Synchronization

/// Owner of the process: the command, which is alone in the process, or a host with memory and libraries of its own.
package enum ProcessOwner {
    private static let isCommand = Atomic<Bool>(false)

    /// True if the library runs inside another program: true until ``declareCommand()`` is called.
    ///
    /// Real-time safe: no.
    package static var isHost: Bool { !isCommand.load(ordering: .relaxed) }

    /// Declares the command as the owner of the process. Call this once, before anything else.
    ///
    /// Real-time safe: no.
    package static func declareCommand() { isCommand.store(true, ordering: .relaxed) }
}
