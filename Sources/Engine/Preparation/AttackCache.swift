internal import DSP
internal import Realtime

/// Keeps the attacks of the windows somebody is near to, within a budget, and shows them in the table.
///
/// The worker's alone. A list that leaves the table is freed when every reader has been outside a block since.
@safe
struct AttackCache: ~Copyable {
    /// Bytes of attacks that are kept when nobody needs them any more.
    static let budget = 96 << 20

    private let store: PublishedStore
    private let budget: Int
    /// The attacks that lie in one window.
    private var materials: [Int: AttackMaterial?] = [:]
    /// The lists shown in the table, each of the attacks in one window and its neighbours.
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

    /// Whether the attacks that lie in a window are kept.
    func holds(_ window: Int) -> Bool { materials[window] != nil }

    /// - Parameter material: nil where nothing could be found out.
    mutating func keep(_ material: AttackMaterial?, of window: Int) { materials[window] = .some(material) }

    /// Shows the attacks of a window and its neighbours, which are kept already.
    mutating func show(_ window: Int) {
        let list = ShownList((window - 1...window + 1).compactMap { materials[$0] ?? nil })
        shown[window] = list
        unsafe store.publish(window, list.address)
    }

    /// Lets go of what is over the budget and far from everybody, the farthest first, and frees what nobody can hold.
    mutating func tidy(keeping near: [Int]) {
        while retired.takeFree() != nil {}
        var bytes = materials.values.reduce(0) { $0 + ($1?.byteCount ?? 0) }
        guard bytes > budget else { return }
        func distance(_ window: Int) -> Int { near.map { abs($0 - window) }.min() ?? .max }
        // A neighbour of a needed window is part of its list.
        for window in materials.keys.sorted(by: { (distance($0), $0) > (distance($1), $1) }) {
            guard bytes > budget, distance(window) > 2 else { return }
            bytes -= (materials[window] ?? nil)?.byteCount ?? 0
            materials[window] = nil
            for holder in window - 1...window + 1 {
                guard let list = shown.removeValue(forKey: holder) else { continue }
                retired.retire(holder, list, from: store)
            }
        }
    }
}
