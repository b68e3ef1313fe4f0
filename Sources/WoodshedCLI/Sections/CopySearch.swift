// Recognises copies of a recording in another encoding while it plays. Nothing waits for the search, which ends with
// the run.
import Synchronization
import Terminal
import WoodshedPractice

/// Fingerprints the playing recording in the background.
final class CopySearch: Sendable {
    private let keeper: SectionKeeper
    private let isWanted = Atomic<Bool>(true)

    init(_ keeper: SectionKeeper) { self.keeper = keeper }

    /// Starts the search. A recording with sections is fingerprinted, to recognise its copies later. For a recording
    /// without sections, a copy is looked for.
    ///
    /// - Parameter found: Called once at most, on another thread, with lines for the user.
    func start(_ info: AudioFileInfo, file: String, found: @escaping @Sendable ([String]) -> Void) {
        BlockingThread.startInBackground { [self] in
            let goesOn = { [self] in isWanted.load(ordering: .relaxed) }
            // Verbs about sections report errors. Here an error only means no offer.
            guard let kept = try? keeper.kept(info) else { return }
            if let copy = try? kept.copy(goesOn: goesOn) {
                found([copy.offer, "next: woodshed sections \(shellPath(file)) adopt"])
            } else {
                try? kept.store.listen(to: kept.recording, goesOn: goesOn)
            }
        }
    }

    /// Ends the search soon.
    func end() { isWanted.store(false, ordering: .relaxed) }
}
