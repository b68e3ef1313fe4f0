internal import Synchronization

/// Whose process this is: the command's, which is alone in it, or a host's, which has memory and libraries of its own.
package enum ProcessOwner {
    private static let isCommand = Atomic<Bool>(false)

    /// Whether the library runs inside another program. True until ``declareCommand()`` is called.
    ///
    /// Real-time safe: no.
    package static var isHost: Bool { !isCommand.load(ordering: .relaxed) }

    /// Declares that the process is the command's. Called once, before anything else.
    ///
    /// Real-time safe: no.
    package static func declareCommand() { isCommand.store(true, ordering: .relaxed) }
}
