import AudioDevices
import AudioFiles
import Clips
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Engine
@testable import Queue

/// A recording cut in two: the sound at the joint when the halves play in a row.
@Suite("Joint of a recording cut in two")
struct CodecJointTests {
    /// A format, with the names of the files.
    struct Codec: Sendable, CustomTestStringConvertible {
        let name: String
        let make: String
        var isLossless = false
        var testDescription: String { name }

        func encode(_ input: String, to output: String) throws {
            try run(
                arguments: make.split(separator: " ").map { $0 == "IN" ? input : $0 == "OUT" ? output : String($0) })
        }
    }

    static let codecs = [
        Codec(name: "WAV", make: "cp IN OUT", isLossless: true),
        Codec(name: "FLAC", make: "flac -s -o OUT IN", isLossless: true),
        Codec(name: "MP3", make: "lame --quiet -b 192 IN OUT"),
        Codec(name: "Ogg", make: "oggenc -Q -q 6 -o OUT IN"),
        Codec(name: "Opus", make: "opusenc --quiet --bitrate 160 IN OUT"),
        Codec(name: "M4A", make: "ffmpeg -v error -i IN -c:a aac -b:a 192k -f ipod OUT"),
    ]
    static let rate = 48_000
    /// Neither half ends with a packet of any codec.
    static let (frameCount, cut) = (150_777, 70_123)

    /// Both halves in every codec; each codec's files are made once.
    final class Halves: Sendable {
        let scratch: Scratch
        let source: [[Float]]
        /// The decoded content of the files, by codec and half.
        let decoded: [String: [[[Float]]]]

        init() throws {
            scratch = try Scratch()
            let sound = music(frameCount: frameCount, sampleRate: rate)
            try writeWave(scratch.file("whole.wav"), sound, sampleRate: rate)
            source = try decode(scratch.file("whole.wav"))
            var decoded: [String: [[[Float]]]] = [:]
            for (half, range) in [0..<cut, cut..<frameCount].enumerated() {
                let input = scratch.file("half\(half).wav")
                try writeWave(input, source.map { Array($0[range]) }, sampleRate: rate)
                for codec in codecs {
                    let output = scratch.file("\(codec.name)\(half)")
                    try codec.encode(input, to: output)
                    decoded[codec.name, default: []].append(try decode(output))
                }
            }
            self.decoded = decoded
        }

        func file(_ codec: Codec, _ half: Int) -> String { scratch.file("\(codec.name)\(half)") }
    }

    static let halves = Result { try Halves() }

    /// An engine's sound for files in a row.
    static func played(_ paths: [String], rate: Int = rate, channels: Int = 2, period: Int = 1024) throws -> [[Float]] {
        let scratch = try Scratch()
        let request = try StreamRequest(
            sampleRate: rate, channelCount: channels, periodFrames: period, clock: .virtual, realtimePriority: nil)
        let engine = try Engine(output: .file(path: scratch.file("out.wav")), request: request)
        let queue = try PlayQueue(on: engine) { item, engine in QueueSound(try engine.load(item.source)) }
        queue.append(paths)
        try queue.start()
        try engine.start()
        try engine.waitUntilFinished()
        return try decode(scratch.file("out.wav"))
    }

    @Test(
        "a joint of two files is exact, and free of silence beyond the codec's own noise",
        arguments: codecs, cases(codecs, few: [codecs[0]]))
    func joint(first: Codec, second: Codec) throws {
        let halves = try Self.halves.get()
        let paths = [halves.file(first, 0), halves.file(second, 1)]
        let output = try Self.played(paths)
        let parts = try [(first, 0), (second, 1)].map { try #require(halves.decoded[$0.name])[$1] }
        #expect(parts[0][0].count == Self.cut && parts[1][0].count == Self.frameCount - Self.cut)
        #expect(output[0].count == Self.frameCount)
        // The engine adds nothing and loses nothing.
        for channel in 0..<2 { #expect(output[channel] == parts[0][channel] + parts[1][channel]) }
        if first.isLossless && second.isLossless {
            #expect(output == halves.source)
            return
        }
        for channel in 0..<2 {
            let (sound, source) = (output[channel], halves.source[channel])
            let error = difference(sound, source)
            for (side, range) in [(0, Self.cut - 960..<Self.cut), (1, Self.cut..<Self.cut + 960)] {
                let elsewhere = side == 0 ? error[10_000..<Self.cut - 10_000] : error[(Self.cut + 10_000)..<140_000]
                // The loudest 20 ms elsewhere: the noise of a codec goes with the sound.
                let noise =
                    stride(from: elsewhere.startIndex, to: elsewhere.endIndex - 960, by: 960)
                    .map { rms(elsewhere[$0..<$0 + 960]) }.max() ?? 0
                let here = rms(error[range])
                #expect(here <= noise, "\(side)")
            }
            // No silence: each millisecond around the joint is as loud as in the source.
            for start in stride(from: Self.cut - 480, to: Self.cut + 480, by: 48) {
                let (played, original) = (rms(sound[start..<start + 48]), rms(source[start..<start + 48]))
                #expect(played > original / 2 && played < original * 2, "\(start - Self.cut)")
            }
        }
    }

    /// A file of another rate and number of channels.
    struct Shape: Sendable, CustomTestStringConvertible {
        let rate, channels, frames: Int
        let codec: String
        var testDescription: String { "\(codec), \(rate) Hz, \(channels) channels" }
    }

    /// The files of all shapes.
    final class ShapeFiles: Sendable {
        private let scratch: Scratch

        init() throws {
            scratch = try Scratch()
            for shape in shapes {
                let input = scratch.file("in.wav")
                // A tone that lasts from the first frame to the last.
                let channel = (0..<shape.frames).map { 0.5 * tone(Double($0) * 440 / Double(shape.rate)) }
                try writeWave(
                    input, [[Float]](repeating: channel, count: shape.channels), sampleRate: shape.rate)
                let codec = try #require(codecs.first { $0.name == shape.codec })
                try codec.encode(input, to: file(shape))
            }
        }

        func file(_ shape: Shape) -> String { scratch.file(shape.testDescription) }

        private func tone(_ turns: Double) -> Float {
            // A parabola for each half of a turn: full from the first frame on.
            let phase = 2 * (turns - turns.rounded(.down)) - 1
            return Float(4 * phase * (1 - phase.magnitude))
        }
    }

    static let shapeFiles = Result { try ShapeFiles() }

    static let shapes = [
        Shape(rate: 44_100, channels: 1, frames: 40_001, codec: "FLAC"),
        Shape(rate: 48_000, channels: 2, frames: 30_011, codec: "WAV"),
        Shape(rate: 22_050, channels: 1, frames: 20_003, codec: "MP3"),
        Shape(rate: 96_000, channels: 2, frames: 70_007, codec: "FLAC"),
        Shape(rate: 44_100, channels: 2, frames: 50_021, codec: "M4A"),
    ]

    @Test(
        "a joint of any rates and channels has no surplus frame and no silence",
        arguments: shapes, cases(shapes, few: [shapes[0]]))
    func mixedShapes(first: Shape, second: Shape) throws {
        let files = try Self.shapeFiles.get()
        let output = try Self.played([files.file(first), files.file(second)], rate: 44_100)
        let lengths = [first, second].map { (Double($0.frames) * 44_100 / Double($0.rate)).rounded() }
        #expect(output[0].count == Int(lengths[0] + lengths[1]))
        let joint = Int(lengths[0])
        for channel in output {
            for start in stride(from: joint - 600, to: joint + 600, by: 100) {
                #expect(rms(channel[start..<start + 100]) > 0.2, "\(start - joint)")
            }
        }
    }

    @Test("a queue of a thousand files keeps few files open, and none at the end")
    func descriptors() throws {
        let (scratch, count) = (try Scratch(), cases(1000, few: 100))
        let sound = music(frameCount: 3000, channelCount: 1)
        try writeWave(scratch.file("in.wav"), sound)
        try run("flac", "-s", "-o", scratch.file("in.flac"), scratch.file("in.wav"))
        let open = {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return names.count { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                return target?.hasPrefix(scratch.file("in.")) ?? false
            }
        }
        var most = 0
        try {
            let output = SteppedOutput(rate: 44_100, channels: 1)
            let engine = Engine { _, _ in output }
            let queue = try PlayQueue(on: engine) { item, engine in QueueSound(try engine.load(item.source)) }
            queue.append((0..<count).map { scratch.file($0 % 2 == 0 ? "in.wav" : "in.flac") })
            try queue.start()
            try engine.start()
            var frames = 0
            while !output.hasEnded {
                frames += output.render(8192, block: 1024)[0].count
                most = max(most, open())
            }
            #expect(frames == 3000 * count)
        }()
        // The files opened ahead, the files of the last blocks, and the decoders' other files.
        #expect(most > 0 && most <= 64)
        #expect(eventually { open() == 0 })
    }
}
