internal import JSON
package import TextFormats
internal import Transfers
internal import UserState

/// Where the sound of videos was found, kept for as long as the addresses are valid, so that a helper need not be asked again.
///
/// It is a small file, shared with other runs of the program. Whatever is wrong with it, it is as if nothing were in there; a cache makes
/// nothing fail. The clock is the caller's: times are in seconds since 1970.
///
/// Real-time safe: no (files). Threads: any.
package struct ExtractionCache: Sendable {
    private let file: StateFile

    /// The most entries that are kept; the oldest go first.
    static let mostEntries = 200
    /// How long an address is kept that does not say how long it is valid, in seconds.
    static let usualSeconds: Int64 = 6 * 3600
    /// The longest time for which one is kept, in seconds.
    static let longestSeconds: Int64 = 7 * 86_400
    /// An address is not used in the last seconds of its time, in which a transfer could not even begin.
    static let spareSeconds: Int64 = 60
    /// The longest file, in bytes; below what a state file may have.
    private static let largest = 900_000

    /// The user's own cache; nil for a user without a home.
    package init?() {
        guard let folder = CacheFolder.path else { return nil }
        self.init(path: folder + "/extracted.json")
    }

    /// A cache in a file, which need not exist.
    package init(path: String) {
        // Addresses and cookies open what is the user's alone.
        file = StateFile(path: path, isPrivate: true)
    }

    /// What is kept for a video; nil if nothing is, or no longer.
    package func source(for link: VideoLink, now: Int64) -> ExtractedSource? {
        let content = (try? file.read()) ?? .nothing
        return Self.entries(content).last { $0.id == link.canonicalID && $0.isValid(now) }?.source
    }

    /// Keeps what was found for a video, instead of what was kept for it.
    ///
    /// - Returns: Whether it is kept. An address that is not valid any more is not.
    @discardableResult
    package func keep(_ source: ExtractedSource, for link: VideoLink, now: Int64) -> Bool {
        let entry = Entry(
            id: link.canonicalID, source: source, stored: now, expires: Self.expiry(of: source.address, now: now))
        guard entry.isValid(now) else { return false }
        return change { entries in
            entries.filter { $0.id != entry.id && $0.isValid(now) } + [entry]
        }
    }

    /// Forgets a video, for example because its address did not work.
    ///
    /// - Returns: Whether it could be forgotten.
    @discardableResult
    package func forget(_ link: VideoLink) -> Bool {
        change { entries in entries.filter { $0.id != link.canonicalID } }
    }

    /// When an address ends to be valid, in seconds since 1970: by its own parameter `expire`, or else after the usual time.
    static func expiry(of address: String, now: Int64) -> Int64 {
        let parameters = address.split(separator: "?", maxSplits: 1).dropFirst().first?.prefix { $0 != "#" } ?? ""
        for parameter in parameters.split(separator: "&") where parameter.hasPrefix("expire=") {
            if let time = Int64(digits: parameter.dropFirst(7), in: 1 ... .max) {
                return min(time - spareSeconds, now + longestSeconds)
            }
        }
        return now + usualSeconds
    }

    private func change(_ change: ([Entry]) -> [Entry]) -> Bool {
        do throws(StateFile.Fault) {
            try file.change(failure: { $0 }) { (content) throws(StateFile.Fault) in
                Self.text(change(Self.entries(content)))
            }
            return true
        } catch {
            return false
        }
    }

    // MARK: The file

    private struct Entry {
        let id: String
        let source: ExtractedSource
        let stored: Int64
        let expires: Int64

        /// Not either if it comes from the future: then the clock was changed, and its times mean nothing.
        func isValid(_ now: Int64) -> Bool { stored <= now && now < expires }
    }

    private static func text(_ entries: [Entry]) -> String {
        var (texts, byteCount) = ([JSONValue](), 0)
        for entry in entries.suffix(mostEntries).reversed() {
            let value = value(entry)
            byteCount += value.text.utf8.count + 1
            if byteCount > largest { break }
            texts.append(value)
        }
        return JSONValue.object([.init("v", .integer(1)), .init("entries", .array(texts.reversed()))]).text
    }

    private static func value(_ entry: Entry) -> JSONValue {
        let source = entry.source
        var fields: [JSONValue.Field] = [.init("id", .string(entry.id)), .init("url", .string(source.address))]
        if let title = source.title { fields.append(.init("title", .string(title))) }
        if let artist = source.artist { fields.append(.init("artist", .string(artist))) }
        if let seconds = source.seconds { fields.append(.init("seconds", .number(seconds))) }
        if let name = source.pathExtension { fields.append(.init("extension", .string(name))) }
        let headers = source.headers.map { JSONValue.array([.string($0.name), .string($0.value)]) }
        fields += [
            .init("headers", .array(headers)), .init("stored", .integer(entry.stored)),
            .init("expires", .integer(entry.expires)),
        ]
        return .object(fields)
    }

    /// The entries that are whole.
    private static func entries(_ content: StateFile.Content) -> [Entry] {
        guard case .value(let value) = content, value["v"] == .integer(1) else { return [] }
        return (value["entries"]?.elements ?? []).compactMap { value in
            guard let id = value["id"]?.stringValue, let address = value["url"]?.stringValue,
                let stored = value["stored"]?.integer(in: .seconds),
                let expires = value["expires"]?.integer(in: .seconds)
            else { return nil }
            let headers = (value["headers"]?.elements ?? []).compactMap { pair -> TransferHeader? in
                guard let parts = pair.elements, parts.count == 2, let name = parts[0].stringValue,
                    let value = parts[1].stringValue
                else { return nil }
                return TransferHeader(name: name, value: value)
            }
            let source = ExtractedSource(
                address: address, title: value["title"]?.stringValue, artist: value["artist"]?.stringValue,
                seconds: value["seconds"]?.number(in: .measures),
                pathExtension: value["extension"]?.stringValue, headers: headers
            )
            return source.map { Entry(id: id, source: $0, stored: stored, expires: expires) }
        }
    }
}
