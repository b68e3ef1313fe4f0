/// Markers of an AIFF or AIFF-C file (Apple, "Audio Interchange File Format: AIFF", version 1.3, 1989).
enum AIFFMarks {
    static func read(_ source: ByteSource) -> [FileMark] {
        let isAIFF = source.starts(with: "AIFF", at: 8) || source.starts(with: "AIFC", at: 8)
        guard isAIFF, let chunk = ChunkList(in: source, from: 12, .aiff, named: ["MARK"]).chunks.first else {
            return []
        }
        // A marker's name has at most 255 bytes, after a byte with its length.
        let bytes = chunk.content.bytes(at: 0, count: 2 + FileMarks.countLimit * (6 + 256))
        if bytes.count < 2 { return [] }
        var marks: [FileMark] = []
        var place = 2
        for _ in 0..<bytes.big(UInt16.self, at: 0) {
            if place + 7 > bytes.count { break }
            let length = Int(bytes[place + 6])
            let name = bytes.dropFirst(place + 7).prefix(length)
            marks.append(FileMark(name: MarkName.text(name), frame: Int64(bytes.big(UInt32.self, at: place + 2))))
            // The length byte and the name are padded to an even number of bytes.
            place += 6 + (1 + length + 1) / 2 * 2
        }
        return marks
    }
}
