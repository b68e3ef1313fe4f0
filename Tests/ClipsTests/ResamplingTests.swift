import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Clips

@Suite struct ResamplingTests {
    private static func sine(_ hertz: Double, rate: Int, frameCount: Int) -> [Float] {
        (0..<frameCount).map { Float(0.5 * sin(2 * .pi * hertz * Double($0) / Double(rate))) }
    }

    /// A clip that converts `channels` on the fly.
    private static func clip(_ channels: [[Float]], from rate: Int, to output: Int) throws -> Clip {
        try Clip(MemoryDecoder(channels, sampleRate: rate), sampleRate: output, memoryBudget: 1 << 20)
    }

    @Test(
        "a resampled sine has no other component above -140 dB, across pages too",
        arguments: [(44_100, 48_000), (48_000, 44_100), (96_000, 44_100), (44_100, 44_101)])
    func precision(rates: (source: Int, output: Int)) throws {
        let clip = try Self.clip(
            [Self.sine(997, rate: rates.source, frameCount: rates.source)], from: rates.source, to: rates.output)
        // The ends of the file are steps in the signal, which no converter can keep.
        let (start, count) = (2000, rates.output - 4000)
        let samples = try read(clip, Int64(start)..<Int64(start + count))[0]
        var (signal, error) = (0.0, 0.0)
        for (i, sample) in samples.enumerated() {
            let ideal = 0.5 * sin(2 * .pi * 997 * Double(start + i) / Double(rates.output))
            signal += ideal * ideal
            error += (Double(sample) - ideal) * (Double(sample) - ideal)
        }
        // Rounding to Float32 alone leaves about 150 dB.
        let ratio = 10 * log10(signal / error)
        #expect(ratio >= 140, "\(ratio) dB")
    }

    @Test(
        "a resampled click lands on the frame nearest to its time",
        arguments: [(44_100, 48_000), (48_000, 44_100), (8000, 48_000)])
    func click(rates: (source: Int, output: Int)) throws {
        var samples = [Float](repeating: 0, count: rates.source * 2)
        let frame = rates.source
        samples[frame] = 1
        let clip = try Self.clip([samples], from: rates.source, to: rates.output)
        let around = try read(clip, Int64(rates.output - 1000)..<Int64(rates.output + 1000))[0]
        let peak = try #require(around.indices.max { abs(around[$0]) < abs(around[$1]) })
        #expect(peak == 1000)
        #expect(clip.frame(forFileFrame: Int64(frame)) == Int64(rates.output))
        #expect(clip.frameCount == Int64(rates.output * 2))
        // A frame of any size has a place, beyond the ends.
        #expect(clip.frame(forFileFrame: .max) > clip.frameCount && clip.frame(forFileFrame: .min) < 0)
        #expect(clip.fileFrame(forFrame: .max) > clip.info.frameCount && clip.fileFrame(forFrame: .min) < 0)
    }

    @Test("a converted recording is finite, however large its samples are")
    func finite() throws {
        // Pulses of random lengths: the filter rings beyond their height.
        var generator = SeededGenerator(printedFor: #function)
        var samples: [Float] = []
        while samples.count < 20_000 {
            let height: Float = samples.count % 2 == 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude
            samples += [Float](repeating: height, count: Int.random(in: 1...40, using: &generator))
        }
        let converted = try readAll(Self.clip([samples], from: 44_100, to: 48_000))[0]
        #expect(converted.allSatisfy(\.isFinite) && converted.contains { $0 > 1e38 })
    }

    @Test("resampled pages have the same bits in any order of access")
    func order() throws {
        let source = music(frameCount: 150_000, channelCount: 1)
        let forward = try readAll(Self.clip(source, from: 44_100, to: 48_000))[0]
        let shuffled = try Self.clip(source, from: 44_100, to: 48_000)
        var generator = SeededGenerator(printedFor: #function)
        for _ in 0..<12 {
            let start = Int.random(in: 0..<forward.count - 5000, using: &generator)
            let piece = try read(shuffled, Int64(start)..<Int64(start + 5000))[0]
            #expect(piece == Array(forward[start..<start + 5000]), "\(generator)")
        }
    }

    @Test("a rate of more than 2000 times another is refused at the opening, and usual rates convert to all others")
    func farRates() throws {
        func refusal(_ rate: Int, _ output: Int) -> AudioFileError? {
            do throws(AudioFileError) {
                _ = try Clip(MemoryDecoder([[0.5, -0.5]], sampleRate: rate), sampleRate: output, memoryBudget: 1 << 20)
                return nil
            } catch {
                return error
            }
        }
        for (rate, output) in [(1, 48_000), (23, 48_000), (48_000, 1), (768_000, 383)] {
            let error = try #require(refusal(rate, output), "\(rate) Hz to \(output) Hz")
            #expect(error.kind == .unsupported && error.remedy.contains("44100"))
            #expect(error.message.contains("\(rate) Hz") && error.message.contains("\(output) Hz"))
        }
        for (rate, output) in [(1, 1), (24, 48_000), (4000, 768_000), (768_000, 8000), (768_000, 384)] {
            #expect(refusal(rate, output) == nil, "\(rate) Hz to \(output) Hz")
        }
    }

    @Test("positions of a resampled clip map to the nearest frame and back")
    func mapping() {
        let ratio = RateRatio(sourceRate: 44_100, outputRate: 48_000)
        #expect(ratio.source == 147 && ratio.output == 160)
        #expect([0, 1, 2, 147, -147, -1].map(ratio.outputFrame(nearest:)) == [0, 1, 2, 160, -160, -1])
        #expect(ratio.sourceFrame(nearest: 160) == 147)
        // The longest file at the most distant rates stays within 64 bits.
        let far = RateRatio(sourceRate: 1, outputRate: 768_000)
        #expect(far.outputFrame(nearest: 1 << 40) == (1 << 40) * 768_000)
        // A place from a damaged store may be any number: it stays far outside of any file.
        for rates in [ratio, far, RateRatio(sourceRate: 768_000, outputRate: 1)] {
            for place in [Int64.max, 1 << 53] {
                #expect(rates.outputFrame(nearest: place) == rates.outputFrame(nearest: 1 << 42))
                #expect(rates.sourceFrame(nearest: -place) == rates.sourceFrame(nearest: -(1 << 42)))
            }
            #expect(rates.outputFrame(nearest: .min) < 0 && rates.sourceFrame(nearest: .min) < 0)
        }
    }
}
