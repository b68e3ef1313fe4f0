// The pages to load, most urgent first.

/// Builds the list: without repetitions, within the clip, limited to the available room.
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

    /// All requests at one moment, in pages.
    struct Wishes {
        /// Ranges for which a thread waits.
        var awaited: [Range<Int>] = []
        /// Play positions.
        var cursors: [Cursor] = []
        /// The next places to play, each with its direction.
        var jumps: [(page: Int, step: Int)] = []
        /// Requested ranges, in order of urgency.
        var requested: [Range<Int>] = []
        /// Pages recently waited for; the list keeps such pages because they may be read soon.
        var recent: [Int] = []
        /// Number of pages to decode ahead of each cursor.
        var lookahead = 2
    }

    /// A play position.
    struct Cursor {
        var page: Int
        /// The page slightly behind the position, which a slowed voice still reads.
        var behind: Int
        /// Step from page to page in the direction of playing: 1, or -1.
        var step: Int
    }

    /// Adds all requests, the most urgent first.
    mutating func add(_ wishes: Wishes) {
        for range in wishes.awaited { for page in range { add(page) } }
        for cursor in wishes.cursors {
            add(cursor.page)
            add(cursor.behind)
        }
        for cursor in wishes.cursors { add(cursor.page + cursor.step) }
        for jump in wishes.jumps {
            add(jump.page)
            add(jump.page + jump.step)
        }
        for page in wishes.recent { add(page) }
        for range in wishes.requested { for page in range.prefix(2) { add(page) } }
        if wishes.lookahead > 2 {
            for distance in 2..<wishes.lookahead {
                for cursor in wishes.cursors { add(cursor.page + distance * cursor.step) }
            }
        }
        for range in wishes.requested { for page in range.prefix(limit) { add(page) } }
    }
}
