internal import JSON
package import TextFormats
internal import Transfers
internal import UserState

/// Cache of the found locations of videos' sounds. Keeps each location as long as its address is valid, so that the
/// helper need not run again.
///
/// The cache is a small file, shared with other runs of the program. A damaged or unreadable file counts as empty; the
/// cache never makes anything fail. The caller supplies the clock: times are in seconds since 1970.
///
/// Real-time safe: no (files). Threads: any.
package struct ExtractionCache: Sendable {
    private let file: StateFile

    /// Maximum number of entries; the oldest entries go first.
    static let mostEntries = 200
    /// Lifetime of an address without a stated expiry, in seconds.
    static let usualSeconds: Int64 = 6 * 3600
    /// Longest lifetime of an entry, in seconds.
    static let longestSeconds: Int64 = 7 * 86_400
    /// Margin before the expiry, in seconds. A transfer could not even begin in this time, so the address is no longer
    /// used.
    static let spareSeconds: Int64 = 60
    /// Longest file, in bytes; less than the limit of a state file.
    private static let largest = 900_000

    /// The user's own cache; nil for a user without a home folder.
    package init?() {
        guard let folder = CacheFolder.path else { return nil }
        self.init(path: folder + "/extracted.json")
    }

    /// A cache in a file, which need not exist.
    package init(path: String) {
        // Addresses and cookies give access to the user's private data.
        file = StateFile(path: path, isPrivate: true)
    }

    /// Returns the entry for a video; nil if missing or expired.
    package func source(for link: VideoLink, now: Int64) -> ExtractedSource? {
        let content = (try? file.read()) ?? .nothing
        return Self.entries(content).last { $0.id == link.canonicalID && $0.isValid(now) }?.source
    }

    /// Stores the location found for a video, replacing the earlier entry.
    ///
    /// - Returns: True if stored. An expired address is not stored.
    @discardableResult
    package func keep(_ source: ExtractedSource, for link: VideoLink, now: Int64) -> Bool {
        let entry = Entry(
            id: link.canonicalID, source: source, stored: now, expires: Self.expiry(of: source.address, now: now))
        guard entry.isValid(now) else { return false }
        return change { entries in
            entries.filter { $0.id != entry.id && $0.isValid(now) } + [entry]
        }
    }

    /// Removes a video from the cache, for example because its address did not work.
    ///
    /// - Returns: True if the removal succeeded.
    @discardableResult
    package func forget(_ link: VideoLink) -> Bool {
        change { entries in entries.filter { $0.id != link.canonicalID } }
    }

    /// Returns the expiry of an address, in seconds since 1970: from its parameter `expire`, or else after the usual
    /// lifetime.
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

        /// False also for an entry from the future: the clock was changed, so the times mean nothing.
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

    /// Returns the complete entries.
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
