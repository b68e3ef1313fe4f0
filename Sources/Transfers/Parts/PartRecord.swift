internal import Files
internal import JSON

/// The record of a part, kept in a small file beside the part, so that another run can continue.
struct PartRecord: Equatable, Sendable {
    /// The requested address.
    var address: String
    /// The final address after redirections.
    var effectiveAddress: String
    var validators = Validators()
    /// Number of bytes of the whole file; nil if the server did not say.
    var byteCount: Int64?
    /// True if the server stated the end of the file. If false, the end of a connection may be the end of the file or
    /// an error.
    var isEndStated = true
    /// Number of bytes of the part on the disk. After a power loss, bytes beyond this number may be anything.
    var durableBytes: Int64 = 0
    /// True if the part is the whole file, and only the check and the naming remain.
    var isComplete = false
    /// Checksums of the whole file, as stated by the server.
    var checksums: [Checksum] = []
    /// Name suggested by the server.
    var suggestedName: String?
    var contentType: String?
    /// End of an earlier attempt, if the server does not state the end and the content proved incomplete.
    var earlierEnd: EarlierEnd?
    /// The process writing the part, or its last writer.
    var holder = NotedProcess.none
    /// Time at which the latest bytes began to arrive, in seconds since 1970, and number of bytes present at this time.
    var startedAt: Int64 = 0
    var startedBytes: Int64 = 0

    static let version: Int64 = 1

    init(address: String, effectiveAddress: String? = nil) {
        (self.address, self.effectiveAddress) = (address, effectiveAddress ?? address)
    }

    var json: JSONValue {
        var fields: [JSONValue.Field] = [
            .init("version", .integer(Self.version)), .init("url", .string(address)),
            .init("effectiveURL", .string(effectiveAddress)), .init("durableBytes", .integer(durableBytes)),
            .init("complete", .bool(isComplete)), .init("process", .integer(Int64(holder.number))),
            .init("startedAt", .integer(startedAt)), .init("startedBytes", .integer(startedBytes)),
        ]
        func add(_ name: String, _ text: String?) { if let text { fields.append(.init(name, .string(text))) } }
        if let byteCount { fields.append(.init("bytes", .integer(byteCount))) }
        if !isEndStated { fields.append(.init("endStated", .bool(false))) }
        add("processPlace", holder.place)
        add("etag", validators.tag)
        add("lastModified", validators.lastModified)
        add("date", validators.date)
        add("suggestedName", suggestedName)
        add("contentType", contentType)
        for checksum in checksums { add(checksum.algorithm.rawValue, checksum.hexadecimal) }
        if let earlierEnd {
            fields.append(.init("earlierBytes", .integer(earlierEnd.byteCount)))
            add("earlierSHA256", earlierEnd.checksum.hexadecimal)
        }
        return .object(fields)
    }

    /// Reads a record; nil if the value is not a record of this version.
    init?(_ value: JSONValue) {
        guard value["version"]?.integer(in: .counts) == Self.version, let address = value["url"]?.stringValue,
            let effective = value["effectiveURL"]?.stringValue,
            let durable = value["durableBytes"]?.integer(in: .counts),
            let isComplete = value["complete"]?.boolValue
        else { return nil }
        self.init(address: address, effectiveAddress: effective)
        (durableBytes, self.isComplete) = (durable, isComplete)
        byteCount = value["bytes"]?.integer(in: .counts)
        if let byteCount, byteCount < durable { return nil }
        isEndStated = value["endStated"]?.boolValue ?? true
        validators = Validators(
            tag: value["etag"]?.stringValue, lastModified: value["lastModified"]?.stringValue,
            date: value["date"]?.stringValue)
        (suggestedName, contentType) = (value["suggestedName"]?.stringValue, value["contentType"]?.stringValue)
        checksums = Checksum.Algorithm.allCases.compactMap { algorithm in
            value[algorithm.rawValue]?.stringValue.flatMap { Checksum(algorithm, hexadecimal: $0) }
        }
        if let count = value["earlierBytes"]?.integer(in: .counts),
            let sum = value["earlierSHA256"]?.stringValue.flatMap({ Checksum(.sha256, hexadecimal: $0) })
        {
            earlierEnd = EarlierEnd(byteCount: count, checksum: sum)
        }
        startedAt = value["startedAt"]?.integer(in: .seconds) ?? 0
        startedBytes = value["startedBytes"]?.integer(in: .counts) ?? 0
        holder = NotedProcess(
            number: value["process"]?.integer(in: .identities).flatMap(Int32.init(exactly:)) ?? 0,
            place: value["processPlace"]?.stringValue)
    }
}

/// The bytes of an attempt up to its end.
struct EarlierEnd: Equatable, Sendable {
    let byteCount: Int64
    /// SHA-256, of all bytes.
    let checksum: Checksum
}

/// The paths of a part and its record, beside the final file.
struct PartNames: Equatable, Sendable {
    let part, record: String

    static let (partEnding, recordEnding) = (".part", ".part.json")
    /// Suffix of a record while it is being written.
    static let unfinishedEnding = ".new"

    /// - Parameter path: Path of the final file.
    init(_ path: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = String(slash.map { path[path.utf8.index(after: $0)...] } ?? path[...])
        let folder = String(slash.map { path[...$0] } ?? "")
        let room = FileNames.longest - (Self.recordEnding + Self.unfinishedEnding).utf8.count
        var stem = name
        if name.utf8.count > room {
            // Different long names get different parts, by an FNV-1a hash.
            let sum = name.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            let mark = "~" + String(sum, radix: 16)
            stem = FileNames.shortened(name, to: room - mark.utf8.count) + mark
        }
        part = folder + stem + Self.partEnding
        record = folder + stem + Self.recordEnding
    }
}
