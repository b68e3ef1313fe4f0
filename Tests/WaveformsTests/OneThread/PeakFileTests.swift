// Files of audiowaveform, against audiowaveform's rules written out slowly and bytes put together by hand.
import AudioFiles
import Explanations
import SoundFileSupport
import SoundMeasures
import TestSupport
import Testing

@testable import Waveforms

/// The least and the greatest sample of each pixel and output, of 16 bits, frame by frame.
private func slowPeaks(_ sound: ShortSound, samplesPerPixel: Int, isSplit: Bool) -> [Int] {
    let outputs = isSplit ? sound.channelCount : 1
    var values: [Int] = []
    var first = 0
    while first < sound.frameCount {
        let pixel = first..<min(sound.frameCount, first + samplesPerPixel)
        for output in 0..<outputs {
            let mixed = pixel.map { frame -> Int in
                let all = sound.samples[frame * sound.channelCount..<(frame + 1) * sound.channelCount].map(Int.init)
                return isSplit ? all[output] : all.reduce(0, +) / all.count
            }
            values += [mixed.min() ?? 0, mixed.max() ?? 0]
        }
        first += samplesPerPixel
    }
    return values
}

/// The bytes written by audiowaveform.
private func slowFile(
    peaks: [Int], outputs: Int, samplesPerPixel: Int, bits: Int, sampleRate: Int, form: PeakFile.Form
) -> [UInt8] {
    var values = peaks
    if bits == 8 { values = values.map { $0 / 256 } }
    let length = values.count / (2 * outputs)
    switch form {
    case .dat:
        var bytes = littleBytes(Int32(outputs == 1 ? 1 : 2)) + littleBytes(UInt32(bits == 8 ? 1 : 0))
        bytes += littleBytes(Int32(sampleRate)) + littleBytes(Int32(samplesPerPixel)) + littleBytes(UInt32(length))
        if outputs > 1 { bytes += littleBytes(Int32(outputs)) }
        return bytes + values.flatMap { bits == 8 ? littleBytes(Int8($0)) : littleBytes(Int16($0)) }
    case .json:
        let list = values.map(String.init).joined(separator: ",")
        let text = """
            {"version":2,"channels":\(outputs),"sample_rate":\(sampleRate),"samples_per_pixel":\(samplesPerPixel),\
            "bits":\(bits),"length":\(length),"data":[\(list)]}

            """
        return Array(text.utf8)
    }
}

private func error(of body: () throws -> PeakFile) -> PeakFileError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? PeakFileError
    }
}

@Suite("A file of peaks")
struct PeakFileTests {
    /// Three frames of two channels with means on both sides of zero.
    private let small = ShortSound(channelCount: 2, samples: [100, -101, -7, 4, 32_767, 32_767])

    private func file(
        _ sound: ShortSound, samplesPerPixel: Int, bits: PeakFile.Bits, isSplit: Bool, nextBlock: () -> Int = { 5000 }
    ) throws -> PeakFile {
        var builder = try PeakFileBuilder(
            frameCount: Int64(sound.frameCount), samplesPerPixel: samplesPerPixel, bits: bits, isSplit: isSplit,
            channelCount: sound.channelCount, sampleRate: 44_100)
        var frame = 0
        while frame < sound.frameCount {
            let end = min(sound.frameCount, frame + nextBlock())
            let block = sound.samples[frame * sound.channelCount..<end * sound.channelCount]
            let span = block.span
            builder.append(interleaved: span)
            frame = end
        }
        return builder.peakFile()
    }

    @Test("a file of peaks has the bytes that the format's description requires")
    func golden() throws {
        let header: [UInt8] = [0x44, 0xAC, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]
        let mixed = try file(small, samplesPerPixel: 2, bits: .sixteen, isSplit: false)
        #expect(
            mixed.encoded(as: .dat) == [1, 0, 0, 0, 0, 0, 0, 0] + header + [0xFF, 0xFF, 0, 0, 0xFF, 0x7F, 0xFF, 0x7F])
        let coarse = try file(small, samplesPerPixel: 2, bits: .eight, isSplit: false)
        #expect(coarse.encoded(as: .dat) == [1, 0, 0, 0, 1, 0, 0, 0] + header + [0, 0, 0x7F, 0x7F])
        let split = try file(small, samplesPerPixel: 2, bits: .sixteen, isSplit: true)
        #expect(
            split.encoded(as: .dat) == [2, 0, 0, 0, 0, 0, 0, 0] + header + [
                2, 0, 0, 0, 0xF9, 0xFF, 0x64, 0, 0x9B, 0xFF, 4, 0, 0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F,
            ])
        let text = String(decoding: split.encoded(as: .json), as: UTF8.self)
        #expect(
            text == #"{"version":2,"channels":2,"sample_rate":44100,"samples_per_pixel":2,"bits":16,"length":2,"#
                + #""data":[-7,100,-101,4,32767,32767,32767,32767]}"# + "\n")
        // The documentation's own example, without blanks.
        let example = try PeakFile(
            bits: .eight, sampleRate: 48_000, samplesPerPixel: 512, channelCount: 2,
            data: [-65, 63, -66, 64, -40, 41, -39, 45, -55, 43, -55, 44])
        #expect(
            String(decoding: example.encoded(as: .json), as: UTF8.self)
                == #"{"version":2,"channels":2,"sample_rate":48000,"samples_per_pixel":512,"bits":8,"length":3,"#
                + #""data":[-65,63,-66,64,-40,41,-39,45,-55,43,-55,44]}"# + "\n")
        // A file of a single channel has version 1 even without mixing.
        let alone = ShortSound(channelCount: 1, samples: [-129, 0])
        #expect(
            try file(alone, samplesPerPixel: 64, bits: .sixteen, isSplit: true).encoded(as: .dat)
                == [1, 0, 0, 0, 0, 0, 0, 0, 0x44, 0xAC, 0, 0, 64, 0, 0, 0, 1, 0, 0, 0, 0x7F, 0xFF, 0, 0])
    }

    @Test(
        "a file of peaks follows the format's rules for every frame, mixed or split, in any blocks",
        arguments: [1, 2, 3, 24],
        [2, 64, 1000])
    func rules(channelCount: Int, samplesPerPixel: Int) throws {
        var random = SeededGenerator(printedFor: "PeakFileTests.rules")
        for frameCount in [0, 1, 2, 63, 1000, 1001, 4099] {
            if frameCount > 1001, channelCount > 3 { continue }
            let sound = ShortSound.lively(channelCount: channelCount, frameCount: frameCount, random: &random)
            for isSplit in [false, true] {
                let peaks = slowPeaks(sound, samplesPerPixel: samplesPerPixel, isSplit: isSplit)
                for bits in PeakFile.Bits.allCases {
                    let file = try file(sound, samplesPerPixel: samplesPerPixel, bits: bits, isSplit: isSplit) {
                        [1, 3, 500, 5000].randomElement(using: &random) ?? 1
                    }
                    #expect(file.length == (frameCount + samplesPerPixel - 1) / samplesPerPixel)
                    for form in PeakFile.Form.allCases {
                        let bytes = file.encoded(as: form)
                        let expected = slowFile(
                            peaks: peaks, outputs: isSplit ? channelCount : 1, samplesPerPixel: samplesPerPixel,
                            bits: bits.rawValue, sampleRate: 44_100, form: form)
                        #expect(bytes == expected, "\(frameCount) frames, \(bits), split: \(isSplit), \(form)")
                        #expect(try PeakFile(decoding: bytes) == file)
                    }
                }
            }
        }
    }

    @Test("a file of peaks is the same from floating-point samples as from the same samples in 16 bits")
    func floats() throws {
        var random = SeededGenerator(printedFor: "PeakFileTests.floats")
        let sound = ShortSound.lively(channelCount: 2, frameCount: 4500, random: &random)
        let planar = (0..<2).flatMap { channel in
            (0..<sound.frameCount).map { Float(sound.samples[2 * $0 + channel]) / 32768 }
        }
        for isSplit in [true, false] {
            var builder = try PeakFileBuilder(
                frameCount: Int64(sound.frameCount), samplesPerPixel: 100, bits: .sixteen, isSplit: isSplit,
                channelCount: 2, sampleRate: 44_100)
            let span = planar.span
            builder.append(planar: span, stride: sound.frameCount, frameCount: sound.frameCount)
            #expect(
                builder.peakFile() == (try file(sound, samplesPerPixel: 100, bits: .sixteen, isSplit: isSplit)))
        }
        var builder = try PeakFileBuilder(
            frameCount: 6, samplesPerPixel: 2, bits: .sixteen, isSplit: false, channelCount: 1, sampleRate: 8000)
        let odd: [Float] = [.nan, .infinity, 2, -2, 0.4 / 32768, 0.6 / 32768]
        let span = odd.span
        builder.append(planar: span, stride: 6, frameCount: 6)
        #expect(builder.peakFile().data == [0, 0, -32768, 32767, 0, 1])
    }

    @Test("a file of peaks grows with the sound, and its last pixel covers the remaining frames")
    func growing() throws {
        var builder = try PeakFileBuilder(
            frameCount: 4, samplesPerPixel: 3, bits: .sixteen, isSplit: true, channelCount: 1, sampleRate: 8000)
        #expect(builder.peakFile().data.isEmpty && builder.peakFile().length == 0)
        let samples: [Int16] = [5, -5, 7, 9]
        for (index, expected) in [[5, 5], [-5, 5], [-5, 7], [-5, 7, 9, 9]].enumerated() {
            let block = samples[index...index]
            let span = block.span
            builder.append(interleaved: span)
            #expect(builder.peakFile().data == expected.map(Int16.init))
        }
    }

    @Test("a recording of more than 2^32 - 1 pixels is refused before it is read, with the number of frames to ask for")
    func mostPixels() throws {
        func refusal(_ frameCount: Int64, _ samplesPerPixel: Int) -> PeakFileError? {
            do throws(PeakFileError) {
                _ = try PeakFileBuilder(
                    frameCount: frameCount, samplesPerPixel: samplesPerPixel, bits: .sixteen, isSplit: false,
                    channelCount: 1, sampleRate: 8000)
                return nil
            } catch {
                return error
            }
        }
        let most = Int64(UInt32.max)
        #expect(refusal(2 * most, 2) == nil && refusal(Int64.max, Int(Int32.max))?.kind == .invalidRequest)
        let error = try #require(refusal(2 * most + 1, 2))
        #expect(error.kind == .invalidRequest && error.message.contains("\(most) pixels"))
        #expect(error.remedy == "Give 3 or more samples per pixel.")
        #expect(refusal(2 * most + 1, 3) == nil)
    }

    @Test("a file of peaks needs two frames a pixel, 1 to 24 channels, and a rate")
    func requests() {
        func refusal(
            frames: Int64 = 1, pixel: Int = 256, channels: Int = 2, rate: Int = 44_100
        ) -> PeakFileError? {
            do throws(PeakFileError) {
                _ = try PeakFileBuilder(
                    frameCount: frames, samplesPerPixel: pixel, bits: .eight, isSplit: true, channelCount: channels,
                    sampleRate: rate)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal() == nil && refusal(pixel: 2) == nil && refusal(channels: 24) == nil)
        for pixel in [1, 0, -1, 1 << 31, Int.min, Int.max] {
            #expect(refusal(pixel: pixel)?.message.contains("\(pixel)") == true)
        }
        for channels in [0, -1, 25, Int.max] { #expect(refusal(channels: channels)?.kind == .invalidRequest) }
        for rate in [0, -1, 1 << 31] { #expect(refusal(rate: rate)?.kind == .invalidRequest) }
        #expect(
            error { try PeakFile(bits: .eight, sampleRate: 1, samplesPerPixel: 2, channelCount: 1, data: [128, 0]) }?
                .kind == .invalidRequest)
        #expect(
            error { try PeakFile(bits: .sixteen, sampleRate: 1, samplesPerPixel: 2, channelCount: 2, data: [1, 2]) }?
                .kind == .invalidRequest)
    }
}

@Suite("Reading of a file of peaks")
struct PeakFileReadingTests {
    private let split: [UInt8] =
        [2, 0, 0, 0, 1, 0, 0, 0, 0x44, 0xAC, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0] + [
            0x80, 0x7F, 0xFF, 1, 0, 0, 2, 3,
        ]

    private func refusal(_ bytes: [UInt8]) -> PeakFileError.Kind? { error { try PeakFile(decoding: bytes) }?.kind }
    private func refusal(_ text: String) -> PeakFileError.Kind? { refusal(Array(text.utf8)) }

    @Test("both versions of a binary file of peaks are read")
    func binary() throws {
        let file = try PeakFile(decoding: split)
        #expect(file.bits == .eight && file.sampleRate == 44_100 && file.samplesPerPixel == 256)
        #expect(file.channelCount == 2 && file.length == 2 && file.version == 2)
        #expect(file.data == [-128, 127, -1, 1, 0, 0, 2, 3])
        // A file of a single channel may also have version 2.
        var single = split
        single.replaceSubrange(16..<24, with: [4, 0, 0, 0, 1, 0, 0, 0])
        let mono = try PeakFile(decoding: single)
        #expect(mono.channelCount == 1 && mono.length == 4 && mono.data == file.data)
        #expect(try PeakFile(decoding: mono.encoded(as: .dat)) == mono && mono.encoded(as: .dat).first == 1)
    }

    @Test("every impossible value in a field of a file of peaks is refused")
    func fields() {
        func with(_ place: Int, _ value: Int32) -> [UInt8] {
            var bytes = split
            bytes.replaceSubrange(place..<place + 4, with: littleBytes(value))
            return bytes
        }
        for version: Int32 in [0, -1, 256, .max, .min] { #expect(refusal(with(0, version)) == .notPeaks) }
        #expect(refusal(with(0, 3)) == .unsupportedVersion)
        // Read as version 1 with a shorter header, the file has four bytes too many and half the channels.
        #expect(refusal(with(0, 1)) == .trailingBytes)
        for flags: Int32 in [2, 3, .min, -1] { #expect(refusal(with(4, flags)) == .invalidValue) }
        #expect(refusal(with(4, 0)) == .truncated)
        for rate: Int32 in [0, -1, .min] { #expect(refusal(with(8, rate)) == .invalidValue) }
        for pixel: Int32 in [1, 0, -1, .min] { #expect(refusal(with(12, pixel)) == .invalidValue) }
        for length: Int32 in [3, 100, .max, -1] { #expect(refusal(with(16, length)) == .truncated) }
        for length: Int32 in [1, 0] { #expect(refusal(with(16, length)) == .trailingBytes) }
        for channels: Int32 in [0, -1, 25, .max, .min] { #expect(refusal(with(20, channels)) == .invalidValue) }
        #expect(refusal(with(20, 24)) == .truncated && refusal(with(20, 1)) == .trailingBytes)
    }

    @Test("a file of peaks that is cut at any place or has a byte more is refused")
    func lengths() throws {
        let binary = try PeakFile(decoding: split)
        for count in 0..<split.count { #expect(refusal(Array(split.prefix(count))) != nil, "\(count) bytes") }
        #expect(refusal(split + [0]) == .trailingBytes)
        let json = binary.encoded(as: .json)
        // Every character but the line's end is needed.
        for count in 0..<json.count - 1 { #expect(refusal(Array(json.prefix(count))) != nil, "\(count) characters") }
        #expect(refusal(json + Array("x".utf8)) == .malformedJSON)
        #expect(try PeakFile(decoding: json.dropLast()) == binary)
    }

    @Test("JSON peaks are read with blanks, in any order, with more keys, and without optional keys")
    func json() throws {
        let text = """
             \n{ "data": [ -1 , 2, 3, 4 ], "length": 2, "bits": 8, "samples_per_pixel": 64,
               "sample_rate": 8000, "made_by": {"name": "x"} }
            """
        let file = try PeakFile(decoding: Array(text.utf8))
        #expect(file.channelCount == 1 && file.data == [-1, 2, 3, 4] && file.bits == .eight && file.sampleRate == 8000)
    }

    @Test(
        "JSON peaks of another type, missing, out of range or inconsistent are refused",
        arguments: [
            ("version", "3"), ("version", "0"), ("version", "\"2\""), ("version", "2.0"), ("version", "1e400"),
            ("channels", "0"), ("channels", "25"), ("channels", "null"), ("channels", "9223372036854775807"),
            ("channels", "-9223372036854775808"), ("channels", "[]"),
            ("sample_rate", "0"), ("sample_rate", "-1"), ("sample_rate", "4294967297"), ("sample_rate", "44100.5"),
            ("samples_per_pixel", "1"), ("samples_per_pixel", "99999999999999999999"), ("samples_per_pixel", "true"),
            ("bits", "7"), ("bits", "9223372036854775807"), ("bits", "{}"),
            ("length", "1"), ("length", "3"), ("length", "-1"), ("length", "9223372036854775807"), ("length", "\"\""),
            ("data", "{}"), ("data", "0"), ("data", "[1,2,3]"), ("data", "[1,2,3,128]"), ("data", "[1,2,3,1.5]"),
            ("data", "[1,2,3,null]"), ("data", "[1,2,3,[4]]"), ("data", "[1,2,3,\"4\"]"), ("data", "[1,2,3,1e999]"),
            ("data", "[1,2,3,99999999999999999999999999]"), ("data", "[1,2,3,4,]"),
        ])
    func values(key: String, value: String) {
        var fields = [
            "version": "2", "channels": "1", "sample_rate": "8000", "samples_per_pixel": "64", "bits": "8",
            "length": "2", "data": "[1,2,3,4]",
        ]
        func text() -> String { "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}" }
        #expect(refusal(text()) == nil)
        fields[key] = value
        #expect(refusal(text()) != nil)
        fields[key] = nil
        #expect((refusal(text()) == nil) == (key == "version" || key == "channels"))
    }

    @Test("a file of peaks that is deeply nested, truncated, or of neither form is refused")
    func odd() {
        #expect(refusal("{\"data\":" + String(repeating: "[", count: 200_000)) == .malformedJSON)
        #expect(refusal(String(repeating: "{\"a\":", count: 100_000)) == .malformedJSON)
        #expect(refusal("{\"data\":[" + String(repeating: "9", count: 100_000) + "]}") == .malformedJSON)
        #expect(refusal("{}") == .invalidValue && refusal("{") == .malformedJSON)
        #expect(refusal("[1,2]") == .notPeaks && refusal("") == .notPeaks && refusal("    ") == .notPeaks)
        #expect(refusal([UInt8](repeating: 0, count: 1000)) == .notPeaks)
        #expect(refusal(Array("RIFF....WAVEfmt ".utf8)) == .notPeaks)
    }
}
