// The work that waits for the store while a recording plays.
import Synchronization
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Section keeper")
struct SectionKeeperTests {
    private final class Counts: Sendable {
        let isReleased = Atomic(false)
        let orders = Atomic(0)
        let refreshes = Atomic(0)
    }

    @Test("orders beyond the limit are refused while the disk stands still, and waiting reads are one read")
    func bounded() {
        let (keeper, counts) = (SectionKeeper(file: "song.wav"), Counts())
        keeper.post(.single) { standStill { counts.isReleased.load(ordering: .acquiring) } }
        let refusals = (0..<1000).compactMap { _ in
            keeper.post(.refresh) { counts.refreshes.add(1, ordering: .relaxed) }
            return keeper.post(.order) { counts.orders.add(1, ordering: .relaxed) }
        }
        #expect(refusals == Array(repeating: SectionKeeper.refusal, count: 1000 - SectionKeeper.mostOrders))
        #expect(keeper.hasOrders)
        counts.isReleased.store(true, ordering: .releasing)
        #expect(eventually { keeper.finish(seconds: 1) } && !keeper.hasOrders)
        #expect(counts.orders.load(ordering: .relaxed) == SectionKeeper.mostOrders)
        #expect(counts.refreshes.load(ordering: .relaxed) == 1)
        // There is room again.
        #expect(keeper.post(.order) {} == nil && eventually { keeper.finish(seconds: 1) })
    }
}
