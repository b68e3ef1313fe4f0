internal import Realtime
internal import Stretching

/// Keeps the attacks of the pages near the players, within a budget, and publishes these attacks in the table.
///
/// Used by the worker only. A list that leaves the table is freed once every reader has been outside a block.
@safe
struct AttackCache: ~Copyable {
    /// Budget in bytes for the attacks. Attacks near a player are kept even over this budget.
    static let budget = 96 << 20

    private let store: PublishedStore
    private let budget: Int
    /// The attacks in one page.
    private var materials: [AttackPage: AttackMaterial?] = [:]
    /// The published lists, each with the attacks in one page and its neighbours.
    private var shown: [AttackPage: ShownList] = [:]
    private var retired = RetiredList<ShownList>()
    /// Number of removed lists that a reader may still hold.
    var retiredCount: Int { retired.count }

    /// A list at a fixed address, with the data behind its pointers.
    @safe
    private final class ShownList {
        let address: UnsafeMutablePointer<AttackList>
        private let table: AttackTable

        init(_ materials: [AttackMaterial]) {
            table = AttackTable(materials)
            unsafe address = .allocate(capacity: 1)
            unsafe address.initialize(to: table.list)
        }

        deinit { unsafe address.deallocate() }
    }

    init(store: PublishedStore, budget: Int) {
        self.store = store
        self.budget = budget
    }

    /// Returns true if the cache holds the attacks of a page.
    func holds(_ page: AttackPage) -> Bool { materials[page] != nil }

    /// - Parameter material: nil if the page could not be analysed.
    mutating func keep(_ material: AttackMaterial?, of page: AttackPage) { materials[page] = .some(material) }

    /// Publishes the attacks of a page and its neighbours, all of which the cache must already hold.
    mutating func show(_ page: AttackPage) {
        let list = ShownList(page.neighbourhood.compactMap { materials[$0] ?? nil })
        shown[page] = list
        unsafe store.publish(page.index, list.address)
    }

    /// Removes attacks over the budget, the farthest from any player first, and frees lists out of every reader's
    /// reach.
    mutating func tidy(keeping near: [AttackPage]) {
        while retired.takeFree() != nil {}
        var bytes = materials.values.reduce(0) { $0 + ($1?.byteCount ?? 0) }
        guard bytes > budget else { return }
        func distance(_ page: AttackPage) -> Int {
            near.map { $0.bands == page.bands ? abs($0.number - page.number) : .max }.min() ?? .max
        }
        // A needed page's list also contains the attacks of its neighbours.
        for page in materials.keys.sorted(by: { (distance($0), $0.index) > (distance($1), $1.index) }) {
            guard bytes > budget, distance(page) > 2 else { return }
            bytes -= (materials[page] ?? nil)?.byteCount ?? 0
            materials[page] = nil
            for holder in page.neighbourhood {
                guard let list = shown.removeValue(forKey: holder) else { continue }
                retired.retire(holder.index, list, from: store)
            }
        }
    }
}
