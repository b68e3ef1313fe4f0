// Broken-off files are distinguished from whole files by their own headers.
import Foundation
import SoundFileSupport
import Testing

@testable import AudioFiles

@Suite("The end that a recording states")
struct StatedEndTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    /// Whether a file is cut off: nil if not; otherwise whether the file states so by a length.
    private func cut(_ bytes: [UInt8], frameCount: Int64 = 100) throws -> Bool? {
        StatedEnd.fault(inFileAt: try scratch.write("file", bytes), frameCount: frameCount)?.isLengthStated
    }

    private func verdict(_ bytes: [UInt8], frameCount: Int64 = 100) throws -> StatedEnd.Verdict {
        StatedEnd.verdict(onFileAt: try scratch.write("file", bytes), frameCount: frameCount)
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

    @Test("the stated end of a WAV file is that of its samples, or of the file before any samples")
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

    @Test("the stated end of an MP4 file is that of each of its boxes")
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
            // Bytes appended behind the file are not a box.
            #expect(try cut(whole + Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)) == nil, "\(name)")
            #expect(try cut(whole + [UInt8](repeating: 0, count: 100)) == nil, "\(name)")
        }
        #expect(try cut(head + box("mdat", 500, told: 0)) == nil)
        #expect(try cut(head + box("mdat", 500, told: 7)) == nil)
        #expect(try cut(head + MarkFiles.bigBytes(1) + Array("mdat".utf8)) == true)
        #expect(try cut(head + MarkFiles.bigBytes(1) + Array("mdat".utf8) + [UInt8](repeating: 0xFF, count: 8)) == true)
    }

    @Test("the stated end of an AVI, ASF, DSF or DSDIFF file is that of its parts")
    func foreignParts() throws {
        func avi(_ told: UInt32? = nil) -> [UInt8] {
            func part(_ name: String) -> [UInt8] {
                Array("RIFF".utf8) + littleBytes(told ?? 204) + Array(name.utf8) + [UInt8](repeating: 3, count: 200)
            }
            return part("AVI ") + part("AVIX")
        }
        func asf(_ told: UInt64? = nil) -> [UInt8] {
            let start: [UInt8] = [
                0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0, 0xAA, 0, 0x62, 0xCE, 0x6C,
            ]
            return start + littleBytes(UInt64(90)) + [UInt8](repeating: 1, count: 66) + [0x36] + start.dropFirst()
                + littleBytes(told ?? 250) + [UInt8](repeating: 3, count: 226)
        }
        func dsf(_ told: UInt64? = nil) -> [UInt8] {
            Array("DSD ".utf8) + littleBytes(UInt64(28)) + [UInt8](repeating: 0, count: 16) + Array("fmt ".utf8)
                + littleBytes(UInt64(52)) + [UInt8](repeating: 1, count: 40) + Array("data".utf8)
                + littleBytes(told ?? 212) + [UInt8](repeating: 3, count: 200)
        }
        func dsdiff(_ told: UInt64? = nil) -> [UInt8] {
            Array("FRM8".utf8) + littleBytes(told ?? 204).reversed() + Array("DSD ".utf8)
                + [UInt8](repeating: 3, count: 200)
        }
        for (name, whole) in [("AVI", avi()), ("ASF", asf()), ("DSF", dsf()), ("DSDIFF", dsdiff())] {
            #expect(try verdict(whole) == .whole, "\(name)")
            for count in [1, 199] { #expect(try cut(Array(whole.dropLast(count))) == true, "\(name) \(count)") }
            // Bytes appended behind the file.
            #expect(try verdict(whole + [UInt8](repeating: 0, count: 50)) == .whole, "\(name)")
        }
        // A stream states no length.
        for size in [0, UInt32.max] { #expect(try verdict(avi(size)) == .unstated, "\(size)") }
        for size in [0, UInt64(Int64.max), .max] {
            for whole in [asf(size), dsf(size), dsdiff(size)] { #expect(try verdict(whole) == .unstated, "\(size)") }
        }
    }

    @Test("the stated end of a WavPack or TTA file is that of its frames")
    func foreignFrames() throws {
        func wavPack(_ told: UInt32, high: UInt8 = 0, flags: UInt8 = 0) -> [UInt8] {
            Array("wvpk".utf8) + littleBytes(UInt32(200)) + [0x10, 4, 0, high] + littleBytes(told)
                + [UInt8](repeating: 0, count: 11) + [flags] + [UInt8](repeating: 3, count: 180)
        }
        func tta(_ told: UInt32) -> [UInt8] {
            Array("TTA1".utf8) + [1, 0, 2, 0, 16, 0] + littleBytes(UInt32(44100)) + littleBytes(told)
                + [UInt8](repeating: 3, count: 180)
        }
        for (name, bytes) in [("WavPack", wavPack(100)), ("TTA", tta(100))] {
            #expect(try verdict(bytes, frameCount: 100) == .whole, "\(name)")
            #expect(try cut(bytes, frameCount: 99) == true, "\(name)")
        }
        #expect(try cut(wavPack(100, high: 1), frameCount: 1 << 32) == true)
        #expect(try verdict(wavPack(100, high: 1), frameCount: 1 << 32 + 99) == .whole)
        for bytes in [wavPack(.max), wavPack(0), wavPack(100, flags: 0x80), tta(0), tta(.max)] {
            #expect(try verdict(bytes, frameCount: 1) == .unstated)
        }
    }

    @Test("the stated end of an Ogg file is that of each page, and a mark in the last page")
    func pages() throws {
        let (first, middle) = (page(2, [1, 2, 3]), page(0, Array(repeating: 5, count: 200)))
        let last = page(4, Array(repeating: 6, count: 100))
        #expect(try cut(first + middle + last) == nil)
        #expect(try cut(first + middle) == false && cut(first) == false)
        for count in [1, 3, 4, 20, 27, 28, last.count - 1] {
            #expect(try cut(first + middle + last.prefix(count)) == true, "\(count) bytes of the last page")
        }
        #expect(try cut(Array(first.dropLast())) == true)
        // Another stream may follow, and bytes that are not a page.
        #expect(try cut(first + last + first + middle.prefix(60)) == true)
        #expect(try cut(first + last + first + last + [0, 0, 0]) == nil)
        // A damaged page is whole all the same.
        var damaged = last
        damaged[last.count - 1] ^= 1
        #expect(try cut(first + middle + damaged) == false)
    }

    @Test("the stated end of AIFF, CAF, W64 and AU files is that of the samples, or of the file")
    func samples() throws {
        func aiff(_ told: UInt32? = nil) -> [UInt8] {
            let description = MarkFiles.chunk("COMM", [UInt8](repeating: 1, count: 18), isBig: true)
            let sound = MarkFiles.chunk("SSND", [UInt8](repeating: 3, count: 208), isBig: true, told: told)
            return MarkFiles.chunk("FORM", Array("AIFF".utf8) + description + sound, isBig: true)
        }
        func caf(_ told: Int64? = nil) -> [UInt8] {
            func chunk(_ name: String, _ count: Int, _ told: Int64? = nil) -> [UInt8] {
                let size: [UInt8] = littleBytes(told ?? Int64(count)).reversed()
                return Array(name.utf8) + size + [UInt8](repeating: 3, count: count)
            }
            return Array("caff".utf8) + [0, 1, 0, 0] + chunk("desc", 32) + chunk("data", 204, told)
        }
        func wave64(_ told: UInt64? = nil) -> [UInt8] {
            func part(_ name: String, _ count: Int, _ told: UInt64? = nil) -> [UInt8] {
                Array(name.utf8) + [UInt8](repeating: 7, count: 12) + littleBytes(told ?? UInt64(24 + count))
                    + [UInt8](repeating: 3, count: count)
            }
            let content = [UInt8](repeating: 5, count: 16) + part("fmt ", 16) + part("data", 200, told)
            return part("riff", 0, UInt64(24 + content.count)) + content
        }
        func au(_ told: UInt32? = nil) -> [UInt8] {
            Array(".snd".utf8) + MarkFiles.bigBytes(24) + MarkFiles.bigBytes(told ?? 200)
                + [UInt8](repeating: 3, count: 212)
        }
        for (name, whole) in [("AIFF", aiff()), ("CAF", caf()), ("W64", wave64()), ("AU", au())] {
            #expect(try verdict(whole) == .whole, "\(name)")
            for count in [1, 199] { #expect(try cut(Array(whole.dropLast(count))) == true, "\(name) \(count)") }
            // Bytes appended behind the file.
            #expect(try verdict(whole + [UInt8](repeating: 0, count: 50)) == .whole, "\(name)")
        }
        #expect(try cut(Array(aiff().prefix(20))) == true && cut(Array(wave64().prefix(60))) == true)
        for size: UInt32 in [0, 0x7F00_0008, 0x7EFF_FFFE, .max] {
            #expect(try verdict(aiff(size)) == .unstated, "\(size)")
        }
        for size in [0, UInt32.max] { #expect(try verdict(au(size)) == .unstated) }
        for size in [0, -1, Int64.max] { #expect(try verdict(caf(size)) == .unstated, "\(size)") }
        for size in [0, 23, UInt64(Int64.max), .max] { #expect(try verdict(wave64(size)) == .unstated, "\(size)") }
    }

    @Test("the stated end of a Matroska file is that of the whole, or of each part of a live stream")
    func elements() throws {
        func element(_ name: [UInt8], _ content: [UInt8], isEndless: Bool = false) -> [UInt8] {
            let size = [0x40 | UInt8(content.count >> 8), UInt8(content.count & 255)]
            return name + (isEndless ? [0x01] + [UInt8](repeating: 0xFF, count: 7) : size) + content
        }
        let head = element([0x1A, 0x45, 0xDF, 0xA3], [UInt8](repeating: 1, count: 31))
        let block = element([0xA3], [UInt8](repeating: 2, count: 100))
        for isEndless in [false, true] {
            let cluster = element([0x1F, 0x43, 0xB6, 0x75], block + block, isEndless: isEndless)
            let content = element([0x15, 0x49, 0xA9, 0x66], [1, 2, 3]) + cluster + cluster
            let whole = head + element([0x18, 0x53, 0x80, 0x67], content)
            #expect(try verdict(whole) == .whole && verdict(whole + [0, 0, 0]) == .whole)
            for count in [1, 50, 300] { #expect(try cut(Array(whole.dropLast(count))) == true, "\(count)") }
            let live = head + element([0x18, 0x53, 0x80, 0x67], content, isEndless: true)
            // Another part could follow.
            #expect(try verdict(live) == .unstated && verdict(live + [0, 0, 0]) == .unstated)
            for count in [1, 50] { #expect(try cut(Array(live.dropLast(count))) == true, "\(count)") }
        }
        #expect(try verdict(head + element([0x18, 0x53, 0x80, 0x67], [])) == .unstated)
    }

    /// MPEG frames of 417 bytes; the first has counts as LAME writes them.
    private func frames(_ count: Int, stated: UInt32?, bytes: UInt32?) -> [UInt8] {
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
        var first = frame
        let flags: UInt8 = (stated == nil ? 0 : 1) | (bytes == nil ? 0 : 2)
        let counts = [stated, bytes].compactMap(\.self).flatMap(MarkFiles.bigBytes)
        let place = 36 + 8
        first.replaceSubrange(36..<place, with: Array("Info".utf8) + [0, 0, 0, flags])
        first.replaceSubrange(place..<place + counts.count, with: counts)
        return first + Array(repeatElement(frame, count: count).joined())
    }

    @Test("the counts of an MP3 file state its end if far fewer frames are there")
    func counts() throws {
        let tag = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
        /// The header of a file that states 1000 frames.
        func verdict(_ count: Int, stated: UInt32? = 1000, bytes: UInt32? = 417_417) throws -> StatedEnd.Verdict {
            try self.verdict(frames(count, stated: stated, bytes: bytes) + tag, frameCount: Int64(count) * 1152)
        }
        for count in [990, 1000, 1010] { #expect(try verdict(count) == .whole, "\(count)") }
        // Too little for certainty: two equal ends are believed.
        for count in [880, 980] { #expect(try verdict(count) == .cutOff(.length(isSure: false)), "\(count)") }
        for count in [10, 500, 870] { #expect(try verdict(count) == .cutOff(.length(isSure: true)), "\(count)") }
        // Another recording may follow, and damage in the middle takes frames away.
        #expect(try verdict(1100) == .unstated)
        #expect(try self.verdict(frames(1000, stated: 1000, bytes: 417_417), frameCount: 500 * 1152) == .unstated)
        // A single count, a wrong count, and none.
        #expect(try verdict(500, bytes: nil) == .cutOff(.length(isSure: true)) && verdict(1000, bytes: nil) == .whole)
        #expect(try verdict(500, stated: nil) == .cutOff(.length(isSure: true)) && verdict(1000, stated: nil) == .whole)
        #expect(try verdict(500, bytes: 208_917) == .unstated && verdict(500, stated: 500) == .whole)
        for nothing: UInt32? in [nil, 0] {
            #expect(try verdict(500, stated: nothing, bytes: nothing) == .unstated)
        }
        // A tag in front, longer than the file so far.
        let early = Array("ID3".utf8) + [4, 0, 0, 0, 0, 9, 0] + [UInt8](repeating: 65, count: 500)
        #expect(try cut(early, frameCount: 0) == true)
    }

    @Test("the stated end of every format is right as programs write the format", arguments: Format.all)
    func written(_ format: Format) throws {
        let path = try format.file(in: scratch, frameCount: 200_000)
        let whole = StatedEnd.verdict(onFileAt: path, frameCount: try AudioFileInfo(path: path).frameCount)
        // LAME leaves out the counts where the frames are too short for counts.
        let isUnstated = ["MP3 without Xing header", "MP3 at 48 kbit/s", "MP3 mono", "ADTS"].contains(format.name)
        #expect(whole == (isUnstated ? .unstated : .whole))
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let half = try scratch.write("half", Array(bytes.prefix(bytes.count / 2)))
        let end = StatedEnd.fault(inFileAt: half, frameCount: (try? AudioFileInfo(path: half).frameCount) ?? 0)
        #expect((end == nil) == isUnstated)
    }

    @Test("the stated end of a FLAC file is the number of its frames, if that is known")
    func frames() throws {
        func file(_ count: UInt64) -> [UInt8] {
            let fields: [UInt8] = littleBytes(count).reversed()
            return MarkFiles.flac([(0, Array(repeating: 0, count: 10) + fields + Array(repeating: 0, count: 16))])
        }
        #expect(try cut(file(101)) == true && cut(file(100)) == nil && cut(file(0)) == nil)
    }
}
