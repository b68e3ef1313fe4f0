// The start of a band: the source itself until windows add up to the source.
internal import Samples

extension VocoderBand {
    /// Replaces the windows up to the first: writes the source itself, weighted to complement the sum of the later windows.
    ///
    /// Windows without rotation add up to the source, and so continue the source without a seam.
    /// - Parameters:
    ///   - from: The first output sample to fill, a multiple of eight.
    ///   - start: The source frame heard at output sample 0.
    ///   - interpolator: For a decimated band, whose samples lie at other frames than the output's samples.
    func fillStart(
        _ samples: borrowing SampleRing, from: Int, start: Int64, interpolator: borrowing BandInterpolator
    ) {
        let (weights, factor) = (windows.fill, Int64(factor))
        for channel in 0..<channelCount {
            if factor == 1 {
                for index in stride(from: from, to: weights.count, by: Lanes.scalarCount) {
                    let source = heard(
                        samples, channel: channel, from: start + Int64(index), count: Lanes.scalarCount)
                    output.write(source[lanes: 0] * weights[lanes: index], channel: channel, at: Int64(index))
                }
                continue
            }
            // Floor division by a power of two.
            let first = start & ~(factor - 1)
            let frame = Int(start - first)
            for index in from..<weights.count {
                let source = heard(
                    samples, channel: channel, from: first / factor + Int64(index) - Int64(BandShape.reach - 1),
                    count: BandInterpolator.sampleCount)
                let value = interpolator.value(source, frame: frame)
                output.write(value * weights[index], channel: channel, at: Int64(index))
            }
        }
    }
}
