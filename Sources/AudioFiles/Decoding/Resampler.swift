// Converts between fixed sample rates with libsoxr at its highest quality. A new converter converts each range,
// starting at a frame common to both rates. The samples therefore depend only on the file and on the range.
internal import CSoxr
internal import Glibc

/// The ratio of two sample rates in lowest terms, and the conversion of positions.
package struct RateRatio: Sendable, Equatable {
    /// Number of source frames per `output` frames.
    package let source: Int64
    /// Number of output frames per `source` frames.
    package let output: Int64

    package init(sourceRate: Int, outputRate: Int) {
        var (a, b) = (sourceRate, outputRate)
        while b != 0 { (a, b) = (b, a % b) }
        source = Int64(sourceRate / a)
        output = Int64(outputRate / a)
    }

    /// Returns the output frame nearest to a source frame; halves go up. Exact for any frame of a file. A frame beyond
    /// ±2^42, far outside of any file, counts as ±2^42: a damaged store can hold any number.
    package func outputFrame(nearest sourceFrame: Int64) -> Int64 {
        floorDivide(2 * Self.limited(sourceFrame) * output + source, 2 * source)
    }

    /// Returns the source frame nearest to an output frame; halves go up. Limited as ``outputFrame(nearest:)``.
    package func sourceFrame(nearest outputFrame: Int64) -> Int64 {
        floorDivide(2 * Self.limited(outputFrame) * source + output, 2 * output)
    }

    /// Keeps every product of a frame and a rate within 64 bits.
    private static func limited(_ frame: Int64) -> Int64 { min(max(frame, -(1 << 42)), 1 << 42) }
}

/// Divides, rounding towards minus infinity; `divisor` is positive.
func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    let quotient = dividend / divisor
    return dividend % divisor < 0 ? quotient - 1 : quotient
}

/// Frames needed for a conversion.
struct ConversionPlan: Equatable {
    /// Range of source frames needed; frames outside the file are silence.
    let source: Range<Int64>
    /// Number of converted frames to drop before the first requested frame.
    let leadIn: Int

    /// Creates a plan for the output frames `wanted`.
    init(wanted: Range<Int64>, ratio: RateRatio) {
        // The filter of libsoxr's highest quality reaches 142 frames of the lower rate to each side (measured down to
        // 1e-8).
        let reach: Int64 = 512
        let margin = reach * max(1, (ratio.output + ratio.source - 1) / ratio.source)
        // Source and output frames coincide only at multiples of both terms. A conversion starting there has no phase
        // error.
        let step = floorDivide(wanted.lowerBound - margin, ratio.output)
        let end = floorDivide((wanted.upperBound + margin) * ratio.source, ratio.output)
        source = step * ratio.source..<(end + reach * max(1, ratio.source / ratio.output))
        leadIn = Int(wanted.lowerBound - step * ratio.output)
    }
}

/// Converts a range of planar audio.
struct Resampler {
    let channelCount: Int
    let sourceRate: Int
    let outputRate: Int

    /// Converts `sourceCount` frames, drops `leadIn`, and writes `count`.
    ///
    /// - Parameters:
    ///   - source: Channel `c` begins at `source + c * sourceStride`.
    ///   - output: Channel `c` goes to `output + c * outputStride`.
    /// - Returns: True if the library succeeded. The library fails only if memory runs out.
    func convert(
        _ source: UnsafePointer<Float>, sourceStride: Int, sourceCount: Int, droppingFirst leadIn: Int,
        into output: UnsafeMutablePointer<Float>, outputStride: Int, count: Int
    ) -> Bool {
        var quality = unsafe soxr_quality_spec(UInt(SOXR_28_BITQ), UInt(SOXR_HI_PREC_CLOCK))
        var format = unsafe soxr_io_spec(SOXR_FLOAT32_S, SOXR_FLOAT32_S)
        let made = unsafe soxr_create(
            Double(sourceRate), Double(outputRate), UInt32(channelCount), nil, &format, &quality, nil)
        guard let converter = unsafe made else { return false }
        defer { unsafe soxr_delete(converter) }
        let chunk = 4096
        let scratch = UnsafeMutablePointer<Float>.allocate(capacity: chunk * channelCount)
        defer { unsafe scratch.deallocate() }
        let inputs = UnsafeMutablePointer<UnsafePointer<Float>>.allocate(capacity: channelCount)
        defer { unsafe inputs.deallocate() }
        let outputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: channelCount)
        defer { unsafe outputs.deallocate() }
        for channel in 0..<channelCount { unsafe outputs[channel] = scratch + channel * chunk }

        var (consumed, produced) = (0, 0)
        while produced < leadIn + count {
            let given = min(chunk, sourceCount - consumed)
            for channel in 0..<channelCount {
                unsafe inputs[channel] = source + channel * sourceStride + consumed
            }
            var (taken, made) = (0, 0)
            let failure = unsafe soxr_process(converter, given > 0 ? inputs : nil, given, &taken, outputs, chunk, &made)
            if unsafe failure != nil || (given == 0 && made == 0) { return false }
            // Of this chunk, the output frames `produced ..< produced + made`, keep the part in the requested range.
            let (first, last) = (max(produced, leadIn), min(produced + made, leadIn + count))
            if first < last {
                for channel in 0..<channelCount {
                    let target = unsafe output + channel * outputStride + (first - leadIn)
                    unsafe target.update(from: scratch + channel * chunk + (first - produced), count: last - first)
                }
            }
            consumed += taken
            produced += made
        }
        return true
    }
}
