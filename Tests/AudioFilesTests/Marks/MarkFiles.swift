// Files with marks, composed byte by byte. The files have no sound: reading marks does not need sound.
import SoundFileSupport

@testable import AudioFiles

enum MarkFiles {
    static func chunk(_ name: String, _ content: [UInt8], isBig: Bool = false, told: UInt32? = nil) -> [UInt8] {
        var list = ByteList()
        list.text(name)
        let size = told ?? UInt32(content.count)
        if isBig { list.big(size) } else { list.little(size) }
        list.append(content + (content.count % 2 == 1 ? [0] : []))
        return list.bytes
    }

    private static func integers(_ values: [UInt32], isBig: Bool) -> [UInt8] {
        var list = ByteList()
        for value in values { if isBig { list.big(value) } else { list.little(value) } }
        return list.bytes
    }

    /// A cue chunk.
    static func cues(_ cues: [(id: UInt32, frame: UInt32)], isBig: Bool = false, count: UInt32? = nil) -> [UInt8] {
        let points = cues.flatMap { cue in
            integers([cue.id, 7, 0x6174_6164, 0, 0, cue.frame], isBig: isBig)
        }
        return chunk("cue ", integers([count ?? UInt32(cues.count)], isBig: isBig) + points, isBig: isBig)
    }

    /// A label, or with a length a labelled text.
    static func label(_ id: UInt32, _ name: [UInt8], length: UInt32? = nil, isBig: Bool = false) -> [UInt8] {
        guard let length else { return chunk("labl", integers([id], isBig: isBig) + name + [0], isBig: isBig) }
        return chunk(
            "ltxt", integers([id, length], isBig: isBig) + Array("rgn ".utf8) + [0, 0, 0, 0, 0, 0, 0, 0] + name,
            isBig: isBig)
    }

    static func wave(_ chunks: [[UInt8]], isBig: Bool = false) -> [UInt8] {
        let body = Array("WAVE".utf8) + chunks.flatMap { $0 }
        return chunk(isBig ? "RIFX" : "RIFF", body, isBig: isBig)
    }

    static func list(_ labels: [[UInt8]], isBig: Bool = false) -> [UInt8] {
        chunk("LIST", Array("adtl".utf8) + labels.flatMap { $0 }, isBig: isBig)
    }

    /// Points and regions, in front of the samples and behind them.
    static func regions(isBig: Bool = false) -> [UInt8] {
        wave(
            [
                list(
                    [label(2, Array("riff".utf8), isBig: isBig), label(2, [], length: 30, isBig: isBig)], isBig: isBig),
                chunk("data", Array(repeating: 3, count: 101), isBig: isBig),
                cues([(1, 40), (2, 20), (3, 60)], isBig: isBig),
                chunk("LIST", Array("INFOISFT".utf8), isBig: isBig),
                list(
                    [
                        label(9, Array("nobody's".utf8), isBig: isBig), label(1, Array("verse".utf8), isBig: isBig),
                        label(3, Array("end".utf8), length: 5, isBig: isBig),
                    ], isBig: isBig),
            ], isBig: isBig)
    }

    static let regionMarks = [
        FileMark(name: "riff", frame: 20, endFrame: 50), FileMark(name: "verse", frame: 40),
        FileMark(name: "end", frame: 60, endFrame: 65),
    ]

    /// An RF64 file with the sizes in the first chunk, also the size of a chunk in front of the samples.
    static var longSizes: [UInt8] {
        var sizes = ByteList()
        for size in [0, 10, 5] as [UInt64] { sizes.little(size) }
        sizes.little(1 as UInt32)
        sizes.text("big ")
        sizes.little(6 as UInt64)
        var file = ByteList()
        file.text("RF64")
        file.little(UInt32.max)
        file.text("WAVE")
        file.append(chunk("ds64", sizes.bytes))
        file.append(chunk("big ", [1, 2, 3, 4, 5, 6], told: .max))
        file.append(chunk("data", Array(repeating: 0, count: 10), told: .max))
        file.append(cues([(5, 3)]) + list([label(5, Array("far".utf8))]))
        return file.bytes
    }

    static func aiff(_ marks: [(frame: UInt32, name: String)], count: UInt16? = nil) -> [UInt8] {
        var list = ByteList()
        list.big(count ?? UInt16(marks.count))
        for (index, mark) in marks.enumerated() {
            list.big(UInt16(index + 1))
            list.big(mark.frame)
            list.append([UInt8(mark.name.utf8.count)] + Array(mark.name.utf8))
            if mark.name.utf8.count % 2 == 0 { list.append([0]) }
        }
        let parts = [chunk("SSND", [1, 2, 3], isBig: true), chunk("MARK", list.bytes, isBig: true)]
        return chunk("FORM", Array("AIFF".utf8) + parts.flatMap { $0 }, isBig: true)
    }

    // MARK: - Comments

    /// A block of comments, from the vendor on.
    static func comments(_ comments: [String], count: UInt32? = nil) -> [UInt8] {
        var list = ByteList()
        list.little(4 as UInt32)
        list.text("me 1")
        list.little(count ?? UInt32(comments.count))
        for comment in comments {
            list.little(UInt32(comment.utf8.count))
            list.text(comment)
        }
        return list.bytes
    }

    static func flac(_ blocks: [(kind: UInt8, content: [UInt8])]) -> [UInt8] {
        let parts = blocks.enumerated().flatMap { index, block in
            var head = ByteList()
            head.big(UInt32(block.kind | (index == blocks.count - 1 ? 0x80 : 0)) << 24 | UInt32(block.content.count))
            return head.bytes + block.content
        }
        return Array("fLaC".utf8) + parts + [0xFF, 0xF8]
    }

    /// Packets in pages of some segments, with pages of another stream in between.
    static func ogg(_ packets: [[UInt8]], segmentsPerPage: Int, isMultiplexed: Bool = false) -> [UInt8] {
        var segments: [[UInt8]] = []
        for packet in packets {
            for start in stride(from: 0, through: packet.count, by: 255) {
                segments.append(Array(packet[start..<min(packet.count, start + 255)]))
            }
        }
        func page(_ segments: [[UInt8]], stream: UInt32) -> [UInt8] {
            var list = ByteList()
            list.text("OggS")
            list.append(Array(repeating: 0, count: 10))
            list.little(stream)
            list.append(Array(repeating: 0, count: 8))
            list.append([UInt8(segments.count)] + segments.map { UInt8($0.count) })
            list.append(segments.flatMap { $0 })
            return list.bytes
        }
        // The first packet has a page to itself.
        var file = page([segments[0]], stream: 1)
        for start in stride(from: 1, to: segments.count, by: segmentsPerPage) {
            if isMultiplexed { file += page([[1, 2, 3], [4]], stream: 2) }
            file += page(Array(segments[start..<min(segments.count, start + segmentsPerPage)]), stream: 1)
        }
        return file
    }

    static func vorbis(_ comments: [UInt8], segmentsPerPage: Int = 3, isMultiplexed: Bool = false) -> [UInt8] {
        let name = Array("vorbis".utf8)
        return ogg(
            [[1] + name + [0, 0, 0, 0], [3] + name + comments, [5] + name], segmentsPerPage: segmentsPerPage,
            isMultiplexed: isMultiplexed)
    }

    /// A cue sheet with the end of the disc behind the tracks.
    static func cueSheet(_ tracks: [UInt64]) -> [UInt8] {
        var list = ByteList()
        list.append(Array(repeating: 0, count: 395) + [UInt8(tracks.count + 1)])
        for (index, track) in tracks.enumerated() {
            list.big(track)
            list.append([UInt8(index + 1)] + Array(repeating: 0, count: 26) + [2])
            // A pause, and five frames later the track.
            for (offset, number) in [(0, 0), (5, 1)] as [(UInt64, UInt8)] {
                list.big(offset)
                list.append([number, 0, 0, 0])
            }
        }
        list.big(1 << 40 as UInt64)
        list.append([170] + Array(repeating: 0, count: 27))
        return list.bytes
    }

    // MARK: - ID3

    /// A frame of a tag.
    static func frame(_ name: String, _ content: [UInt8], version: UInt8, flags: UInt8 = 0) -> [UInt8] {
        var list = ByteList()
        list.text(name)
        list.append(version == 3 ? bigBytes(UInt32(content.count)) : sevenBits(content.count))
        list.append([0, flags] + content)
        return list.bytes
    }

    static func chapter(
        _ id: String, _ start: UInt32, _ end: UInt32, title: [UInt8]?, version: UInt8, flags: UInt8 = 0
    ) -> [UInt8] {
        let parts =
            Array(id.utf8) + [0] + bigBytes(start) + bigBytes(end) + Array(repeating: 0xFF, count: 8)
            + frame("TIT3", [3] + Array("subtitle".utf8), version: version)
            + (title.map { frame("TIT2", $0, version: version) } ?? [])
        return frame("CHAP", flags == 0 ? parts : unsynchronised(parts), version: version, flags: flags)
    }

    static func tag(_ frames: [[UInt8]], version: UInt8, flags: UInt8 = 0, extended: [UInt8] = []) -> [UInt8] {
        var content = extended + frames.flatMap { $0 } + Array(repeating: 0, count: 30)
        if flags & 0x80 != 0 && version == 3 { content = unsynchronised(content) }
        return Array("ID3".utf8) + [version, 0, flags] + sevenBits(content.count) + content + [0xFF, 0xFB, 0x90, 0]
    }

    static func bigBytes(_ value: UInt32) -> [UInt8] { littleBytes(value).reversed() }

    static func sevenBits(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7F) } }

    static func unsynchronised(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { $0 == 0xFF ? [$0, 0] : [$0] } }
}
