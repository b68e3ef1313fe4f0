// Woodshed's own file of a waveform: written files are readable, and nothing else is.
import AudioFiles
import DSP
import SoundFileSupport
import SoundMeasures
import TestSupport
import Testing

@testable import Waveforms

@Suite("A waveform's file")
struct WaveformFileTests {
    private func refusal(_ bytes: [UInt8]) -> WaveformFileError.Kind? {
        do throws(WaveformFileError) {
            _ = try WaveformFile(decoding: bytes)
            return nil
        } catch {
            return error.kind
        }
    }

    private func key(_ text: String) -> ContentKey {
        let bytes = Array(text.utf8)
        let span = bytes.span
        return ContentKey(of: span)
    }

    private func example(frameCount: Int = 700, channelCount: Int = 2, tones: Bool = true) -> WaveformFile {
        var random = SeededGenerator(seed: 7)
        let sound = ShortSound.lively(channelCount: channelCount, frameCount: frameCount, random: &random)
        return WaveformFile(waveform: sound.waveform(tones: tones), contentKey: key("example"))
    }

    @Test(
        "a waveform's file is read as written, whatever its length, channels and tones",
        arguments: [0, 1, 256, 257, 40_000], [1, 2, 64])
    func roundTrip(frameCount: Int, channelCount: Int) throws {
        if frameCount > 1000, channelCount > 2 { return }
        var random = SeededGenerator(printedFor: "WaveformFileTests.roundTrip")
        let sound = ShortSound.lively(channelCount: channelCount, frameCount: frameCount, random: &random)
        for rate in [8000, 96_000] {
            for tones in [true, false] {
                for content in [nil, key("\(frameCount)")] {
                    let waveform = sound.waveform(sampleRate: rate, tones: tones)
                    let file = WaveformFile(waveform: waveform, contentKey: content)
                    let again = try WaveformFile(decoding: file.encoded())
                    #expect(again == file && again.waveform.hasTones == tones)
                    #expect(
                        again.waveform.summary(frames: -5..<Int64(frameCount) + 5, columns: 7)
                            == waveform.summary(frames: -5..<Int64(frameCount) + 5, columns: 7))
                }
            }
        }
    }

    @Test(
        "a waveform's file longer than a run of memory or a large page is read as written",
        arguments: [2 * 4096 + 17, 32 * 4096 + 5])
    func runs(binCount: Int) throws {
        // 4096 bins are a run; the longer waveform takes 3 MB.
        let frameCount = 256 * binCount
        let bins = Waveform.binCounts(frameCount: Int64(frameCount)).enumerated().map { level, count in
            (0..<count).map {
                WaveformBin(
                    minimum: Int16(truncatingIfNeeded: $0), maximum: Int16(level), level: UInt16(truncatingIfNeeded: $0)
                )
            }
        }
        let waveform = try Waveform(
            sampleRate: 44_100, frameCount: Int64(frameCount), channels: [bins, bins], tones: [])
        let file = WaveformFile(waveform: waveform)
        let again = try WaveformFile(decoding: file.encoded())
        #expect(again == file && again.waveform.bins(level: 0, channel: 1) == bins[0])
    }

    @Test("a waveform's file has the documented bytes")
    func layout() throws {
        let levels = [[WaveformBin(minimum: -2, maximum: 0x0102, level: 0xA0B0)]]
        let tone = WaveformTone(low: 1, mid: 2, high: 3, pitch: 4)
        let waveform = try Waveform(sampleRate: 8000, frameCount: 100, channels: [levels], tones: [[tone]])
        let content = Array("abc".utf8)
        let span = content.span
        let bytes = WaveformFile(waveform: waveform, contentKey: ContentKey(of: span)).encoded()
        let fields: [[UInt8]] = [
            [0x89, 0x57, 0x53, 0x57, 0x0D, 0x0A, 0x1A, 0x0A], littleBytes(UInt32(1)), littleBytes(UInt32(8000)),
            littleBytes(UInt64(100)), littleBytes(UInt64(98)), littleBytes(UInt32(1)), littleBytes(UInt32(256)),
            littleBytes(UInt32(512)), littleBytes(UInt32(1)), littleBytes(UInt32(1)), littleBytes(UInt32(0)),
            // XXH3-128 of "abc", as printed by `xxh128sum`.
            [0x06, 0xB0, 0x5A, 0xB6, 0x73, 0x3A, 0x61, 0x85, 0x78, 0xAF, 0x5F, 0x94, 0x89, 0x2F, 0x39, 0x50],
            [0xFE, 0xFF, 0x02, 0x01, 0xB0, 0xA0], [1, 2, 3, 4],
        ]
        #expect(Array(bytes.dropLast(16)) == fields.flatMap { $0 })
        #expect(sealed(bytes) == bytes)
    }

    @Test("a waveform's file with any bit changed is refused")
    func bits() {
        let bytes = example(frameCount: 300, channelCount: 1).encoded()
        #expect(refusal(bytes) == nil)
        for place in 0..<bytes.count * 8 {
            var changed = bytes
            changed[place / 8] ^= 1 << UInt8(place % 8)
            #expect(refusal(changed) != nil, "bit \(place)")
        }
    }

    @Test("a waveform's file cut short at any place, or with bytes added, is refused")
    func lengths() {
        let bytes = example(frameCount: 300).encoded()
        for count in 0..<bytes.count { #expect(refusal(Array(bytes.prefix(count))) == .truncated, "\(count) bytes") }
        #expect(refusal(bytes + [0]) == .trailingBytes && refusal(bytes + bytes) == .trailingBytes)
    }

    @Test("a waveform's file with an impossible header is refused, even with a right checksum")
    func fields() {
        let bytes = example().encoded()
        func with(_ place: Int, _ value: some FixedWidthInteger) -> WaveformFileError.Kind? {
            var changed = bytes
            changed.replaceSubrange(place..<place + value.bitWidth / 8, with: littleBytes(value))
            return refusal(sealed(changed))
        }
        #expect(with(0, UInt8(0x88)) == .notWaveform && with(4, UInt8(0x0A)) == .notWaveform)
        for version: UInt32 in [0, 2, .max] { #expect(with(8, version) == .unsupportedVersion) }
        // Half the rate has the same hop, and so the same layout: only the checksum can find that.
        for rate: UInt32 in [0, 768_001, .max, 96_000] { #expect(with(12, rate) == .invalidField) }
        for frames: UInt64 in [0, 1, 1 << 37, 1 << 37 + 1, 1 << 63, .max] { #expect(with(16, frames) == .invalidField) }
        for length: UInt64 in [0, UInt64(bytes.count) + 1, .max] { #expect(with(24, length) == .invalidField) }
        for channels: UInt32 in [0, 1, 3, 65, .max] { #expect(with(32, channels) == .invalidField) }
        for place in [36, 40, 44, 48, 52] {
            for value: UInt32 in [0, 1, 255, .max] where !(place == 52 && value == 0) {
                #expect(with(place, value) == .invalidField, "\(value) at \(place)")
            }
        }
        // Only the content's key may be anything.
        #expect(with(56, UInt64(12)) == nil)
        // A whole file, smaller than stated in all fields of the header alike.
        var larger = example(frameCount: 1400).encoded()
        larger.removeLast(100)
        #expect(refusal(sealed(larger)) == .truncated)
    }

    @Test("a file of zeros, of text or of no bytes is refused as a waveform")
    func foreign() {
        #expect(refusal([]) == .truncated && refusal([UInt8](repeating: 0, count: 88)) == .notWaveform)
        #expect(refusal([UInt8](repeating: 0, count: 100_000)) == .notWaveform)
        #expect(refusal(Array(String(repeating: "waveform ", count: 100).utf8)) == .notWaveform)
        var hollow = example().encoded()
        for index in 72..<hollow.count { hollow[index] = 0 }
        #expect(refusal(hollow) == .wrongChecksum)
    }

    @Test("every failure to read a waveform's file has a cause and a remedy")
    func messages() {
        let bytes = example().encoded()
        var newer = bytes
        newer[8] = 9
        for damaged in [[], bytes + [1], newer, Array(bytes.dropLast())] {
            do throws(WaveformFileError) {
                _ = try WaveformFile(decoding: damaged)
                Issue.record("it was believed")
            } catch {
                #expect(!error.message.isEmpty && !error.remedy.isEmpty && error.description.contains("\n"))
            }
        }
    }
}
