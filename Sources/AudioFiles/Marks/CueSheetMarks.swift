/// The tracks of a cue sheet in a FLAC file (RFC 9639, section 8.7), which have no names.
enum CueSheetMarks {
    static func read(_ sheet: ByteSource) -> [FileMark] {
        // Catalogue number, lead-in, flags and what is reserved come first.
        guard let count = sheet.bytes(at: 395, count: 1).first else { return [] }
        var marks: [FileMark] = []
        var place: Int64 = 396
        for _ in 0..<count {
            let head = sheet.bytes(at: place, count: 36)
            // The last one is the end of the disc, under a number of its own.
            guard head.count == 36, head[8] != 170, head[8] != 255 else { break }
            let indices = sheet.bytes(at: place + 36, count: 12 * Int(head[35]))
            // Which of them the track begins with is not known of a part.
            if indices.count < 12 * Int(head[35]) { break }
            let first = stride(from: 0, through: indices.count - 12, by: 12).first { indices[$0 + 8] == 1 }
            let start = head.big(UInt64.self, at: 0) &+ (first.map { indices.big(at: $0) } ?? 0)
            marks.append(FileMark(name: "", frame: Int64(clamping: start)))
            place += 36 + 12 * Int64(head[35])
        }
        return marks
    }
}
