import AudioFiles
import EngineHarness
import Foundation
import Glibc
import SoundMeasures
import TestSupport
import Testing
@_spi(Benchmarks) import Transforms

@testable import Clips
@testable import Engine

/// Compares the bits of renders with `table.txt`, as a proof that a change of the code left the sound unchanged.
///
/// A change of the sound on purpose writes the table anew, in a commit that names the changed rows and the reason:
/// `WOODSHED_RENDERS=write scripts/tests/test-rtsan.sh --filter RenderTableTests`.
@Suite("The table of renders")
struct RenderTableTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "table.txt")

    private static let isWriting = ProcessInfo.processInfo.environment["WOODSHED_RENDERS"] == "write"

    @Test(
        "every render has the bits that the table gives", .enabled(if: Workload.isWhole),
        .enabled(if: isForThisMachine, "the table is of a machine with another processor or other libraries"))
    func bits() throws {
        let table = Self.isWriting ? [:] : try Self.table()
        var lines = ["machine \(Self.machine)"]
        for example in RenderCase.all {
            let sound = try example.render()
            #expect(sound.failure == nil && sound.starvedFrames == 0, "\(example.name)")
            var print = Fingerprint()
            sound.prints.forEach { print.add($0) }
            let bits = "\(sound.frameCount) \(print.text)"
            if !Self.isWriting { #expect(bits == table[example.name], "\(example.name)") }
            lines.append("\(bits) \(example.name)")
        }
        if Self.isWriting { try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: Self.file) }
        #expect(Self.isWriting || table.count == RenderCase.all.count, "a row of the table has no render")
    }

    @Test("a change of one bit of the sound changes the fingerprint")
    func sensitivity() {
        var (one, other) = (Fingerprint(), Fingerprint())
        one.add([0.25, -0.5, 1])
        other.add([0.25, -0.5, Float(1).nextUp])
        #expect(one != other)
    }

    /// The bits of each render, by its name: the frames and the fingerprint.
    private static func table() throws -> [String: String] {
        let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n").dropFirst()
        return Dictionary(
            lines.map { line in
                let parts = line.split(separator: " ", maxSplits: 2)
                return (String(parts[2]), "\(parts[0]) \(parts[1])")
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Fourier transforms, conversions of rates and the C library's functions have other last bits with other
    /// instructions or versions. Their results on this machine are in the table's first line.
    private static let machine: String = {
        var print = Fingerprint()
        let noise = testClip(channels: 1, frames: 16_384, rate: 44_100, seed: 4)[0]
        for size in [256, 512, 1024, 2048, 4096, 8192, 16_384] {
            var transform = RealFourierTransform(size: size)
            for index in 0..<size { unsafe transform.frames[index] = noise[index] }
            transform.forward()
            unsafe print.add(transform.spectrum)
            transform.inverse()
            unsafe print.add(transform.frames)
        }
        for value in noise.prefix(1000).map(Double.init) {
            for result in [
                sin(9 * value), cos(9 * value), exp(value), log(1 + abs(value)), pow(2, value), atan2(value, 0.3),
            ] {
                print.add(result.bitPattern)
            }
        }
        for sound in RenderCase.Sound.allCases { sound.samples.forEach { print.add($0) } }
        var converted = [Float](repeating: 0, count: 8192)
        _ = try? unsafe RateReader(MemoryDecoder([noise], sampleRate: 44_100), sampleRate: 48_000).read(
            1000..<9192, into: &converted, stride: converted.count)
        print.add(converted)
        return print.text
    }()

    private static let isForThisMachine: Bool =
        isWriting
        || (try? String(decoding: Data(contentsOf: file), as: UTF8.self).hasPrefix("machine \(machine)\n")) ?? true
}
