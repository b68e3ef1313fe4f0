// Compares the positions in the pages of an Ogg Opus file with the lengths of its packets. ffmpeg writes pages whose
// positions jump forwards and back again; cut and joined recordings have gaps. libsndfile treats such files as
// malformed, or finds another length.

/// The pages of an Ogg Opus file with a position different from the total length of the packets so far.
///
/// The first bytes of a packet state its length (RFC 6716, section 3.1). The file's audio is the concatenation of its
/// packets, without damaged packets and without the end trimmed by the last page (RFC 7845, section 4). opusdec plays
/// the same audio.
struct OpusPositions {
    /// A page with a wrong position, and its correction.
    struct Repair: Equatable {
        /// Offset of the page in the file.
        let start: Int64
        /// Length of the stream at the end of the page, in frames at 48 kHz.
        let position: Int64
        /// Checksum of the page with the corrected position.
        let checksum: UInt32
    }

    /// Repairs in the order of the pages.
    private(set) var repairs: [Repair] = []

    /// As in `OggPages`.
    private(set) var hasTooManyMarks = false

    /// Largest number of repairs. A valid file never needs as many: a page per second for more than a month.
    private static let mostRepairs = 1 << 22

    private let serial: UInt32
    private var isFirst = true
    private var sequence: UInt32 = 0
    /// Number of finished packets; the first two hold no audio.
    private var packetCount = 0
    /// First bytes of an unfinished packet, and its length so far; 0 if there is none.
    private var head: [UInt8] = []
    private var packetBytes = 0
    /// End of the audio so far by packet lengths, and the same end by the last stated position.
    private var (end, toldEnd): (Int64, Int64) = (0, 0)

    /// Reads all pages of a file. Returns nil if the file is not Opus, or if too many positions are wrong.
    ///
    /// Complexity: as long as reading the whole file.
    ///
    /// - Parameter checksum: Computes the checksum of a page; tests count the bytes.
    init?(_ source: ByteSource, checksum: @escaping ([UInt8]) -> UInt32 = { OggChecksum.checksum(ofPage: $0) }) {
        guard let first = OggPage(source, at: 0),
            source.starts(with: "OpusHead", at: first.contentStart)
        else { return nil }
        serial = first.serial
        var pages = OggPages(source, checksum: checksum)
        while let (page, bytes) = pages.next() {
            if page.serial == serial { take(page, bytes) }
            if repairs.count > Self.mostRepairs { return nil }
        }
        hasTooManyMarks = pages.hasTooManyMarks
    }

    private mutating func take(_ page: OggPage, _ bytes: [UInt8]) {
        // If pages are missing, drop a packet that began in the missing pages or before them.
        if !isFirst && page.sequence != sequence &+ 1 { packetBytes = 0 }
        (isFirst, sequence) = (false, page.sequence)
        var isSkipping = page.isContinued && packetBytes == 0
        var place = Int(page.contentStart - page.bytes.lowerBound)
        var (duration, hasEnd): (Int64, Bool) = (0, false)
        for segment in page.segments {
            if !isSkipping {
                if packetBytes == 0 { head = [] }
                head += bytes[place..<place + min(Int(segment), 2 - min(2, head.count))]
                packetBytes += Int(segment)
            }
            place += Int(segment)
            if segment == 255 { continue }
            if !isSkipping {
                packetCount += 1
                if packetCount > 2 {
                    duration += Self.frames(ofPacket: head)
                    hasEnd = true
                }
            }
            (isSkipping, packetBytes) = (false, 0)
        }
        if hasEnd { move(by: duration, page, bytes) }
    }

    private mutating func move(by duration: Int64, _ page: OggPage, _ bytes: [UInt8]) {
        let (told, isFar) = page.position.subtractingReportingOverflow(toldEnd)
        // The last page may end in the middle of a packet.
        end += page.isLast && page.position >= 0 && !isFar ? min(duration, max(0, told)) : duration
        let (further, isTooFar) = toldEnd.addingReportingOverflow(duration)
        toldEnd = page.position >= 0 ? page.position : isTooFar ? .max : further
        if page.position == end { return }
        var changed = bytes
        changed.replaceSubrange(
            OggPage.positionOffset..<OggPage.positionOffset + 8,
            with: (0..<8).map { UInt8(truncatingIfNeeded: end >> ($0 * 8)) })
        repairs.append(
            Repair(start: page.bytes.lowerBound, position: end, checksum: OggChecksum.checksum(ofPage: changed)))
    }

    /// Returns the length of a packet in frames at 48 kHz, from its first two bytes; 0 if the packet cannot be decoded.
    static func frames(ofPacket head: [UInt8]) -> Int64 {
        guard let first = head.first else { return 0 }
        let configuration = Int(first >> 3)
        let frames: Int64
        switch configuration {
        case ..<12: frames = [480, 960, 1920, 2880][configuration & 3]
        case ..<16: frames = [480, 960][configuration & 1]
        default: frames = [120, 240, 480, 960][configuration & 3]
        }
        let count: Int64
        switch first & 3 {
        case 0: count = 1
        case 1, 2: count = 2
        default: count = head.count > 1 ? Int64(head[1] & 63) : 0
        }
        return frames * count > 5760 ? 0 : frames * count
    }
}
