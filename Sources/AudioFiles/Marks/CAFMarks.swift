/// Markers of a CAF file, with their names (Apple, "Core Audio Format Specification 1.0").
enum CAFMarks {
    /// Types of markers at a beginning: generic, program, track, index, region. Ends, loops and selections are not
    /// marks.
    private static let beginnings: Set<String> = ["\0\0\0\0", "pbeg", "tbeg", "indx", "rbeg"]
    private static let (markBytes, entryBytes) = (28, 12)

    static func read(_ source: ByteSource) -> [FileMark] {
        let list = ChunkList(in: source, from: 8, .caf, named: ["mark", "strg"]).chunks
        guard let marks = list.first(where: { $0.name == "mark" })?.content else { return [] }
        let bytes = marks.bytes(at: 0, count: 8 + markBytes * FileMarks.countLimit)
        if bytes.count < 8 { return [] }
        let count = min(Int(bytes.big(UInt32.self, at: 4)), (bytes.count - 8) / markBytes)
        let found = (0..<count).compactMap { mark(bytes, at: 8 + markBytes * $0) }
        let wanted = Set(found.map(\.id))
        let names = list.first { $0.name == "strg" }.map { Self.names($0.content, wanted) } ?? [:]
        return found.map { FileMark(name: names[$0.id] ?? "", frame: $0.frame) }
    }

    private static func mark(_ bytes: [UInt8], at place: Int) -> (id: UInt32, frame: Int64)? {
        let type = String(decoding: bytes[place..<place + 4], as: UTF8.self)
        let position = bytes.big(at: place + 4, in: 0...UInt64.max).map { Double(bitPattern: $0).rounded() }
        // Above 2^53 a floating-point number cannot hold every frame.
        guard beginnings.contains(type), let position, position >= 0, position <= 0x1p53 else { return nil }
        return (bytes.big(at: place + 12), Int64(position))
    }

    private static func names(_ strings: ByteSource, _ wanted: Set<UInt32>) -> [UInt32: String] {
        guard let told = strings.big(UInt32.self, at: 0) else { return [:] }
        // The table also holds names of objects other than markers.
        let table = strings.bytes(at: 4, count: entryBytes * min(Int(told), 4 * FileMarks.countLimit))
        var names: [UInt32: String] = [:]
        for place in stride(from: 0, through: table.count - entryBytes, by: entryBytes) {
            let id: UInt32 = table.big(at: place)
            guard wanted.contains(id), names[id] == nil, let offset = table.big(at: place + 4, in: 0...strings.count)
            else { continue }
            names[id] = MarkName.text(strings, at: 4 + Int64(entryBytes) * Int64(told) + offset)
        }
        return names
    }
}
