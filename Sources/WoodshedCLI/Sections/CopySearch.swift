// Recognises copies of a recording in another encoding, while it plays: nothing waits for it, and it ends with the run.
import Synchronization
import Terminal
import Woodshed

/// Listens to the recording that plays, behind everything else.
final class CopySearch: Sendable {
    private let keeper: SectionKeeper
    private let isWanted = Atomic<Bool>(true)

    init(_ keeper: SectionKeeper) { self.keeper = keeper }

    /// Begins. A recording with sections is listened to, so that copies of it are recognised later; for one without, a copy is
    /// looked for.
    ///
    /// - Parameter found: Called once at most, on another thread, with lines for the user.
    func start(_ info: AudioFileInfo, file: String, found: @escaping @Sendable ([String]) -> Void) {
        BlockingThread.startInBackground { [self] in
            let goesOn = { [self] in isWanted.load(ordering: .relaxed) }
            // A verb that lists the sections tells errors; here they only mean that nothing is offered.
            guard let kept = try? keeper.kept(info) else { return }
            if let copy = try? kept.copy(goesOn: goesOn) {
                found([copy.offer, "next: woodshed sections \(shellPath(file)) adopt"])
            } else {
                try? kept.store.listen(to: kept.recording, goesOn: goesOn)
            }
        }
    }

    /// Ends it soon.
    func end() { isWanted.store(false, ordering: .relaxed) }
}
