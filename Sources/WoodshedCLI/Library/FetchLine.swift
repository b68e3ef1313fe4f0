// Display of a fetch: a bar on a terminal, a line at every tenth elsewhere, objects for programs.
import JSON
import Library
import Terminal
import WoodshedLibrary

/// State of a fetch for display.
struct FetchLine {
    private let name: String
    private var progress = TransferProgress()
    private var state = ""
    private var tenth = 0
    /// True after the first event.
    private(set) var hasBegun = false
    let fetch: PendingFetch

    init(_ fetch: PendingFetch) { (self.fetch, name) = (fetch, fetch.shownName) }

    /// Applies an event.
    ///
    /// - Parameters:
    ///   - isDrawn: True if a bar shows the progress.
    ///   - isRemoved: True if another program has removed this fetch from the list.
    /// - Returns: Lines for people.
    mutating func take(_ event: FetchEvent, isDrawn: Bool, isRemoved: Bool) -> [String] {
        hasBegun = true
        switch event.kind {
        case .extracting:
            state = "looking for the sound"
            return isDrawn ? [] : ["looking for the sound: \(fetch.publicAddress)"]
        case .connecting(let place):
            state = "connecting"
            return isDrawn ? [] : ["connecting: \(place)"]
        case .downloading(let from, let total):
            state = ""
            (progress.doneBytes, progress.totalBytes) = (from, total)
            tenth = Int((progress.fraction ?? 0) * 10)
            let size = total.map { sizeText(UInt64(max(0, $0))) } ?? "size unknown"
            let going = from > 0 ? ", going on from \(sizeText(UInt64(from)))" : ""
            return isDrawn && from == 0 ? [] : ["fetching: \(name) (\(size)\(going))"]
        case .progress(let progress):
            self.progress = progress
            guard !isDrawn, let fraction = progress.fraction, Int(fraction * 10) > tenth else { return [] }
            tenth = Int(fraction * 10)
            return ["\(name): \(tenth * 10) %"]
        case .restarted(let reason):
            progress.doneBytes = 0
            tenth = 0
            return ["\(name) begins again: \(reason)"]
        case .retrying(let seconds, let error):
            state = "waiting"
            return ["\(error.message); trying again in \(Int(seconds.rounded(.up))) s"]
        case .paused:
            state = "paused"
            return isDrawn ? [] : ["paused: \(name)"]
        case .resumed:
            state = ""
            return isDrawn ? [] : ["going on: \(name)"]
        case .analysing:
            state = "analysing"
            return isDrawn ? [] : ["analysing: \(name)"]
        case .finished(let item, let isNew):
            return [(isNew ? "added: " : "already there: ") + item.shortWords]
                + (event.note.map { ["\(name): \($0)"] } ?? [])
        case .failed: return []
        case .cancelled(let kept):
            if isRemoved { return ["off the list, by another program: \(name)"] }
            return kept > 0 ? ["\(name): \(sizeText(UInt64(kept))) are kept"] : []
        }
    }

    /// Returns a line narrower than the terminal: name, bar, share, rate and time left, as far as there is room.
    func line(columns: Int, glyphs: Glyphs) -> String {
        let width = max(1, columns - 1)
        var tail = ""
        if !state.isEmpty {
            tail = state
        } else {
            if let fraction = progress.fraction {
                tail = "\(Int(fraction * 100)) %"
            } else {
                tail = sizeText(UInt64(max(0, progress.doneBytes)))
            }
            if width >= 45, progress.bytesPerSecond > 0 { tail += "  \(sizeText(UInt64(progress.bytesPerSecond)))/s" }
            if width >= 60, let left = progress.secondsLeft { tail += "  \(clockText(Double(left))) left" }
        }
        let room = width - displayWidth(tail) - 2
        guard room >= 8 else { return fitted(tail, cells: width) }
        let barWidth: Int = progress.fraction == nil || width < 40 || !state.isEmpty ? 0 : min(30, room / 3)
        let nameWidth = barWidth > 0 ? room - barWidth - 2 : room
        let shown = fitted(printable(name), cells: max(1, nameWidth))
        let padding = String(repeating: " ", count: max(0, nameWidth - displayWidth(shown)))
        guard barWidth > 0, let fraction = progress.fraction else { return shown + padding + "  " + tail }
        let full = Int((fraction * Double(barWidth)).rounded(.down))
        let (doneGlyph, leftGlyph) = glyphs == .unicode ? ("█", "░") : ("#", ".")
        let bar = String(repeating: doneGlyph, count: full) + String(repeating: leftGlyph, count: barWidth - full)
        return "\(shown)\(padding)  \(bar)  \(tail)"
    }
}

extension FetchEvent {
    /// The event for programs.
    var json: JSONValue {
        func head(_ name: String, _ fields: [JSONValue.Field] = []) -> JSONValue {
            .event(name, [.init("fetch", .integer(number)), .init("address", .string(address))] + fields)
        }
        switch kind {
        case .extracting: return head("download.extracting")
        case .connecting(let place): return head("download.connecting", [.init("place", .string(place))])
        case .downloading(let from, let total):
            return head(
                "download.started",
                [.init("bytes", .integer(from)), .init("total", total.map { .integer($0) } ?? .null)])
        case .progress(let progress):
            return head(
                "download.progress",
                [
                    .init("progress", progress.fraction.map { .number($0) } ?? .null),
                    .init("bytes", .integer(progress.doneBytes)),
                    .init("total", progress.totalBytes.map { .integer($0) } ?? .null),
                    .init("rate", .integer(progress.bytesPerSecond)),
                    .init("seconds_left", progress.secondsLeft.map { .integer($0) } ?? .null),
                ])
        case .restarted(let words):
            return head("download.restarted", [.init("reason", .string(restart?.rawValue ?? words))])
        case .retrying(let seconds, let error):
            return head(
                "download.retrying", [.init("after", .number(seconds)), .init("message", .string(error.message))])
        case .paused: return head("download.paused")
        case .resumed: return head("download.resumed")
        case .analysing: return head("download.analysing")
        case .finished(let item, let isNew):
            let added: [JSONValue.Field] = [
                .init("new", .bool(isNew)), .init("note", note.map { .string($0) } ?? .null),
            ]
            return head("download.finished", added + item.fields)
        case .failed(let error, let kept):
            return head("download.failed", error.fields + [.init("kept", .integer(kept))])
        case .cancelled(let kept): return head("download.cancelled", [.init("kept", .integer(kept))])
        }
    }
}
