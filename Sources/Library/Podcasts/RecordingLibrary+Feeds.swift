internal import AudioFiles
public import Catalogue
internal import Database
public import Explanations
internal import Files
public import Store
internal import TextFormats
public import Transfers

/// Feeds that the user follows. Nothing is fetched automatically: `refresh` fetches feeds, `askFor(episodes:)` asks for
/// episodes.
extension RecordingLibrary {
    /// Function that fetches the file of a request, and waits for the result. Tests fetch from their own server.
    package typealias FeedFetching = (TransferRequest) throws -> FetchedFile

    // MARK: Reading

    /// Returns the feeds, in the order of subscription.
    public func subscriptions() throws(StoreError) -> [Subscription] {
        try store.read { (rows) throws(DatabaseError) in try FeedRows(rows: rows).feeds() } ?? []
    }

    /// Returns the episodes of a feed, or of all feeds, newest first.
    public func episodes(of feed: Int? = nil, onlyNew: Bool = false) throws(StoreError) -> [SubscribedEpisode] {
        try store.read { (rows) throws(DatabaseError) in
            try FeedRows(rows: rows).episodes(of: feed, onlyNew: onlyNew)
        } ?? []
    }

    // MARK: Changing

    /// Subscribes to a feed, after fetching and reading the feed: RSS 0.9x to 2.0, Atom or JSON Feed. If the address is
    /// a web page that names its feed, subscribes to the named feed. The present episodes do not count as new.
    ///
    /// Blocks the calling thread, which must not be a thread of Swift's task pool. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - address: Address of the feed or of the page, with `http` or `https`.
    ///   - queue: Fetches the feed.
    ///   - isCancelled: Called now and then. If it returns true, the transfer is cancelled.
    /// - Returns: The feed, and true if the feed is new. A feed that the user already follows stays unchanged.
    /// - Throws: `TransferError`, `StoreError`, another `ExplainedError` if the address leads to no feed. Nothing has
    ///   changed after an error.
    public func subscribe(
        to address: String, with queue: TransferQueue, isCancelled: () -> Bool = { false }
    ) throws -> (subscription: Subscription, isNew: Bool) {
        try subscribe(to: address) { try queue.fetchWaiting($0, isCancelled: isCancelled) }
    }

    /// Does the same with a function that fetches.
    package func subscribe(
        to address: String, fetch: FeedFetching
    ) throws -> (subscription: Subscription, isNew: Bool) {
        var place = try WebAddress(address)
        if let known = try subscription(place.text) { return (known, false) }
        var read: ReadFeed?
        // A page may point to a feed once; a chain of pages leads nowhere.
        for attempt in 0..<2 where read == nil {
            do { read = try self.read(place, tag: nil, modified: nil, fetch) } catch let error as FeedError {
                guard attempt == 0, let named = error.feedAddress else { throw error }
                place = try WebAddress(named)
                if let known = try subscription(place.text) { return (known, false) }
            }
        }
        guard let read, let feed = read.feed else { throw FeedError.unknownFormat }
        let now = Self.now
        let (text, shown) = (place.text, place.shown)
        let found = try store.change { (rows) throws(DatabaseError) -> (Subscription, Bool)? in
            let rows = FeedRows(rows: rows)
            if let known = try rows.feed(address: text) { return (known, false) }
            // Lists must not show a private address, so the title is the address without secrets.
            let number = try rows.add(text, title: shown, at: now)
            _ = try rows.write(feed, to: number, areNew: false, at: now)
            try rows.setValidators(number, tag: read.tag, modified: read.modified)
            try rows.note(number, error: read.fault, at: now)
            return try rows.feed(number).map { ($0, true) }
        }
        guard let found else { throw FeedError.unknownFormat }
        return (found.0, found.1)
    }

    /// Stops following a feed. Fetched recordings stay.
    ///
    /// - Returns: The feed before the removal.
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    @discardableResult
    public func unsubscribe(_ number: Int) throws -> Subscription {
        try changeFeed(number) { (rows, _) throws(DatabaseError) in try rows.remove(number) }
    }

    /// Fetches a feed again, and adds its new episodes to the list. A server with nothing new answers without sending
    /// the feed.
    ///
    /// An error of the transfer or of the feed is stored with the feed and returned in the result, not thrown. Blocks
    /// the calling thread, which must not be a thread of Swift's task pool. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - number: Number of the feed.
    ///   - queue: Fetches the feed.
    ///   - isCancelled: Called now and then. If it returns true, the transfer is cancelled.
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    public func refresh(
        _ number: Int, with queue: TransferQueue, isCancelled: () -> Bool = { false }
    ) throws -> FeedRefresh {
        try refresh(number) { try queue.fetchWaiting($0, isCancelled: isCancelled) }
    }

    /// Does the same with a function that fetches.
    package func refresh(_ number: Int, fetch: FeedFetching) throws -> FeedRefresh {
        let known = try store.read { (rows) throws(DatabaseError) in
            let rows = FeedRows(rows: rows)
            return (feed: try rows.feed(number), validators: try rows.validators(number))
        }
        guard let known, let feed = known.feed else { throw Self.unknownFeed(number) }
        let now = Self.now
        do {
            let read = try self.read(
                WebAddress(feed.address), tag: known.validators.tag, modified: known.validators.modified, fetch)
            let count = try changeFeeds { (rows) throws(DatabaseError) -> Int in
                // The feed may have been removed meanwhile.
                guard try rows.feed(number) != nil else { return 0 }
                try rows.note(number, error: read.fault, at: now)
                guard let content = read.feed else { return 0 }
                try rows.setValidators(number, tag: read.tag, modified: read.modified)
                return try rows.write(content, to: number, areNew: true, at: now)
            }
            return FeedRefresh(
                subscription: try subscription(number) ?? feed, isUnchanged: read.feed == nil, newCount: count,
                error: nil)
        } catch let error as StoreError {
            throw error
        } catch {
            if (error as? TransferError)?.kind == .cancelled { throw error }
            let words = (error as? any Explained)?.message ?? "\(error)"
            try changeFeeds { (rows) throws(DatabaseError) in try rows.note(number, error: words, at: now) }
            return FeedRefresh(
                subscription: try subscription(number) ?? feed, isUnchanged: true, newCount: 0, error: error)
        }
    }

    /// Puts episodes on the list of fetches, with their titles. The episodes are no longer new.
    ///
    /// - Throws: `RecordingLibraryError` of kind `unknown`: nothing has changed; `StoreError`.
    @discardableResult
    public func askFor(episodes numbers: [Int]) throws -> [PendingFetch] {
        var episodes: [SubscribedEpisode] = []
        for number in numbers {
            let found =
                try store.read { (rows) throws(DatabaseError) in try FeedRows(rows: rows).episode(number) } ?? nil
            guard let found else {
                throw RecordingLibraryError(
                    .unknown, "there is no episode \(number)",
                    remedy: "List the episodes with: woodshed library episodes")
            }
            episodes.append(found)
        }
        return try episodes.map { episode in
            var wishes = FetchWishes()
            if !episode.title.isEmpty { wishes.title = episode.title }
            // The title of a feed without a title is its address. An address may contain a private key, which every
            // export would then contain.
            let isAddress = WebAddress.fault(in: episode.feedTitle) == nil
            if !episode.feedTitle.isEmpty, !isAddress { wishes.artist = episode.feedTitle }
            let fetch = try askFor(episode.address, filling: wishes)
            try changeFeeds { (rows) throws(DatabaseError) in try rows.setSeen(episode.number) }
            return fetch
        }
    }

    /// Marks the new episodes of a feed, or of all feeds, as seen.
    ///
    /// - Returns: Number of episodes that were new.
    @discardableResult
    public func markSeen(feed: Int? = nil) throws(StoreError) -> Int {
        try changeFeeds { (rows) throws(DatabaseError) in try rows.setSeen(feed: feed) }
    }

    // MARK: Parts

    /// Answer of a server.
    private struct ReadFeed {
        /// Nil if the server has nothing new.
        let feed: Feed?
        let tag: String?
        let modified: String?

        /// Text stored as the feed's error; empty if the feed is complete.
        var fault: String {
            feed?.isCutOff == true ? "The feed ends in the middle; only the episodes before that were read" : ""
        }
    }

    private func read(
        _ address: WebAddress, tag: String?, modified: String?, _ fetch: FeedFetching
    ) throws -> ReadFeed {
        try folder.make()
        // A name for this run alone: another run may fetch the same feed.
        let path = folder.parts + "/feed-" + FilePlace.temporaryName()
        var request = TransferRequest(address, to: path, replaces: true, sizeLimit: Int64(Feed.largest))
        request.conditions = TransferRequest.conditions(tag: tag, lastModified: modified)
        defer { for ending in ["", ".part", ".part.json"] { _ = calls.remove(path + ending) } }
        let file: FetchedFile
        do { file = try fetch(request) } catch let error as TransferError {
            guard error.status == 304, !request.conditions.isEmpty else { throw error }
            return ReadFeed(feed: nil, tag: tag, modified: modified)
        }
        let bytes: [UInt8]
        do throws(FileFault) {
            let content = try unsafe RegularFile(file.path)
            bytes = try FileBytes.bytes(of: content.descriptor, count: min(Int(content.byteCount), Feed.largest + 1))
        } catch { throw RecordingLibraryError.reading(file.path, error) }
        let feed = try Feed(reading: bytes, address: file.answer.address.text)
        // Without validators, the server must send a truncated feed again next time, even if the feed has not changed.
        return ReadFeed(
            feed: feed, tag: feed.isCutOff ? nil : file.answer.tag,
            modified: feed.isCutOff ? nil : file.answer.lastModified)
    }

    private func subscription(_ address: String) throws(StoreError) -> Subscription? {
        try store.read { (rows) throws(DatabaseError) in try FeedRows(rows: rows).feed(address: address) } ?? nil
    }

    private func subscription(_ number: Int) throws(StoreError) -> Subscription? {
        try store.read { (rows) throws(DatabaseError) in try FeedRows(rows: rows).feed(number) } ?? nil
    }

    @discardableResult
    private func changeFeeds<Value: Sendable>(
        _ body: (FeedRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        try store.change { (rows) throws(DatabaseError) in try body(FeedRows(rows: rows)) }
    }

    private func changeFeed(
        _ number: Int, _ body: (FeedRows, Subscription) throws(DatabaseError) -> Void
    ) throws -> Subscription {
        try changeFeeds { (rows) throws(DatabaseError) -> Result<Subscription, RecordingLibraryError> in
            guard let feed = try rows.feed(number) else { return .failure(Self.unknownFeed(number)) }
            try body(rows, feed)
            return .success(feed)
        }.get()
    }

    private static func unknownFeed(_ number: Int) -> RecordingLibraryError {
        RecordingLibraryError(
            .unknown, "there is no feed \(number)", remedy: "List the feeds with: woodshed library feeds")
    }
}
