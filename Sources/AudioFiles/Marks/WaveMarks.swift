/// Cue points of a WAV, RF64 or BW64 file, with their labels and lengths (Microsoft and IBM, "Multimedia Programming
/// Interface and Data Specifications 1.0", 1991; EBU Tech 3306 for 64-bit sizes).
enum WaveMarks {
    /// Largest number of chunks of the same kind read; files normally have a single chunk.
    private static let mostOfAKind = 16

    static func read(_ source: ByteSource) -> [FileMark] {
        let form: ChunkList.Form = source.starts(with: "RIFX") ? .aiff : .riff
        let chunks = ChunkList(in: source, from: 12, form, named: ["cue ", "LIST"], longSizes: longSizes(source)).chunks
        let points = chunks.filter { $0.name == "cue " }.prefix(mostOfAKind)
        let lists = chunks.filter { $0.name == "LIST" && $0.content.starts(with: "adtl") }.prefix(mostOfAKind)
        let cues = points.flatMap { Self.cues($0.content, form) }.prefix(FileMarks.countLimit)
        if cues.isEmpty { return [] }
        var notes = Notes(form: form, wanted: Set(cues.map(\.id)))
        for list in lists { notes.add(list.content) }
        return cues.map { cue in
            FileMark(
                name: notes.names[cue.id] ?? notes.otherNames[cue.id] ?? "", frame: cue.frame,
                endFrame: notes.lengths[cue.id].map { cue.frame + $0 })
        }
    }

    private static func integer(_ bytes: [UInt8], at place: Int, _ form: ChunkList.Form) -> UInt32 {
        form == .riff ? bytes.little(at: place) : bytes.big(at: place)
    }

    private static func cues(_ content: ByteSource, _ form: ChunkList.Form) -> [(id: UInt32, frame: Int64)] {
        let bytes = content.bytes(at: 0, count: 4 + 24 * FileMarks.countLimit)
        if bytes.count < 4 { return [] }
        let count = min(Int(integer(bytes, at: 0, form)), (bytes.count - 4) / 24)
        return (0..<count).map { index in
            let place = 4 + 24 * index
            return (integer(bytes, at: place, form), Int64(integer(bytes, at: place + 20, form)))
        }
    }

    /// Names and lengths for cues in an associated data list.
    private struct Notes {
        let form: ChunkList.Form
        let wanted: Set<UInt32>
        var names: [UInt32: String] = [:]
        /// Names from texts with a length.
        var otherNames: [UInt32: String] = [:]
        /// Lengths in frames, 1 or more.
        var lengths: [UInt32: Int64] = [:]

        mutating func add(_ content: ByteSource) {
            for chunk in ChunkList(in: content, from: 4, form, named: ["labl", "ltxt"]).chunks {
                let head = chunk.content.bytes(at: 0, count: 8)
                if head.count < 4 { continue }
                let id = integer(head, at: 0, form)
                if !wanted.contains(id) { continue }
                if chunk.name == "labl" {
                    if names[id] == nil { names[id] = MarkName.text(chunk.content, at: 4) }
                } else if head.count == 8 {
                    let length = Int64(integer(head, at: 4, form))
                    if length > 0, lengths[id] == nil { lengths[id] = length }
                    // The text comes after purpose, country, language, dialect and code page.
                    let name = MarkName.text(chunk.content, at: 20)
                    if !name.isEmpty, otherNames[id] == nil { otherNames[id] = name }
                }
            }
        }
    }

    /// Returns the sizes in an RF64 file's first chunk, in bytes.
    static func longSizes(_ source: ByteSource) -> [String: Int64] {
        guard source.starts(with: "ds64", at: 12) else { return [:] }
        var sizes: [String: Int64] = [:]
        func note(_ name: String, at place: Int64) {
            sizes[name] = source.little(at: place, in: 0...(.max))
        }
        note("data", at: 28)
        // Further sizes follow the three compulsory sizes; real files have only a few.
        let count = min(64, source.little(UInt32.self, at: 44) ?? 0)
        for place in (0..<Int64(count)).map({ 48 + 12 * $0 }) {
            note(String(decoding: source.bytes(at: place, count: 4), as: UTF8.self), at: place + 4)
        }
        return sizes
    }
}
