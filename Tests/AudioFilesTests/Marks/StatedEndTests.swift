// Files that were broken off are told apart from whole ones by their own headers.
import SoundFileSupport
import Testing

@testable import AudioFiles

@Suite("The end that a recording states")
struct StatedEndTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    /// Whether a file is cut off: nil if not; else whether it states so by a length.
    private func cut(_ bytes: [UInt8], frameCount: Int64 = 100) throws -> Bool? {
        StatedEnd.fault(inFileAt: try scratch.write("file", bytes), frameCount: frameCount)?.isLengthStated
    }

    private func box(_ name: String, _ count: Int, long: Bool = false, told: UInt32? = nil) -> [UInt8] {
        let head = long ? 16 : 8
        let size = long ? 1 : told ?? UInt32(head + count)
        return MarkFiles.bigBytes(size) + Array(name.utf8)
            + (long ? littleBytes(UInt64(head + count)).reversed() : []) + [UInt8](repeating: 7, count: count)
    }

    private func page(_ flags: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes = Array("OggS".utf8) + [0, flags] + littleBytes(Int64(9)) + littleBytes(UInt32(7))
        bytes += [0, 0, 0, 0, 0, 0, 0, 0, 1, UInt8(content.count)] + content
        let sum = littleBytes(OggChecksum.checksum(ofPage: bytes))
        bytes.replaceSubrange(OggPage.checksumOffset..<OggPage.checksumOffset + 4, with: sum)
        return bytes
    }

    @Test("of WAV is that of its samples, or of the whole file where they have not begun")
    func wave() throws {
        for isBig in [false, true] {
            let data = MarkFiles.chunk("data", [UInt8](repeating: 3, count: 200), isBig: isBig)
            let text = MarkFiles.chunk("LIST", [UInt8](repeating: 4, count: 300), isBig: isBig)
            let whole = MarkFiles.wave([text, data, text], isBig: isBig)
            #expect(try cut(whole) == nil)
            let samples = 12 + text.count + 8
            for count in [13, 100, 12 + text.count, samples + 4, samples + 199] {
                #expect(try cut(Array(whole.prefix(count))) == true, "\(count) bytes")
            }
            // All samples are there.
            #expect(try cut(Array(whole.prefix(samples + 250))) == nil)
        }
        // A stream states no length.
        for size in [0, 0x7FFF_F000, UInt32.max] {
            let endless = MarkFiles.chunk("data", [UInt8](repeating: 3, count: 200), told: size)
            #expect(try cut(MarkFiles.wave([endless])) == nil)
            let early = Array("RIFF".utf8) + littleBytes(size) + Array("WAVE".utf8)
            #expect(try cut(early) == nil)
        }
    }

    @Test("of MP4 is that of each of its boxes")
    func boxes() throws {
        let head = box("ftyp", 16)
        for (name, rest) in [
            ("at the end", box("free", 8) + box("mdat", 500) + box("moov", 90)),
            ("in front", box("moov", 90) + box("mdat", 500, long: true)),
            ("in pieces", box("moof", 40) + box("mdat", 50)),
        ] {
            let whole = head + rest
            #expect(try cut(whole) == nil, "\(name)")
            #expect(try cut(Array(whole.dropLast())) == true, "\(name)")
            #expect(try cut(Array(whole.prefix(head.count + 26))) == true, "\(name)")
            // What somebody has put behind it is no box.
            #expect(try cut(whole + Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)) == nil, "\(name)")
            #expect(try cut(whole + [UInt8](repeating: 0, count: 100)) == nil, "\(name)")
        }
        #expect(try cut(head + box("mdat", 500, told: 0)) == nil)
        #expect(try cut(head + box("mdat", 500, told: 7)) == nil)
        #expect(try cut(head + MarkFiles.bigBytes(1) + Array("mdat".utf8)) == true)
        #expect(try cut(head + MarkFiles.bigBytes(1) + Array("mdat".utf8) + [UInt8](repeating: 0xFF, count: 8)) == true)
    }

    @Test("of Ogg is that of each page, and a mark in the last one")
    func pages() throws {
        let (first, middle) = (page(2, [1, 2, 3]), page(0, Array(repeating: 5, count: 200)))
        let last = page(4, Array(repeating: 6, count: 100))
        #expect(try cut(first + middle + last) == nil)
        #expect(try cut(first + middle) == false && cut(first) == false)
        for count in [1, 3, 4, 20, 27, 28, last.count - 1] {
            #expect(try cut(first + middle + last.prefix(count)) == true, "\(count) bytes of the last page")
        }
        #expect(try cut(Array(first.dropLast())) == true)
        // Another stream may follow, and what is no page.
        #expect(try cut(first + last + first + middle.prefix(60)) == true)
        #expect(try cut(first + last + first + last + [0, 0, 0]) == nil)
        // A damaged page is whole all the same.
        var damaged = last
        damaged[last.count - 1] ^= 1
        #expect(try cut(first + middle + damaged) == false)
    }

    @Test("of FLAC is the number of its frames, if it has one")
    func frames() throws {
        func file(_ count: UInt64) -> [UInt8] {
            let fields: [UInt8] = littleBytes(count).reversed()
            return MarkFiles.flac([(0, Array(repeating: 0, count: 10) + fields + Array(repeating: 0, count: 16))])
        }
        #expect(try cut(file(101)) == true && cut(file(100)) == nil && cut(file(0)) == nil)
    }
}
