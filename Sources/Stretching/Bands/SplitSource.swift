internal import Samples

/// One band of a block of a recording: channels × samples, sample `m` of the band at frame `m * factor`.
struct BandSamples: Sendable {
    let band: StretchBand
    /// Source frames per sample.
    let factor: Int
    /// Absolute index of the first sample of every channel.
    let firstIndex: Int64
    /// The samples, one array per channel, all of equal length.
    fileprivate(set) var channels: [[Float]]

    /// Absolute indices of the samples held.
    var range: Range<Int64> { firstIndex..<firstIndex + Int64(channels[0].count) }
}

/// A block of a recording split into its three bands, for analysis at load time.
///
/// Holds the same samples, bit for bit, that a stretcher computes from the same recording during playback, for any
/// start of the block or of playback. Samples closer to an end of the block than ``BandShape/contextFrames(of:)``
/// depend on the assumed silence outside. Real-time safe: no.
struct SplitSource: Sendable {
    /// The block that was split.
    let source: SourceBlock
    let shape: BandShape
    let low: BandSamples
    let middle: BandSamples
    let high: BandSamples

    /// Splits a whole block; every band's samples lie within the block.
    init(_ block: SourceBlock) {
        var split = BandSplit(
            channelCount: block.channels.count, sampleRate: block.sampleRate, acceptedFrames: 0, keptFrames: 0,
            runFrames: 0, runSamples: BandSplit.blockSamples)
        let shape = split.shape
        let unit = Int64(split.blockFrames)
        let context = Int64(shape.contextFrames(of: .high))
        split.restart(at: ((block.firstFrame - context) / unit - 1) * unit, bands: .three)
        let parts = StretchBand.allCases.map { Self.emptyBand($0, of: block, shape: shape) }
        var (low, middle, high) = (parts[0], parts[1], parts[2])
        let input = FloatStorage(count: block.channels.count * split.blockFrames)
        while split.dividedEnd < block.range.upperBound + context {
            Self.fill(input.view, from: split.acceptedEnd, of: block, blockFrames: split.blockFrames)
            let first = split.ends
            split.accept(input.view)
            split.split()
            let end = split.ends
            Self.append(to: &low, split.low.samples, first.low..<end.low, within: block.range)
            Self.append(to: &middle, split.middle.samples, first.middle..<end.middle, within: block.range)
            Self.append(to: &high, split.high, first.high..<end.high, within: block.range)
        }
        source = block
        self.shape = shape
        (self.low, self.middle, self.high) = (low, middle, high)
    }

    /// One band's samples.
    func samples(of band: StretchBand) -> BandSamples {
        switch band {
        case .low: low
        case .middle: middle
        case .high: high
        }
    }

    private static func emptyBand(_ band: StretchBand, of block: SourceBlock, shape: BandShape) -> BandSamples {
        let factor = Int64(shape.factor(of: band))
        let below = block.firstFrame / factor * factor
        // Growth by doubling would copy the arrays several times, and new memory is slow at its first use.
        let channels = block.channels.map { _ in
            var samples: [Float] = []
            samples.reserveCapacity(block.frameCount / Int(factor) + 1)
            return samples
        }
        return BandSamples(
            band: band, factor: Int(factor), firstIndex: below / factor + (below < block.firstFrame ? 1 : 0),
            channels: channels)
    }

    private static func fill(_ input: Floats, from first: Int64, of block: SourceBlock, blockFrames: Int) {
        for (channel, samples) in block.channels.enumerated() {
            let target = input.part(from: channel * blockFrames, count: blockFrames)
            let offset = Int(first - block.firstFrame)
            let inside = (-offset..<samples.count - offset).clamped(to: 0..<blockFrames)
            if inside.count < blockFrames { for index in 0..<blockFrames { target[index] = 0 } }
            for index in inside { target[index] = samples[offset + index] }
        }
    }

    private static func append(
        to part: inout BandSamples, _ ring: borrowing SampleRing, _ made: Range<Int64>, within frames: Range<Int64>
    ) {
        let factor = Int64(part.factor)
        let wanted =
            (frames.lowerBound - 1).gridIndex(step: factor) + 1..<(frames.upperBound - 1).gridIndex(step: factor) + 1
        let kept = made.clamped(to: wanted)
        guard !kept.isEmpty else { return }
        for channel in part.channels.indices {
            let run = ring.run(channel: channel, from: kept.lowerBound, count: kept.count)
            unsafe part.channels[channel].append(contentsOf: UnsafeBufferPointer(start: run.base, count: run.count))
        }
    }
}
