internal import JSON

/// Chapters in the comments of FLAC, Ogg Vorbis and Opus files: CHAPTER001 with the time and CHAPTER001NAME with the
/// name (Xiph wiki, "Chapter Extension", 2011; some programs write two digits). Converted takes contain such chapters.
enum ChapterMarks {
    static func read(_ source: ByteSource, _ clock: MarkClock) -> [FileMark] {
        var frames: [Int: Int64] = [:]
        var names: [Int: String] = [:]
        for comment in CommentList(source)?.comments ?? [] {
            let comment = source.slice(comment)
            // Enough for the longest key and a time.
            let head = comment.bytes(at: 0, count: 48)
            guard let sign = head.firstIndex(of: UInt8(ascii: "=")), let key = Key(head[..<sign]) else { continue }
            if key.isName {
                if names.count < FileMarks.countLimit, names[key.number] == nil {
                    names[key.number] = MarkName.text(comment, at: Int64(sign) + 1)
                }
            } else if frames.count < FileMarks.countLimit, frames[key.number] == nil {
                frames[key.number] = frame(head[(sign + 1)...], clock)
            }
        }
        return frames.sorted { $0.key < $1.key }.map { FileMark(name: names[$0.key] ?? "", frame: $0.value) }
    }

    /// The key before the equals sign, in upper or lower case.
    private struct Key {
        let number: Int
        let isName: Bool

        init?(_ text: ArraySlice<UInt8>) {
            let text = String(decoding: text, as: UTF8.self).uppercased()
            guard text.hasPrefix("CHAPTER") else { return nil }
            let digits = text.dropFirst(7).prefix { ("0"..."9").contains($0) }
            let rest = text.dropFirst(7 + digits.count)
            guard let number = Int(digits: digits, in: 0...999_999), rest.isEmpty || rest == "NAME" else {
                return nil
            }
            (self.number, isName) = (number, rest == "NAME")
        }
    }

    /// Returns the frame for a time such as 01:02:03.250; nil for any other text.
    private static func frame(_ bytes: ArraySlice<UInt8>, _ clock: MarkClock) -> Int64? {
        let text = String(decoding: bytes, as: UTF8.self)
        let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = halves[0].split(separator: ":", omittingEmptySubsequences: false).map { whole($0) }
        guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2],
            minutes < 60, seconds < 60
        else { return nil }
        var nanoseconds: Int64 = 0
        if halves.count == 2 {
            guard let fraction = whole(halves[1].prefix(9)) else { return nil }
            nanoseconds = (halves[1].count..<max(halves[1].count, 9)).reduce(fraction) { value, _ in value * 10 }
        }
        return clock.frame(seconds: hours * 3600 + minutes * 60 + seconds, nanoseconds: nanoseconds)
    }

    /// Reads a number of one to nine digits.
    private static func whole(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(digits: text, in: 0...999_999_999) : nil
    }
}
