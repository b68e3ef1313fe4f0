// Rows of feeds and their episodes.
internal import Catalogue
internal import Database
internal import JSON
internal import Store
internal import TextFormats

struct FeedRows {
    let rows: StoreRows

    private var database: Database { rows.database }

    private static let feedColumns = """
        id, address, title, checked, error, added, (SELECT count(*) FROM episode WHERE feed = feed.id),
        (SELECT count(*) FROM episode WHERE feed = feed.id AND is_new = 1)
        """

    // MARK: Feeds

    func feeds() throws(DatabaseError) -> [Subscription] {
        try database.readableRows("SELECT \(Self.feedColumns) FROM feed ORDER BY id", row: Self.feed)
    }

    func feed(_ number: Int) throws(DatabaseError) -> Subscription? {
        try database.first("SELECT \(Self.feedColumns) FROM feed WHERE id = ?", .integer(number), row: Self.feed)
    }

    func feed(address: String) throws(DatabaseError) -> Subscription? {
        try database.first("SELECT \(Self.feedColumns) FROM feed WHERE address = ?", .text(address), row: Self.feed)
    }

    func add(_ address: String, title: String, at time: Int64) throws(DatabaseError) -> Int {
        try database.run(
            "INSERT INTO feed (address, title, added) VALUES (?, ?, ?)", .text(address), .text(title), .integer(time))
        return Int(database.lastInsertedRow)
    }

    func remove(_ number: Int) throws(DatabaseError) {
        try database.run("DELETE FROM feed WHERE id = ?", .integer(number))
    }

    /// Stores the time and result of the last check of a feed.
    func note(_ number: Int, error: String, at time: Int64) throws(DatabaseError) {
        try database.run(
            "UPDATE feed SET checked = ?, error = ? WHERE id = ?", .integer(time), .text(error), .integer(number))
    }

    func validators(_ number: Int) throws(DatabaseError) -> (tag: String?, modified: String?) {
        let text = try database.first("SELECT validators FROM feed WHERE id = ?", .integer(number)) {
            (row) throws(DatabaseError) in try row.text(0)
        }
        let value = text.flatMap { JSONValue(reading: Array($0.utf8)) }
        return (value?["tag"]?.stringValue, value?["modified"]?.stringValue)
    }

    func setValidators(_ number: Int, tag: String?, modified: String?) throws(DatabaseError) {
        var fields: [JSONValue.Field] = []
        if let tag { fields.append(.init("tag", .string(tag))) }
        if let modified { fields.append(.init("modified", .string(modified))) }
        try database.run(
            "UPDATE feed SET validators = ? WHERE id = ?", .text(JSONValue.object(fields).text), .integer(number))
    }

    /// Stores the contents of a feed. A date in the future counts as the time at which the date was first seen.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: Number of new episodes.
    func write(_ feed: Feed, to number: Int, areNew: Bool, at now: Int64) throws(DatabaseError) -> Int {
        let title = line(feed.title)
        if !title.isEmpty {
            try database.run("UPDATE feed SET title = ? WHERE id = ?", .text(title), .integer(number))
        }
        var count = 0
        // Oldest first, so that later episodes have higher numbers.
        for episode in feed.episodes.reversed() {
            let values: [DatabaseValue] = [
                .text(line(episode.title)), .text(episode.address), .integer(orNull: episode.date.map { min($0, now) }),
                .integer(orNull: episode.seconds.map { Int64(min(max(0, $0), 1e9) * 1000) }),
                .integer(orNull: episode.byteCount), .text(episode.summary),
            ]
            let isFuture = episode.date.map { $0 > now } ?? false
            // The third value, which this statement names twice.
            let date = isFuture ? "min(?3, coalesce(published, ?3))" : "?3"
            let changed = try database.run(
                """
                UPDATE episode SET title = ?, address = ?, published = \(date), milliseconds = ?, byte_count = ?, about = ?
                WHERE feed = ? AND identity = ?
                """, values: values + [.integer(number), .text(episode.id)])
            if changed > 0 { continue }
            try database.run(
                """
                INSERT INTO episode (title, address, published, milliseconds, byte_count, about, feed, identity, is_new)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, values: values + [.integer(number), .text(episode.id), .integer(areNew ? 1 : 0)])
            count += 1
        }
        return count
    }

    // MARK: Episodes

    private static let episodeColumns = """
        episode.id, feed.id, feed.title, episode.title, episode.address, published, milliseconds, byte_count, about, is_new,
        EXISTS (SELECT 1 FROM item WHERE item.source = episode.address AND gone = 0 AND trashed IS NULL)
        """

    /// Returns the episodes of a feed, or of all feeds, newest first.
    func episodes(of feed: Int?, onlyNew: Bool) throws(DatabaseError) -> [SubscribedEpisode] {
        let episodes = try database.readableRows(
            """
            SELECT \(Self.episodeColumns) FROM episode JOIN feed ON episode.feed = feed.id
            WHERE (?1 IS NULL OR feed.id = ?1) AND is_new >= ?2
            ORDER BY published IS NULL, published DESC, episode.id DESC
            """, [.integer(orNull: feed.map(Int64.init)), .integer(onlyNew ? 1 : 0)], row: Self.episode)
        return try markingImported(episodes)
    }

    /// Marks the episodes whose recordings have the address without private keys, as imported recordings do. If several
    /// episodes of a feed have the same address without keys, the recording could be any of these episodes, so none is
    /// marked.
    private func markingImported(_ episodes: [SubscribedEpisode]) throws(DatabaseError) -> [SubscribedEpisode] {
        let short = episodes.map { AddressKeys.removed(from: $0.address) }
        var wanted = episodes.indices.filter { !episodes[$0].isFetched && short[$0] != episodes[$0].address }
        if wanted.isEmpty { return episodes }
        let sources = try database.readableRows(
            "SELECT source FROM item WHERE gone = 0 AND trashed IS NULL AND source != ''"
        ) { (row) throws(DatabaseError) in try row.text(0)
        }
        let known = Set(sources)
        wanted = wanted.filter { known.contains(short[$0]) }
        if wanted.isEmpty { return episodes }
        let addresses = try addresses(ofFeeds: Set(wanted.map { episodes[$0].feed }))
        var marked = episodes
        for index in wanted { marked[index].isFetched = addresses[episodes[index].feed]?[short[index]]?.count == 1 }
        return marked
    }

    /// Returns the addresses of all episodes of some feeds, by feed and by address without private keys.
    private func addresses(ofFeeds feeds: Set<Int>) throws(DatabaseError) -> [Int: [String: Set<String>]] {
        var found: [Int: [String: Set<String>]] = [:]
        for feed in feeds {
            let all = try database.readableRows("SELECT address FROM episode WHERE feed = ?", [.integer(feed)]) {
                (row) throws(DatabaseError) in try row.text(0)
            }
            found[feed] = Dictionary(grouping: all) { AddressKeys.removed(from: $0) }.mapValues { Set($0) }
        }
        return found
    }

    func episode(_ number: Int) throws(DatabaseError) -> SubscribedEpisode? {
        try database.first(
            "SELECT \(Self.episodeColumns) FROM episode JOIN feed ON episode.feed = feed.id WHERE episode.id = ?",
            .integer(number), row: Self.episode)
    }

    func setSeen(_ number: Int) throws(DatabaseError) {
        try database.run("UPDATE episode SET is_new = 0 WHERE id = ?", .integer(number))
    }

    func setSeen(feed: Int?) throws(DatabaseError) -> Int {
        guard let feed else { return try database.run("UPDATE episode SET is_new = 0 WHERE is_new = 1") }
        return try database.run("UPDATE episode SET is_new = 0 WHERE is_new = 1 AND feed = ?", .integer(feed))
    }

    // MARK: Rows as values

    private static func feed(_ row: DatabaseRow) throws(DatabaseError) -> Subscription {
        Subscription(
            number: Int(try row.integer(0)), address: try row.text(1), title: try row.text(2),
            checkedAt: try row.integer(orNull: 3), error: try row.text(4), addedAt: try row.integer(5),
            episodeCount: Int(try row.integer(6)), newCount: Int(try row.integer(7)))
    }

    private static func episode(_ row: DatabaseRow) throws(DatabaseError) -> SubscribedEpisode {
        SubscribedEpisode(
            number: Int(try row.integer(0)), feed: Int(try row.integer(1)), feedTitle: try row.text(2),
            title: try row.text(3), address: try row.text(4), publishedAt: try row.integer(orNull: 5),
            seconds: try row.integer(orNull: 6).map { Double($0) / 1000 }, byteCount: try row.integer(orNull: 7),
            summary: try row.text(8), isNew: try row.integer(9) != 0, isFetched: try row.integer(10) != 0)
    }
}
