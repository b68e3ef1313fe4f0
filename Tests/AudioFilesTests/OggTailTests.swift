import SoundFileSupport
import Testing

@testable import AudioFiles

@Suite struct OggTailTests {
    /// A page without content.
    private func page(_ position: Int64, serial: UInt32 = 7) -> [UInt8] {
        Array("OggS".utf8) + [0, 0] + littleBytes(position) + littleBytes(serial) + [0, 0, 0, 0, 0, 0, 0, 0, 0]
    }

    private func tail(_ bytes: [UInt8]) -> [Int64]? {
        OggTail(ByteSource(bytes)).map { [$0.positionBefore, $0.lastPosition] }
    }

    @Test("the last two positions of an Ogg stream are found, also behind noise and false pages")
    func positions() {
        let noise = Array("OggOggS....".utf8)
        #expect(tail(page(3) + page(5) + page(9)) == [5, 9])
        #expect(tail(page(3) + page(5) + page(-1) + page(9) + page(-1)) == [5, 9])
        #expect(tail(noise + page(5) + page(9)) == [5, 9])
        #expect(tail(page(5) + noise + page(9)) == nil)
        #expect(tail(page(5) + page(9) + noise) == [5, 9])
        #expect(tail(page(9)) == nil)
        #expect(tail(page(-1) + page(-1)) == nil)
        #expect(tail([]) == nil)
        // The page behind belongs to another stream.
        #expect(tail(page(1, serial: 1) + page(2, serial: 1) + page(9)) == [1, 2])
        #expect(tail(page(1, serial: 1) + page(5) + page(9)) == [5, 9])
        // The last page was cut short.
        #expect(tail(page(1) + page(5) + page(9).dropLast()) == [1, 5])
    }

    @Test("each page of an Ogg file in which no packet ends is read once")
    func hostile() {
        let bytes = (0..<1000).flatMap { _ in page(-1) }
        var count = 0
        let tail = OggTail(ByteSource(bytes)) { source, place in
            count += 1
            return OggPage(source, at: place)
        }
        #expect(tail == nil && count == 1000)
    }
}
