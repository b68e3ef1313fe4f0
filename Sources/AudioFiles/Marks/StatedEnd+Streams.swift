// The end stated by a stream of pages, frames or elements.
internal import JSON

extension StatedEnd {
    // MARK: - Ogg

    static func oggVerdict(_ source: ByteSource) -> Verdict {
        let length = min(source.count, Int64(3 * OggPage.longest))
        let bytes = source.bytes(at: source.count - length, count: Int(length))
        let (tail, mark) = (ByteSource(bytes), Array("OggS".utf8))
        var patience = OggPage.mostReread
        for start in bytes.indices.reversed() where bytes[start] == mark[0] && bytes[start...].starts(with: mark) {
            guard let page = OggPage(tail, at: Int64(start)), page.bytes.upperBound <= tail.count else { continue }
            let whole = Array(bytes[start..<Int(page.bytes.upperBound)])
            // The mark can also occur inside a page.
            guard whole.little(UInt32.self, at: OggPage.checksumOffset) == OggChecksum.checksum(ofPage: whole) else {
                patience -= whole.count
                if patience < 0 { return .cutOff(.page(isBegun: false)) }
                continue
            }
            if isPageBegun(tail, at: page.bytes.upperBound) { return .cutOff(.page(isBegun: true)) }
            return page.isLast ? .whole : .cutOff(.page(isBegun: false))
        }
        // Not even the first page is complete.
        return length == source.count && isPageBegun(tail, at: 0) ? .cutOff(.page(isBegun: true)) : .unstated
    }

    /// Returns true if an incomplete page begins at a place.
    private static func isPageBegun(_ source: ByteSource, at place: Int64) -> Bool {
        let head = source.bytes(at: place, count: 4)
        guard !head.isEmpty, "OggS".utf8.starts(with: head) else { return false }
        return OggPage(source, at: place).map { $0.bytes.upperBound > source.count } ?? true
    }

    // MARK: - MP3

    /// Counts in the first frame of an MP3 file, in the forms of Xing, LAME and Fraunhofer's encoder; 0 for a missing
    /// count.
    private struct MPEGCounts {
        var frames: Int64 = 0
        var bytes: Int64 = 0
        /// Number of audio frames in a frame of the stream.
        let frameLength: Int64

        /// Reads the counts; nil if the frame is not layer 3, or has no counts.
        init?(_ head: [UInt8]) {
            guard head.count >= 4, MPEGHeader(head) != nil, head[1] >> 1 & 3 == 1 else { return nil }
            let (isFirstVersion, isMono) = (head[1] >> 3 & 3 == 3, head[3] >> 6 == 3)
            frameLength = isFirstVersion ? 1152 : 576
            let side = isFirstVersion ? (isMono ? 17 : 32) : isMono ? 9 : 17
            func count(at place: Int) -> Int64 { Int64(head.big(UInt32.self, at: place)) }
            // A checksum of two bytes can come before the side information.
            for place in [4 + side, 6 + side] where head.count >= place + 16 {
                let mark = String(decoding: head[place..<place + 4], as: UTF8.self)
                guard mark == "Xing" || mark == "Info" else { continue }
                let flags = head[place + 7]
                if flags & 1 != 0 { frames = count(at: place + 8) }
                if flags & 2 != 0 { bytes = count(at: place + (flags & 1 != 0 ? 12 : 8)) }
                return
            }
            guard head.count >= 54, head[36..<40].elementsEqual("VBRI".utf8) else { return nil }
            (bytes, frames) = (count(at: 46), count(at: 50))
        }
    }

    /// Permitted error of a count, in frames. Encoders include or omit the frame with the counts, and the silence in
    /// front and at the end: nine frames at most.
    private static let frameSlack: Int64 = 16
    /// Greatest length of a frame, in bytes.
    private static let longestFrame: Int64 = 1441

    /// Compares a file with its counts. Both counts must show a cut: a tag editor may leave the number of bytes wrong,
    /// and damage in the middle removes frames. If less than an eighth is missing, another program may have cut the
    /// file and left the counts unchanged. The verdict is then unsure, and two equal ends are believed.
    ///
    /// - Parameter body: The file without its tags.
    static func mpegVerdict(_ body: ByteSource, _ frameCount: Int64) -> Verdict {
        let isAtStart = MPEGHeader.begins(body.bytes(at: 0, count: 4096))
        let start = isAtStart ? 0 : MPEGHeader.firstFrame(of: body, from: 0) ?? 0
        guard let counts = MPEGCounts(body.bytes(at: start, count: 64)) else { return .unstated }
        let frames = (there: frameCount / counts.frameLength, stated: counts.frames, slack: frameSlack)
        let frameBytes = counts.frames > 0 ? counts.bytes / counts.frames : longestFrame
        let bytes = (there: body.count - start, stated: counts.bytes, slack: frameSlack * frameBytes)
        let known = [frames, bytes].filter { (1..<Int64(UInt32.max)).contains($0.stated) }
        guard let best = known.first else { return .unstated }
        if known.allSatisfy({ $0.there < $0.stated - max($0.slack, $0.stated / 128) }) {
            return .cutOff(.length(isSure: known.allSatisfy { $0.there < $0.stated / 8 * 7 }))
        }
        // In a longer file other recordings may follow, which can be cut off as well.
        return abs(best.there - best.stated) <= best.slack ? .whole : .unstated
    }

    // MARK: - Matroska

    /// The container elements used here: the whole recording, and its clusters.
    private static let (segment, cluster): (UInt32, UInt32) = (0x1853_8067, 0x1F43_B675)
    /// All elements of the two upper levels, and of a cluster (RFC 9559). Any other number belongs to foreign data
    /// behind the file.
    private static let elements: Set<UInt32> = [
        0x1A45_DFA3, segment, cluster, 0x114D_9B74, 0x1549_A966, 0x1654_AE6B, 0x1C53_BB6B, 0x1941_A469, 0x1043_A770,
        0x1254_C367, 0xEC, 0xBF, 0xE7, 0xA3, 0xA0, 0xA7, 0xAB, 0x5854,
    ]

    static func isMatroskaWhole(_ source: ByteSource) -> Bool? {
        var place: Int64 = 0
        for _ in 0..<mostParts {
            guard let element = element(source, at: place), elements.contains(element.name) else { return nil }
            if let size = element.size, size > 0 || element.name != segment {
                let isThere = size <= source.count - element.start
                if !isThere || element.name == segment { return isThere }
                place = element.start + size
            } else {
                // In a live stream, only the parts state their lengths.
                guard element.name == segment || element.name == cluster else { return nil }
                place = element.start
            }
        }
        return nil
    }

    /// Returns an element's number, the offset of its content, and its length; the length is nil if unknown (RFC 8794).
    /// Returns nil if the head is incomplete.
    private static func element(_ source: ByteSource, at place: Int64) -> (name: UInt32, start: Int64, size: Int64?)? {
        let head = source.bytes(at: place, count: 12)
        guard let first = head.first, first >= 0x10 else { return nil }
        let nameLength = first.leadingZeroBitCount + 1
        guard head.count > nameLength, head[nameLength] != 0,
            let name = UInt32(bytes: head.prefix(nameLength), in: 0...(.max))
        else { return nil }
        let sizeLength = head[nameLength].leadingZeroBitCount + 1
        let digits = head.dropFirst(nameLength).prefix(sizeLength)
        guard digits.count == sizeLength, let marked = Int64(bytes: digits, in: 0...(.max)) else { return nil }
        let mask = Int64.max >> (63 - 7 * sizeLength)
        let size = marked & mask
        return (name, place + Int64(nameLength + sizeLength), size == mask ? nil : size)
    }
}
