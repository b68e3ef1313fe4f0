// BandSplit: splits a source into three bands, block by block, as it arrives.
//
// Sample m of a band lies at frame m * factor of the recording, for any start of the split. The bands made at load time
// therefore match the bands made during playback bit for bit. Samples near the start of a split are invalid until a
// context of source frames has passed.

internal import CSampleLoops
internal import Samples

/// Splits a source, supplied in contiguous blocks, into a low, a middle and a high band.
///
/// ``accept(_:)`` takes blocks; ``split()`` splits one block a call, in the same order. A caller can therefore supply
/// many blocks at once and split them gradually. Real-time safe: all but `init`.
struct BandSplit: ~Copyable {
    /// Samples of the middle band made from one input block.
    static let blockSamples = 64
    let shape: BandShape
    /// Every band at its own rate. With one band, the high band is the whole source.
    let low: FilteredRing
    let middle: FilteredRing
    let high: SampleRing
    let lowInterpolator: BandInterpolator
    let middleInterpolator: BandInterpolator

    /// The unprocessed source, the source at the middle band's rate, and the latter without the low band.
    let source: SampleRing
    private let decimated: FilteredRing
    private let rest: SampleRing
    private let highPart: FloatStorage

    /// The first source frame accepted since the start.
    private(set) var firstFrame: Int64 = 0
    /// The first source frame not yet accepted, and the first source frame not yet split.
    private(set) var acceptedEnd: Int64 = 0
    private(set) var dividedEnd: Int64 = 0
    private var isWhole = false

    /// One past the last sample of each band, and of the steps between.
    struct Ends {
        let decimated: Int64
        let low: Int64
        let rest: Int64
        let middle: Int64
        let high: Int64
    }

    /// - Parameters:
    ///   - acceptedFrames: Maximum number of source frames waiting for the split.
    ///   - keptFrames: Source frames before the newest frame for which the bands stay readable.
    ///   - runFrames: The longest run of the high band that a caller reads, in frames.
    ///   - runSamples: The longest run of a lower band that a caller reads, in samples of that band.
    init(
        channelCount: Int, sampleRate: Int, acceptedFrames: Int, keptFrames: Int, runFrames: Int, runSamples: Int
    ) {
        let shape = BandShape(sampleRate: sampleRate)
        self.shape = shape
        let factor = shape.factor
        let blockFrames = Self.blockSamples * factor
        let history = shape.contextFrames(of: .high) + 2 * blockFrames
        source = SampleRing(
            channelCount: channelCount, sampleCount: acceptedFrames + history,
            runCount: max(blockFrames, shape.decimation.count))
        decimated = FilteredRing(
            SampleRing(channelCount: channelCount, sampleCount: history / factor, runCount: shape.lowPass.count),
            coefficients: shape.decimation, half: BandShape.reach * factor - 1, step: factor)
        rest = SampleRing(channelCount: channelCount, sampleCount: history / factor, runCount: shape.middlePass.count)
        // The high band is made last, and reads the lower bands further back.
        let kept = keptFrames + history
        let run = max(runSamples, BandInterpolator.sampleCount + Self.highRun)
        low = FilteredRing(
            SampleRing(channelCount: channelCount, sampleCount: kept / (2 * factor), runCount: run),
            coefficients: shape.lowPass, half: shape.lowHalf, step: 2)
        middle = FilteredRing(
            SampleRing(channelCount: channelCount, sampleCount: kept / factor, runCount: run),
            coefficients: shape.middlePass, half: shape.middleHalf, step: 1)
        high = SampleRing(
            channelCount: channelCount, sampleCount: max(keptFrames, 2 * blockFrames),
            runCount: max(runFrames, blockFrames))
        highPart = FloatStorage(count: Self.highRun * factor)
        lowInterpolator = BandInterpolator(factor: 2 * factor)
        middleInterpolator = BandInterpolator(factor: factor)
    }

    var channelCount: Int { source.channelCount }
    /// Frames of one input block: 512 at 44.1 kHz. Blocks begin at multiples of this length.
    var blockFrames: Int { Self.blockSamples * shape.factor }

    /// The ends that the source split so far allows. With one band, only the high band gets samples.
    var ends: Ends {
        let reach = Int64(BandShape.reach)
        let decimated = (isWhole ? firstFrame : dividedEnd) / Int64(shape.factor) - reach + 1
        let low = (decimated - Int64(shape.lowHalf) + 1) >> 1
        let rest = 2 * (low - reach)
        let middle = rest - Int64(shape.middleHalf)
        // Whole groups of frames, one group per sample of the low band.
        let high = isWhole ? dividedEnd : Int64(2 * shape.factor) * ((middle - reach) >> 1)
        return Ends(decimated: decimated, low: low, rest: rest, middle: middle, high: high)
    }

    /// Starts again; the next block accepted begins at `first`, a multiple of ``blockFrames``.
    ///
    /// With one band, the high band is the unchanged source and the other bands are not computed.
    mutating func restart(at first: Int64, bands: StretchBands) {
        precondition(first % Int64(blockFrames) == 0, "Blocks lie at multiples of their length.")
        isWhole = bands.isWhole
        firstFrame = first
        acceptedEnd = first
        dividedEnd = first
    }

    /// Takes the next block, channel after channel, and silences invalid samples. The block is split later, by
    /// ``split()``.
    mutating func accept(_ input: Floats) {
        for channel in 0..<channelCount {
            let samples = input.part(from: channel * blockFrames, count: blockFrames)
            for index in stride(from: 0, to: blockFrames, by: Lanes.scalarCount) {
                source.write(
                    audible(samples[lanes: index]), channel: channel, at: acceptedEnd &+ Int64(index))
            }
        }
        acceptedEnd += Int64(blockFrames)
    }

    /// Splits the oldest waiting block.
    mutating func split() {
        precondition(dividedEnd < acceptedEnd, "There is no block to divide.")
        let first = ends
        dividedEnd += Int64(blockFrames)
        if isWhole {
            for channel in 0..<channelCount { copyBlock(channel) }
            return
        }
        let end = ends
        for channel in 0..<channelCount {
            decimated.make(first.decimated..<end.decimated, from: source, channel: channel)
            low.make(first.low..<end.low, from: decimated.samples, channel: channel)
            makeRest(channel, first.rest..<end.rest)
            middle.make(first.middle..<end.middle, from: rest, channel: channel)
            makeHigh(channel, first.high..<end.high)
        }
    }
}

// MARK: - The steps, each for one channel and a range of its samples

extension BandSplit {
    private func copyBlock(_ channel: Int) {
        let first = dividedEnd - Int64(blockFrames)
        let samples = source.run(channel: channel, from: first, count: blockFrames)
        for index in stride(from: 0, to: blockFrames, by: Lanes.scalarCount) {
            high.write(samples[lanes: index], channel: channel, at: first &+ Int64(index))
        }
    }

    /// Writes the source at the middle band's rate minus the interpolated low band.
    private func makeRest(_ channel: Int, _ range: Range<Int64>) {
        var index = range.lowerBound
        while index < range.upperBound {
            let whole = decimated.samples.run(channel: channel, from: index, count: 1)[0]
            let below = low.samples.run(
                channel: channel, from: (index >> 1) - Int64(BandShape.reach - 1), count: BandInterpolator.sampleCount)
            let given = lowInterpolator.value(below, frame: Int(index & 1) * shape.factor)
            rest.write(whole - given, channel: channel, at: index)
            index += 1
        }
    }

    /// Writes the source minus both interpolated lower bands, in groups of frames that share band samples.
    private func makeHigh(_ channel: Int, _ range: Range<Int64>) {
        let (factor, count) = (shape.factor, BandInterpolator.sampleCount)
        let before = Int64(BandShape.reach - 1)
        var frame = range.lowerBound
        while frame < range.upperBound {
            // Each run begins at a sample of the low band, and covers several samples of the low band.
            let sample = frame / Int64(factor)
            let samples = min(Self.highRun, Int(range.upperBound - frame) / factor)
            let lows = low.samples.run(channel: channel, from: (sample >> 1) - before, count: samples / 2 + count)
            let middles = middle.samples.run(channel: channel, from: sample - before, count: samples + count)
            let whole = source.run(channel: channel, from: frame, count: samples * factor)
            if factor >= Lanes.scalarCount {
                let rest = highPart.view
                unsafe subtract_bands(
                    whole.base, lows.base, lowInterpolator.weights.view.base, middles.base,
                    middleInterpolator.weights.view.base, factor, samples * factor, rest.base)
                for index in stride(from: 0, to: samples * factor, by: Lanes.scalarCount) {
                    high.write(rest[lanes: index], channel: channel, at: frame &+ Int64(index))
                }
            } else {
                for index in 0..<samples * factor {
                    let given = lowInterpolator.value(
                        lows.part(from: index / (2 * factor), count: count), frame: index % (2 * factor))
                    let middle = middleInterpolator.value(
                        middles.part(from: index / factor, count: count), frame: index % factor)
                    high.write(whole[index] - (given + middle), channel: channel, at: frame &+ Int64(index))
                }
            }
            frame += Int64(samples * factor)
        }
    }

    /// Samples of the middle band for which the high band is made in one run; an even number.
    private static var highRun: Int { 8 }
}

/// Replaces invalid source samples by silence: NaN, infinity, and values that would overflow when squared.
///
/// A comparison with NaN is false, so one test catches all three.
@inline(__always)
func audible(_ samples: Lanes) -> Lanes {
    select(magnitude(samples) .<= Float(1 << 20), samples, Lanes())
}

/// Returns the sum of products over whole lanes, in two chains that hide each other's latency.
@inline(__always)
func dotProduct(_ samples: Floats, _ filter: Floats) -> Float {
    precondition(samples.count >= filter.count && filter.count % Lanes.scalarCount == 0)
    return unsafe dot_product(samples.base, filter.base, filter.count)
}
