internal import JSON

/// Tracks of a cue sheet in a FLAC file (RFC 9639, section 8.7). The tracks have no names.
enum CueSheetMarks {
    static func read(_ sheet: ByteSource) -> [FileMark] {
        // The catalogue number, the lead-in, the flags and reserved bytes come first.
        guard let count = sheet.bytes(at: 395, count: 1).first else { return [] }
        var marks: [FileMark] = []
        var place: Int64 = 396
        for _ in 0..<count {
            let head = sheet.bytes(at: place, count: 36)
            // The last track is the end of the disc (the lead-out), with a reserved number.
            guard head.count == 36, head[8] != 170, head[8] != 255 else { break }
            let indices = sheet.bytes(at: place + 36, count: 12 * Int(head[35]))
            // If indices are missing, the index at the track's beginning is unknown.
            if indices.count < 12 * Int(head[35]) { break }
            let first = stride(from: 0, through: indices.count - 12, by: 12).first { indices[$0 + 8] == 1 }
            let index = first.flatMap { indices.big(at: $0, in: .counts) } ?? 0
            if let start = head.big(at: 0, in: .counts) { marks.append(FileMark(name: "", frame: start + index)) }
            place += 36 + 12 * Int64(head[35])
        }
        return marks
    }
}
