internal import AudioFiles

/// Marks as chunks after the samples.
enum MarkChunks {
    /// Returns a `cue ` chunk, and a LIST of type `adtl` with a `labl` for each name (Microsoft and IBM, "Multimedia
    /// Programming Interface and Data Specifications 1.0", 1991; RF64 keeps both). The frames fit 32 bits.
    static func wave(_ marks: [TakeMark]) -> [UInt8] {
        var cues = ByteList()
        cues.little(UInt32(marks.count))
        for (index, mark) in marks.enumerated() {
            let frame = UInt32(truncatingIfNeeded: mark.frame)
            cues.little(UInt32(index + 1))
            cues.little(frame)
            cues.text("data")
            cues.little(0 as UInt64)
            cues.little(frame)
        }
        var labels = ByteList()
        labels.text("adtl")
        for (index, mark) in marks.enumerated() {
            var label = ByteList()
            label.little(UInt32(index + 1))
            label.text(mark.name)
            label.append([0])
            labels.append(waveChunk("labl", label.bytes))
        }
        return waveChunk("cue ", cues.bytes) + waveChunk("LIST", labels.bytes)
    }

    /// Returns a `mark` chunk, and a `strg` chunk with the names, each under its mark's number.
    static func caf(_ marks: [TakeMark]) -> [UInt8] {
        var list = ByteList()
        // No SMPTE times: their fields are then all ones.
        list.big(0 as UInt32)
        list.big(UInt32(marks.count))
        for (index, mark) in marks.enumerated() {
            list.big(0 as UInt32)
            list.big(Double(mark.frame).bitPattern)
            list.big(UInt32(index + 1))
            list.big(UInt64.max)
            list.big(0 as UInt32)
        }
        var table = ByteList()
        var names = ByteList()
        table.big(UInt32(marks.count))
        for (index, mark) in marks.enumerated() {
            table.big(UInt32(index + 1))
            table.big(Int64(names.bytes.count))
            names.text(mark.name)
            names.append([0])
        }
        return cafChunk("mark", list.bytes) + cafChunk("strg", table.bytes + names.bytes)
    }

    private static func waveChunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var chunk = ByteList()
        chunk.text(name)
        chunk.little(UInt32(content.count))
        chunk.append(content)
        if content.count & 1 == 1 { chunk.append([0]) }
        return chunk.bytes
    }

    private static func cafChunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var chunk = ByteList()
        chunk.text(name)
        chunk.big(Int64(content.count))
        chunk.append(content)
        return chunk.bytes
    }
}
