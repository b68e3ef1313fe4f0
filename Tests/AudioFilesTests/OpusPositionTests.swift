import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles

/// Opus files with pages stating other positions than the sum of the packets; `opusdec` is the second opinion on the
/// sound.
@Suite struct OpusPositionTests {
    /// The changes made to the positions of a file's pages of sound.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        /// As written by ffmpeg 5.1: one position too far ahead, the next position right again.
        case jumpsThatCome = "a jump ahead that the next page takes back"
        case lastingGap = "a gap that stays"
        case lastingOverlap = "an overlap that stays"
        case lateBeginning = "a beginning in the middle of a stream"
        /// A missing page, with the page's number missing too.
        case lostPage = "a lost page"
        /// One bit of a page.
        case damagedPage = "a damaged page"

        var testDescription: String { rawValue }

        /// opusdec leaves out 80 ms after a loss.
        var isLoss: Bool { self == .lostPage || self == .damagedPage }

        /// The faulty position of the page with the true position `told`; pages count from 0.
        func position(_ told: Int64, page: Int) -> Int64 {
            switch self {
            case .jumpsThatCome: [2, 5, 6].contains(page) ? told + 488 : told
            case .lastingGap: page >= 3 ? told + 100_000 : told
            case .lastingOverlap: page >= 3 ? told - 7000 : told
            case .lateBeginning: told + 1_234_567
            case .lostPage, .damagedPage: told
            }
        }
    }

    @Test("an Opus file with wrong positions sounds as opusdec plays it, at every frame", arguments: Fault.allCases)
    func wrongPositions(fault: Fault) throws {
        let scratch = try Scratch()
        let format = try #require(Format.all.first { $0.name == "Ogg Opus" })
        let good = [UInt8](
            try Data(contentsOf: URL(fileURLWithPath: format.file(in: scratch, frameCount: 480_000 + 77))))
        let path = try scratch.write("faulty.opus", changed(good, by: fault))
        let decoder = try openDecoder(path: path)
        let expected = try decodedByOpusdec(path, scratch)
        let whole = try decode(decoder, 0..<decoder.info.frameCount)
        #expect(whole[0].count == expected[0].count + (fault.isLoss ? 3840 : 0))
        if fault.isLoss {
            // Of four seconds in front of the lost page, and of the five behind the page.
            #expect(whole.map { $0.prefix(190_000) } == expected.map { $0.prefix(190_000) })
            #expect(whole.map { $0.suffix(230_000) } == expected.map { $0.suffix(230_000) })
        } else {
            #expect(whole == expected)
        }
        let jumping = try decoder.another()
        var generator = SeededGenerator(printedFor: fault.rawValue)
        var wrong = 0
        for jump in 0..<cases(150, few: 20) {
            let start = Int64.random(in: 0..<decoder.info.frameCount, using: &generator)
            let end = min(decoder.info.frameCount, start + Int64.random(in: 1...3000, using: &generator))
            let piece = try decode(jump % 2 == 0 ? jumping : decoder, start..<end)
            let part = whole.map { Array($0[Int(start)..<Int(end)]) }
            if !isSame(piece, as: part) { wrong += 1 }
        }
        #expect(wrong == 0, "\(generator)")
    }

    @Test("the positions of an Opus file are used where they are right")
    func rightPositions() throws {
        let scratch = try Scratch()
        for format in Format.all where format.codec == "opus" {
            let path = try format.file(in: scratch, frameCount: 200_000)
            let positions = try #require(OpusPositions(ByteSource(OpenedFile(path: path))))
            #expect(positions.repairs.isEmpty)
        }
    }

    @Test("the greatest Opus position, and a following page without a position, are corrected")
    func greatestPosition() throws {
        let scratch = try Scratch()
        let format = try #require(Format.all.first { $0.name == "Ogg Opus" })
        let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: format.file(in: scratch, frameCount: 480_000))))
        let source = ByteSource(good)
        var (bytes, place, number) = ([UInt8](), Int64(0), 0)
        while let page = OggPage(source, at: place) {
            let whole = Array(good[Int(page.bytes.lowerBound)..<Int(page.bytes.upperBound)])
            bytes += number == 4 ? withPosition(.max, whole) : number == 5 ? withPosition(-1, whole) : whole
            (place, number) = (page.bytes.upperBound, number + 1)
        }
        try #require(number > 8)
        let positions = try #require(OpusPositions(ByteSource(bytes)))
        #expect(positions.repairs.count == 2)
    }

    /// Marks of pages. Each claims the greatest page, which ends far behind the next marks.
    private func marks(_ count: Int) -> [UInt8] {
        let mark = Array("OggS".utf8) + [0, 0] + [UInt8](repeating: 0xFF, count: 21)
        return Array([[UInt8]](repeating: mark, count: count).joined())
    }

    @Test("an Opus file of nothing but page marks is refused before a library searches it")
    func refusedMarks() throws {
        let scratch = try Scratch()
        let format = try #require(Format.all.first { $0.codec == "opus" })
        let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: format.file(in: scratch, frameCount: 10_000))))
        let head = Int(try #require(OggPage(ByteSource(good), at: 0)).bytes.upperBound)
        let path = try scratch.write("marks", good[..<head] + marks(2000) + good[head...])
        let error = #expect(throws: AudioFileError.self) { _ = try openDecoder(path: path) }
        #expect(error?.kind == .broken && error?.message.contains("its pages lie within each other") == true)
    }

    @Test("a file of nothing but page marks is read a bounded number of times")
    func boundedReading() throws {
        let scratch = try Scratch()
        let format = try #require(Format.all.first { $0.codec == "opus" })
        let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: format.file(in: scratch, frameCount: 100_000))))
        let head = Int(try #require(OggPage(ByteSource(good), at: 0)).bytes.upperBound)
        func checkedBytes(markCount: Int) throws -> Int {
            var count = 0
            let source = ByteSource(good[..<head] + marks(markCount) + good[head...])
            let positions = OpusPositions(source) { page in
                count += page.count
                return OggChecksum.checksum(ofPage: page)
            }
            // With so few pages, all pages of sound are found, and their positions are right.
            if markCount < 100 { #expect(positions?.repairs.isEmpty == true) }
            return count
        }
        #expect(try checkedBytes(markCount: 50) >= good.count - head)
        #expect(try checkedBytes(markCount: 20_000) < OggPage.mostReread + 2 * (marks(20_000).count + good.count))
    }

    @Test("an Opus packet lasts as long as libopus decodes from it")
    func durations() {
        // RFC 6716, table 2: SILK 10, 20, 40, 60 ms; hybrid 10, 20 ms; CELT 2.5, 5, 10, 20 ms.
        let tenths =
            [100, 200, 400, 600, 100, 200, 400, 600, 100, 200, 400, 600, 100, 200, 100, 200]
            + [25, 50, 100, 200, 25, 50, 100, 200, 25, 50, 100, 200, 25, 50, 100, 200]
        for (configuration, tenth) in tenths.enumerated() {
            let first = UInt8(configuration << 3)
            #expect(OpusPositions.frames(ofPacket: [first]) == Int64(tenth) * 48 / 10)
            #expect(OpusPositions.frames(ofPacket: [first | 1, 9]) == 2 * Int64(tenth) * 48 / 10)
            #expect(OpusPositions.frames(ofPacket: [first | 3, 0x82]) == 2 * Int64(tenth) * 48 / 10)
            #expect(OpusPositions.frames(ofPacket: [first | 3]) == 0)
        }
        // More than 120 ms is not a valid packet.
        #expect(OpusPositions.frames(ofPacket: [3 << 3 | 3, 3]) == 0)
        #expect(OpusPositions.frames(ofPacket: []) == 0)
    }

    @Test("the checksum of an Ogg page equals the checksum by any other program")
    func checksums() throws {
        let scratch = try Scratch()
        let format = try #require(Format.all.first { $0.name == "Ogg Vorbis" })
        let source = ByteSource(try OpenedFile(path: format.file(in: scratch, frameCount: 100_000)))
        var (start, count): (Int64, Int) = (0, 0)
        while let page = OggPage(source, at: start) {
            let bytes = source.bytes(at: start, count: page.bytes.count)
            #expect(bytes.little(UInt32.self, at: 22) == OggChecksum.checksum(ofPage: bytes))
            start = page.bytes.upperBound
            count += 1
        }
        #expect(count > 3 && start == source.count)
        #expect(OggChecksum.checksum(ofPage: []) == 0)
    }

    // MARK: - Making

    private func changed(_ bytes: [UInt8], by fault: Fault) throws -> [UInt8] {
        var pages: [[UInt8]] = []
        let source = ByteSource(bytes)
        while let page = OggPage(source, at: pages.reduce(0) { $0 + Int64($1.count) }) {
            pages.append(Array(bytes[Int(page.bytes.lowerBound)..<Int(page.bytes.upperBound)]))
        }
        // Two pages of headers come first.
        let count = pages.count - 2
        try #require(count > 8)
        for page in 0..<count {
            let told = try #require(pages[page + 2].little(at: 6, in: -1...Int64.max))
            pages[page + 2] = withPosition(fault.position(told, page: page), pages[page + 2])
        }
        switch fault {
        case .lostPage: pages.remove(at: 6)
        case .damagedPage: pages[6][300] ^= 4
        default: break
        }
        return pages.flatMap { $0 }
    }

    private func withPosition(_ position: Int64, _ page: [UInt8]) -> [UInt8] {
        var page = page
        page.replaceSubrange(6..<14, with: littleBytes(position))
        page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
        page.replaceSubrange(22..<26, with: littleBytes(checksumBitByBit(ofPage: page)))
        return page
    }

    private func decodedByOpusdec(_ path: String, _ scratch: Scratch) throws -> [[Float]] {
        let output = scratch.file("opusdec.raw")
        try run("opusdec", "--quiet", "--float", "--rate", "48000", "--force-stereo", path, output)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: output)))
        return deinterleaved(floats(in: bytes[...]), channelCount: 2)
    }
}
