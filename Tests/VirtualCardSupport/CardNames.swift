internal import Glibc
internal import Synchronization
internal import VirtualCard

/// Names made by this process, which would outlive the process and are removed at the end: tests ending by `exit`
/// release nothing. Before making the first card, this process removes names left behind by killed processes.
enum CardNames {
    private static let cards = Mutex<Set<String>>([])
    private static let clocks = Mutex<Set<String>>([])

    private static let keepsOrder: Void = {
        // A killed process may have had the number of this one.
        sweep(own: true)
        atexit {
            for name in CardNames.cards.withLock({ $0 }) { _ = unsafe virtual_card_remove(name) }
            for name in CardNames.clocks.withLock({ $0 }) { _ = unsafe virtual_card_remove_clock(name) }
        }
    }()

    /// Removes the leftovers before the first card of this process is made.
    static func prepare() { _ = keepsOrder }

    static func remember(_ card: String, _ clock: VirtualCardOptions.Clock) {
        cards.withLock { _ = $0.insert(card) }
        if case .shared(let name) = clock { clocks.withLock { _ = $0.insert(name) } }
    }

    static func forget(_ card: String) { cards.withLock { _ = $0.remove(card) } }

    /// Removes the cards and clocks of ended processes' rigs, and `own` rigs' of this process; returns the names.
    @discardableResult
    static func sweep(own: Bool = false) -> [String] {
        let names = leftBehind("woodshed-card.", own: own)
        for name in names { _ = unsafe virtual_card_remove(name) }
        // Removing a card removes the card's own clock; the clocks here have separate names, or lost the card.
        let clocks = leftBehind("woodshed-clock.", own: own)
        for name in clocks { _ = unsafe virtual_card_remove_clock(name) }
        return names + clocks
    }

    /// Names such as `test-4711-3` whose number is not a process, or with `own` the number of this process.
    private static func leftBehind(_ prefix: String, own: Bool) -> [String] {
        guard let folder = unsafe opendir("/dev/shm") else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let file = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard file.hasPrefix(prefix) else { continue }
            let name = String(file.dropFirst(prefix.count))
            let parts = name.split(separator: "-")
            // A name without a number in this place was made by hand, and belongs to a user.
            guard parts.count >= 3, let process = Int32(parts[1]), process > 0 else { continue }
            let isOwn = own && parts[0] == "test" && process == getpid()
            if isOwn || !virtual_card_process_exists(process) { names.append(name) }
        }
        return names
    }
}
