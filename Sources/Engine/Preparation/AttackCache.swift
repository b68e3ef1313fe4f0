internal import DSP
internal import Realtime

/// Keeps the attacks of the pages somebody is near to, within a budget, and shows them in the table.
///
/// The worker's alone. A list that leaves the table is freed when every reader has been outside a block since.
@safe
struct AttackCache: ~Copyable {
    /// Bytes of attacks that are kept when nobody needs them any more.
    static let budget = 96 << 20

    private let store: PublishedStore
    private let budget: Int
    /// The attacks that lie in one page.
    private var materials: [Int: AttackMaterial?] = [:]
    /// The lists shown in the table, each of the attacks in one page and its neighbours.
    private var shown: [Int: ShownList] = [:]
    private var retired = RetiredList<ShownList>()
    /// Lists out of the table that a reader may still hold.
    var retiredCount: Int { retired.count }

    /// A list at an address of its own, with what it refers to.
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

    /// Whether the attacks that lie in a page are kept.
    func holds(_ page: Int) -> Bool { materials[page] != nil }

    /// - Parameter material: nil where nothing could be found out.
    mutating func keep(_ material: AttackMaterial?, of page: Int) { materials[page] = .some(material) }

    /// Shows the attacks of a page and its neighbours, which are kept already.
    mutating func show(_ page: Int) {
        let list = ShownList((page - 1...page + 1).compactMap { materials[$0] ?? nil })
        shown[page] = list
        unsafe store.publish(page, list.address)
    }

    /// Lets go of what is over the budget and far from everybody, the farthest first, and frees what nobody can hold.
    mutating func tidy(keeping near: [Int]) {
        while retired.takeFree() != nil {}
        var bytes = materials.values.reduce(0) { $0 + ($1?.byteCount ?? 0) }
        guard bytes > budget else { return }
        func distance(_ page: Int) -> Int { near.map { abs($0 - page) }.min() ?? .max }
        // A neighbour of a needed page is part of its list.
        for page in materials.keys.sorted(by: { (distance($0), $0) > (distance($1), $1) }) {
            guard bytes > budget, distance(page) > 2 else { return }
            bytes -= (materials[page] ?? nil)?.byteCount ?? 0
            materials[page] = nil
            for holder in page - 1...page + 1 {
                guard let list = shown.removeValue(forKey: holder) else { continue }
                retired.retire(holder, list, from: store)
            }
        }
    }
}
