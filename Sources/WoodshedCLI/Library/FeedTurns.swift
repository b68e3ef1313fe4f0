// Decides which feed is fetched next. A server with several feeds has only some of the turns, so the silence of such a
// server delays no other feed, and is waited for once.
import WoodshedLibrary

/// The feeds of a refresh that are not fetched yet, and the experience with their servers.
struct FeedTurns {
    private struct Server {
        var activeCount = 0
        var timeoutCount = 0
        var hasAnswered = false

        /// Number of feeds that may be fetched at the same time. After a timeout, the next answer decides whether the
        /// server is silent.
        var most: Int { timeoutCount > 0 && !hasAnswered ? 1 : FeedTurns.mostPerServer }
        /// True if two feeds timed out, and none was answered. A single feed may be slow for a reason of its own.
        var isSilent: Bool { timeoutCount > 1 && !hasAnswered }
    }

    private var waiting: [(feed: Subscription, server: String)]
    private var servers: [String: Server] = [:]

    /// Largest number of feeds fetched from the same server at the same time.
    static let mostPerServer = 2

    /// Feeds without an error the last time come first: where more servers are silent than may be asked at once, known
    /// silent servers delay only each other.
    init(_ feeds: [Subscription]) {
        waiting = (feeds.filter(\.error.isEmpty) + feeds.filter { !$0.error.isEmpty }).map { ($0, Self.server(of: $0)) }
    }

    /// Number of feeds without a turn yet.
    var count: Int { waiting.count }

    /// Gives the next feed its turn; nil if every waiting feed belongs to a busy server.
    mutating func next() -> Subscription? {
        let index = waiting.firstIndex {
            let server = servers[$0.server] ?? Server()
            return server.isSilent || server.activeCount < server.most
        }
        guard let index else { return nil }
        let (feed, server) = waiting.remove(at: index)
        servers[server, default: Server()].activeCount += 1
        return feed
    }

    /// True if the server of a feed gave no answer in this refresh, so that asking again is useless.
    func isSilent(_ feed: Subscription) -> Bool { servers[Self.server(of: feed)]?.isSilent ?? false }

    /// Ends the turn of a feed.
    mutating func end(_ feed: Subscription, error: (any Error)?) {
        let isTimeout = (error as? TransferError)?.kind == .timeout
        let server = Self.server(of: feed)
        servers[server]?.activeCount -= 1
        servers[server]?.timeoutCount += isTimeout ? 1 : 0
        if !isTimeout { servers[server]?.hasAnswered = true }
    }

    mutating func removeAll() { waiting = [] }

    /// Returns the name and the port of a feed's server.
    private static func server(of feed: Subscription) -> String {
        (try? WebAddress(feed.address)).map { "\($0.host) \($0.port)" } ?? feed.address
    }
}
