// Podcasts: feeds followed by the user.
import Explanations
import JSON
import Terminal
import WoodshedLibrary

struct LibraryFeeds {
    let library: RecordingLibrary
    let messages: MessageOptions

    // MARK: Feeds

    func subscribe(to address: String) throws {
        // The address of a feed that a page names is data; only the typed address is a fault of the command line.
        try AskedAddress(address).check()
        let watch = SignalWatch(Signals.install())
        let (feed, isNew) = try fetching(watch) { try library.subscribe(to: address, fetch: $0) }
        if messages.json { return try write(feed.fields) }
        note(
            printable(
                isNew
                    ? "feed \(feed.number): \(feed.title), with \(counted(feed.episodeCount, "episode"))"
                    : "you follow \(feed.title) already"))
        note("next: woodshed library episodes \(feed.number)")
    }

    func unsubscribe(_ word: String) throws {
        let feed = try library.unsubscribe(try self.feed(word).number)
        if messages.json { return try write(feed.fields) }
        note(printable("you do not follow \(feed.title) any more; what was fetched stays"))
    }

    func list() throws {
        let feeds = try library.subscriptions()
        for feed in feeds {
            if messages.json {
                try write(feed.fields)
                continue
            }
            let new = feed.newCount > 0 ? ", \(feed.newCount) new" : ""
            let words = "\(feed.number)  \(feed.title)  (\(counted(feed.episodeCount, "episode"))\(new))"
            try StandardStream.output.line(printable(words))
            if !feed.error.isEmpty { try StandardStream.output.line(printable("   ! \(feed.error)")) }
        }
        note(
            feeds.isEmpty
                ? "You follow no feeds yet.\nnext: woodshed library subscribe ADDRESS"
                : "next: woodshed library refresh")
    }

    func refresh(_ word: String?) throws {
        let feeds = try word.map { [try feed($0)] } ?? library.subscriptions()
        let watch = SignalWatch(Signals.install())
        var (failure, newCount): ((any Error)?, Int) = (nil, 0)
        let refreshing = FeedRefreshing(feeds, in: library)
        defer { refreshing.end() }
        while let refresh = try watch.stopping({ try refreshing.next { watch.isOver } }) {
            newCount += refresh.newCount
            if messages.json { try write(refresh.subscription.fields) }
            if let error = refresh.error {
                failure = failure ?? error
                let words = (error as? any Explained)?.message ?? "\(error)"
                StandardStream.error.note(printable("\(refresh.subscription.title): \(words)"))
            } else if refresh.newCount > 0 {
                note(printable("\(refresh.subscription.title): \(counted(refresh.newCount, "new episode"))"))
            }
        }
        if refreshing.isCut { throw CommandFailure(watch.status == .success ? .interrupted : watch.status) }
        if feeds.isEmpty { note("You follow no feeds yet.") }
        if newCount > 0 {
            note("next: woodshed library episodes --new")
        } else if failure == nil, !feeds.isEmpty {
            note("nothing new")
        }
        if failure != nil { throw CommandFailure(.someFailed) }
    }

    // MARK: Episodes

    func episodes(_ word: String?, onlyNew: Bool, markingSeen: Bool) throws {
        let feed = try word.map { try self.feed($0).number }
        let episodes = try library.episodes(of: feed, onlyNew: onlyNew || markingSeen)
        if markingSeen { try library.markSeen(feed: feed) }
        let width = episodes.map { String($0.number).count }.max() ?? 0
        for episode in episodes {
            if messages.json {
                try write(episode.fields)
                continue
            }
            let number = String(episode.number)
            let date = episode.publishedAt.map { String(dateText($0).prefix(10)) } ?? "-"
            var words = [String(repeating: " ", count: width - number.count) + number, date]
            words.append(episode.seconds.map { clockText($0, decimals: 0) } ?? "-")
            words.append(
                (episode.title.isEmpty ? episode.publicAddress : episode.title)
                    + (feed == nil ? "  (\(episode.feedTitle))" : ""))
            if episode.isNew, !markingSeen { words.append("[new]") }
            if episode.isFetched { words.append("[in the library]") }
            try StandardStream.output.line(printable(words.joined(separator: "  ")))
        }
        if episodes.isEmpty { return note(onlyNew || markingSeen ? "Nothing new." : "There are no episodes.") }
        note(markingSeen ? "\(counted(episodes.count, "episode")) seen" : "next: woodshed library fetch NUMBER")
    }

    func fetch(_ words: [String]) throws {
        let numbers = try words.map { word in
            guard let number = wholeNumber(word), number > 0 else {
                throw CommandFailure(
                    .usage, "'\(word)' is not the number of an episode",
                    remedy: "List the episodes with: woodshed library episodes")
            }
            return Int(number)
        }
        for fetch in try library.askFor(episodes: numbers) {
            if messages.json {
                let event = JSONValue.event(
                    "episode.wanted",
                    [
                        .init("number", .integer(fetch.number)), .init("address", .string(fetch.address)),
                        .init("title", .string(fetch.wishes.title ?? "")),
                    ])
                try StandardStream.output.line(event.text)
            } else {
                note(printable("on the list: \(fetch.wishes.title ?? fetch.publicAddress)"))
            }
        }
        note("next: woodshed get")
    }

    // MARK: Parts

    /// Returns the feed with a number, an address or a title.
    private func feed(_ word: String) throws -> Subscription {
        let feeds = try library.subscriptions()
        let folded = word.lowercased()
        let found =
            wholeNumber(word).flatMap { number in feeds.first { $0.number == Int(number) } }
            ?? feeds.first { $0.address == word } ?? feeds.first { $0.title.lowercased() == folded }
        if let found { return found }
        throw CommandFailure(
            .notFound, "there is no feed '\(word)'",
            remedy: suggestion(for: word, among: feeds.map(\.title)).map { "Did you mean '\($0)'?" }
                ?? "List the feeds with: woodshed library feeds")
    }

    private func fetching<Value>(
        _ watch: SignalWatch, _ body: (RecordingLibrary.FeedFetching) throws -> Value
    ) throws -> Value {
        let queue = TransferQueue(FeedRefreshing.settings())
        return try watch.stopping { try body { try queue.fetchWaiting($0, isCancelled: { watch.isOver }) } }
    }

    private func write(_ fields: [JSONValue.Field]) throws {
        try StandardStream.output.line(JSONValue.object(fields).text)
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(words) }
    }
}

extension Subscription {
    /// The feed for programs.
    fileprivate var fields: [JSONValue.Field] {
        [
            .init("v", .integer(1)), .init("number", .integer(number)), .init("address", .string(address)),
            .init("title", .string(title)), .init("checked", checkedAt.map { .integer($0) } ?? .null),
            .init("error", .string(error)), .init("added", .integer(addedAt)),
            .init("episodes", .integer(episodeCount)), .init("new", .integer(newCount)),
        ]
    }
}

extension SubscribedEpisode {
    /// The episode for programs.
    fileprivate var fields: [JSONValue.Field] {
        [
            .init("v", .integer(1)), .init("number", .integer(number)), .init("feed", .integer(feed)),
            .init("feed_title", .string(feedTitle)), .init("title", .string(title)),
            .init("address", .string(address)), .init("published", publishedAt.map { .integer($0) } ?? .null),
            .init("seconds", seconds.map { .number($0) } ?? .null),
            .init("bytes", byteCount.map { .integer($0) } ?? .null), .init("about", .string(summary)),
            .init("new", .bool(isNew)), .init("fetched", .bool(isFetched)),
        ]
    }
}
