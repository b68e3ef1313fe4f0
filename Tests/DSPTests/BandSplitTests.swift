import DSPHarness
internal import Glibc
import TestSupport
import Testing

@testable import Samples
@testable import Stretching

@Suite("Band split")
struct BandSplitTests {
    /// Playback's output of a decimated band in one frame.
    private func given(_ part: BandSamples, _ interpolator: borrowing BandInterpolator, channel: Int, at frame: Int64)
        -> Float
    {
        let sample = frame / Int64(part.factor)
        let first = Int(sample - part.firstIndex) - BandShape.reach + 1
        let samples = FloatStorage(Array(part.channels[channel][first..<first + BandInterpolator.sampleCount]))
        return interpolator.value(samples.view, frame: Int(frame % Int64(part.factor)))
    }

    @Test("the outputs of the bands add up to the source", arguments: [8000, 22050, 44100, 192_000])
    func bandsAddUp(sampleRate: Int) {
        var random = SeededGenerator(printedFor: "bandsAddUp")
        let shape = BandShape(sampleRate: sampleRate)
        let context = shape.contextFrames(of: .high)
        let frames = 2 * context + 700
        let source = [random.noise(frames), random.noise(frames)]
        let split = SplitSource(SourceBlock(source, firstFrame: 12345, sampleRate: sampleRate))
        let low = BandInterpolator(factor: split.low.factor)
        let middle = BandInterpolator(factor: split.middle.factor)
        var largest: Float = 0
        for frame in context + 100..<context + 600 {
            let at = Int64(12345 + frame)
            for channel in 0..<2 {
                let high = split.high.channels[channel][Int(at - split.high.firstIndex)]
                let sum =
                    high + given(split.low, low, channel: channel, at: at)
                    + given(split.middle, middle, channel: channel, at: at)
                largest = max(largest, abs(sum - source[channel][frame]))
            }
        }
        // Three numbers below 1, each rounded to 6e-8.
        #expect(largest < 3e-7)
    }

    @Test("a filtered ring has a sum of products for each step of its source", arguments: [1, 2, 8])
    func filteredRing(step: Int) {
        var random = SeededGenerator(printedFor: "filteredRing")
        let (source, coefficients, half) = (random.noise(600), random.noise(40), 17)
        let given = SampleRing(channelCount: 2, sampleCount: 600, runCount: 40)
        for (index, sample) in source.enumerated() { given.write(sample, channel: 1, at: Int64(index - 100)) }
        let made = FilteredRing(
            SampleRing(channelCount: 2, sampleCount: 600, runCount: 8), coefficients: coefficients, half: half,
            step: step)
        // In two pieces, from a place before the recording on.
        let (first, end) = (Int64(-72 / step), Int64(400 / step))
        made.make(first..<20, from: given, channel: 1)
        made.make(20..<end, from: given, channel: 1)
        for index in first..<end {
            let newest = Int(index) * step + half + 100
            var expected = 0.0
            for (tap, coefficient) in coefficients.enumerated() {
                expected += Double(coefficient) * Double(source[newest - coefficients.count + 1 + tap])
            }
            let value = made.samples.run(channel: 1, from: index, count: 1)[0]
            // Forty products below 1, each rounded to 6e-8.
            #expect(abs(Double(value) - expected) < 5e-6)
        }
    }

    @Test("each band contains its own part of the spectrum", arguments: [8000, 44100, 48000])
    func bandsAreSeparate(sampleRate: Int) {
        let context = BandShape(sampleRate: sampleRate).contextFrames(of: .high)
        let frames = 3 * context + sampleRate / 4
        for (frequency, own) in [(100.0, StretchBand.low), (440, .middle), (600, .middle), (1000, .high)] {
            let tone = tones([frequency], amplitude: 0.5, frameCount: frames, sampleRate: sampleRate)
            let split = SplitSource(SourceBlock([tone], firstFrame: 0, sampleRate: sampleRate))
            for band in StretchBand.allCases {
                let part = split.samples(of: band)
                let skipped = context / part.factor + 8
                let level = decibels(power(part.channels[0].dropFirst(skipped).dropLast(skipped)) / 0.125)
                // Half a quarter second of a tone is not always whole periods; stop bands lie at 80 dB and deeper.
                if band == own { #expect(abs(level) < 0.2) } else { #expect(level < -75) }
            }
        }
    }

    @Test("a band's samples do not depend on the division into blocks")
    func absoluteAlignment() {
        var random = SeededGenerator(printedFor: "absoluteAlignment")
        let context = BandShape(sampleRate: 44100).contextFrames(of: .high)
        let source = random.noise(4 * context)
        let whole = SplitSource(SourceBlock([source], firstFrame: -777, sampleRate: 44100))
        let cut = context / 3 + 5
        let part = SplitSource(
            SourceBlock([Array(source[cut...])], firstFrame: Int64(cut - 777), sampleRate: 44100))
        for band in StretchBand.allCases {
            let (all, some) = (whole.samples(of: band), part.samples(of: band))
            let margin = context / all.factor + 1
            let from = some.firstIndex + Int64(margin)
            let length = some.channels[0].count - margin
            #expect(length > 100)
            #expect(
                Array(some.channels[0][margin...])
                    == Array(all.channels[0][Int(from - all.firstIndex)...].prefix(length)))
        }
    }

    @Test("a band split counts samples that are not finite or absurdly large as silence")
    func badSamples() {
        var random = SeededGenerator(printedFor: "badSamples")
        var clean = random.noise(512)
        var split = BandSplit(
            channelCount: 1, sampleRate: 44100, acceptedFrames: 0, keptFrames: 0, runFrames: 0, runSamples: 0)
        let input = FloatStorage(clean)
        (input.view[7], input.view[8], input.view[300]) = (.nan, -.infinity, 3e6)
        (clean[7], clean[8], clean[300]) = (0, 0, 0)
        split.restart(at: -1024, bands: .one)
        split.accept(input.view)
        split.split()
        let heard = split.high.run(channel: 0, from: -1024, count: 512)
        #expect((0..<512).allSatisfy { heard[$0] == clean[$0] })
    }
}
