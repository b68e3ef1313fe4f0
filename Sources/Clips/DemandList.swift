// Which pages should be loaded, most urgent first.

/// Builds the list: without repetitions, within the clip, never longer than there is room.
struct DemandList {
    private(set) var pages: [Int] = []
    private var seen: Set<Int> = []
    private let pageCount: Int
    private let limit: Int

    init(pageCount: Int, limit: Int) {
        self.pageCount = pageCount
        self.limit = limit
    }

    mutating func add(_ page: Int) {
        guard page >= 0, page < pageCount, pages.count < limit, seen.insert(page).inserted else { return }
        pages.append(page)
    }

    /// What is wanted at one moment, in pages.
    struct Wishes {
        /// What somebody stands and waits for.
        var awaited: [Range<Int>] = []
        /// Where something plays, with the page a little behind it, which a slowed-down voice still reads.
        var cursors: [(page: Int, behind: Int)] = []
        /// Where the playing will jump to.
        var jumps: [Int] = []
        /// Ranges asked for, in order of urgency.
        var requested: [Range<Int>] = []
        /// Pages that were waited for lately: kept, as they may be about to be read.
        var recent: [Int] = []
        /// How many pages to decode ahead of each cursor.
        var lookahead = 2
    }

    /// Adds everything wished for: first what would be missed first.
    mutating func add(_ wishes: Wishes) {
        for range in wishes.awaited { for page in range { add(page) } }
        for cursor in wishes.cursors {
            add(cursor.page)
            add(cursor.behind)
        }
        for cursor in wishes.cursors { add(cursor.page + 1) }
        for page in wishes.jumps {
            add(page)
            add(page + 1)
        }
        for page in wishes.recent { add(page) }
        for range in wishes.requested { for page in range.prefix(2) { add(page) } }
        if wishes.lookahead > 2 {
            for distance in 2..<wishes.lookahead { for cursor in wishes.cursors { add(cursor.page + distance) } }
        }
        for range in wishes.requested { for page in range.prefix(limit) { add(page) } }
    }
}
