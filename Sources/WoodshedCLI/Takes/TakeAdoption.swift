// Adopts takes missing in the list after a crash, a full disk or a store failure. The next start adds them.
import Terminal
import WoodshedPractice

enum TakeAdoption {
    /// Adds the missing takes to the list, and reports each. A take that cannot be listed now stays known for a later
    /// start; no verb fails for it.
    static func run(quiet: Bool) {
        guard let store = try? PracticeStore(.user) else { return }
        let recorded = UnlistedTakes.list(in: store).map { (take: $0, wasUnfinished: false) }
        let adopted = ((try? store.adoptTakes()) ?? []).map { (take: $0.take, wasUnfinished: $0.wasUnfinished) }
        guard !quiet else { return }
        for item in recorded + adopted {
            let seconds = clockText(item.take.sound.seconds, decimals: 1)
            let cause = item.wasUnfinished ? "was not finished, and is whole now" : "is in the list now"
            StandardStream.error.note(printable("take \(item.take.number) \(cause): \(seconds), \(item.take.path)"))
        }
    }
}
