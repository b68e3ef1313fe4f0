// Events of recordings in a row, for people and for programs.
import Explanations
import Files
import JSON
import Terminal
import Woodshed

/// An event's printed forms.
struct QueueEventText {
    /// Text for people; nil for nothing.
    private(set) var words: [String]?
    /// The object for programs; nil for nothing.
    private(set) var json: JSONValue?
    /// True to print the text even where the status line shows other events.
    private(set) var isNews = false

    init(_ event: QueueEvent, _ entries: [String: QueueEntry], count: Int) {
        func fields(_ item: QueueItem) -> [JSONValue.Field] {
            let entry = entries[item.source]
            return [
                .init("track", .string("\(item.id)")), .init("path", .string(item.source)),
                .init("title", .string(entry?.title ?? fileName(item.source))),
                .init("artist", .string(entry?.artist ?? "")),
            ]
        }
        func title(_ item: QueueItem) -> String { entries[item.source]?.title ?? fileName(item.source) }
        switch event {
        case .itemStarted(let item, let index, let frame):
            words = ["\(index + 1) of \(count): \(title(item))"]
            json = .event(
                "track.started",
                fields(item) + [
                    .init("index", .integer(index + 1)), .init("of", .integer(count)), .init("frame", .integer(frame)),
                ])
        case .itemEnded(let item, let frame, let reason):
            json = .event(
                "track.ended",
                fields(item) + [.init("frame", .integer(frame)), .init("reason", .string("\(reason)"))])
        case .itemChosen(let item, let index):
            json = .event("track.chosen", fields(item) + [.init("index", .integer(index + 1))])
        case .skipped(let item, let error):
            let message = (error as? any ExplainedError)?.message ?? "\(error)"
            (words, isNews) = (["skipped: \(message)"], true)
            json = .event("track.skipped", fields(item) + [.init("message", .string(message))])
        case .orderChanged: json = .event("queue.changed", [.init("of", .integer(count))])
        case .finished: break
        }
    }
}
