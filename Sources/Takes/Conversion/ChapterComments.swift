internal import AudioFiles
internal import Explanations

/// Marks as comments of FLAC, Ogg Vorbis and Opus files: CHAPTER001 with the time and CHAPTER001NAME with the name
/// (Xiph wiki, "Chapter Extension", 2011). Times have milliseconds.
///
/// libsndfile cannot write such comments. It therefore gets a single long comment, which is later overwritten by the
/// same number of bytes. The pages of an Ogg file get new checksums.
struct ChapterComments {
    /// Number of marks stored as chapters.
    let chapterCount: Int
    /// The comments as stored in the file, each preceded by its length.
    private let content: [UInt8]

    /// Limit of libsndfile's Opus writer for comments. By measurement, the writer drops a comment of 51201 bytes or
    /// more.
    static let opusByteLimit = 50_000
    /// A sensible limit for other formats, with blocks of up to 16 MiB.
    static let byteLimit = 4 << 20

    /// Creates chapters for marks sorted by frame: the first 999, and as many as fit into `byteLimit`. Nil without
    /// marks.
    init?(_ marks: [TakeMark], sampleRate: Int, byteLimit: Int) {
        var list = ByteList()
        var count = 0
        for mark in marks.prefix(999) {
            let number = Self.digits(count + 1, 3)
            var chapter = ByteList()
            for comment in [
                "CHAPTER\(number)=\(Self.time(mark.frame, sampleRate))", "CHAPTER\(number)NAME=\(mark.name)",
            ] {
                chapter.little(UInt32(comment.utf8.count))
                chapter.text(comment)
            }
            if list.bytes.count + chapter.bytes.count > byteLimit { break }
            list.append(chapter.bytes)
            count += 1
        }
        if count == 0 { return nil }
        (content, chapterCount) = (list.bytes, count)
    }

    /// Comment for libsndfile that reserves the same number of bytes. libsndfile itself adds "COMMENT=" and the length.
    var reservation: String { String(repeating: "x", count: content.count - 12) }

    /// Replaces the reserved comment in the file's first bytes. Returns the changed range; nil if the comment is not
    /// found.
    func replaceReservation(in head: inout [UInt8]) -> Range<Int>? {
        guard let packet = OggOrFLACComments(head), let list = CommentList(ByteSource(packet.content)), list.isWhole
        else { return nil }
        var content = packet.content
        func inMemory(_ range: Range<Int64>) -> Range<Int> { Int(range.lowerBound)..<Int(range.upperBound) }
        let reserved = Array("=\(reservation)".utf8)
        // In a FLAC file the comment's name is in lower case.
        for comment in list.comments.map(inMemory)
        where comment.count == self.content.count - 4 && content[comment].dropFirst(7).elementsEqual(reserved) {
            content.replaceSubrange(comment.lowerBound - 4..<comment.upperBound, with: self.content)
            var count = ByteList()
            count.little(UInt32(list.comments.count - 1 + 2 * chapterCount))
            content.replaceSubrange(inMemory(list.countField), with: count.bytes)
            return packet.put(content, into: &head)
        }
        return nil
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        zeroPadded(value, to: count)
    }

    static func time(_ frame: Int64, _ sampleRate: Int) -> String {
        let milliseconds = Int((frame * 1000 + Int64(sampleRate) / 2) / Int64(sampleRate))
        let (seconds, minutes) = (milliseconds / 1000 % 60, milliseconds / 60_000 % 60)
        return
            "\(digits(milliseconds / 3_600_000, 2)):\(digits(minutes, 2)):\(digits(seconds, 2)).\(digits(milliseconds % 1000, 3))"
    }
}
