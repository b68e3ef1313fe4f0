/// Chapters of an MP3 file (id3.org, "ID3v2 Chapter Frame Addendum", 2005): ranges with times in milliseconds of the
/// audio.
enum ID3Marks {
    static func read(_ file: ByteSource, _ clock: MarkClock) -> [FileMark] {
        guard let tag = ID3Frames(tag: file) else { return [] }
        var marks: [FileMark] = []
        tag.forEach("CHAP", atMost: FileMarks.countLimit) { frame in
            if let mark = chapter(in: frame, tag, clock) { marks.append(mark) }
        }
        return marks
    }

    private static func chapter(in frame: ByteSource, _ tag: ID3Frames, _ clock: MarkClock) -> FileMark? {
        // A zero-terminated identifier for programs comes first.
        guard let end = frame.bytes(at: 0, count: 256).firstIndex(of: 0) else { return nil }
        let times = frame.bytes(at: Int64(end) + 1, count: 8)
        if times.count < 8 { return nil }
        // Skip the times, and two byte offsets that programs leave empty.
        let title = tag.nested(in: frame, from: Int64(end) + 17).first("TIT2")
        let stop: UInt32 = times.big(at: 4)
        return FileMark(
            name: title.map(MarkName.id3) ?? "", frame: clock.frame(milliseconds: times.big(at: 0)),
            endFrame: stop == .max ? nil : clock.frame(milliseconds: stop))
    }
}
