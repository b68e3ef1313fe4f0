internal import Samples

/// Mapping of a clip's channels to a device with another number of channels.
///
/// Equal counts: one to one, samples copied bit for bit. Mono clip: to every device channel. Mono device: the mean.
/// Otherwise channel by channel: a device channel without a counterpart is silent, and a clip channel without a
/// counterpart is left out.
enum ChannelMap {
    /// Writes, or adds, `frameCount` frames of `source` into `output` from `offset` on.
    ///
    /// - Parameters:
    ///   - output: `outputCount` channels of at least `offset + frameCount` frames.
    ///   - adds: false replaces the contents of `output`.
    ///
    /// Real-time safe: yes.
    static func mix(
        _ source: borrowing PlanarBuffer, from sourceCount: Int,
        into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, to outputCount: Int, offset: Int,
        frameCount: Int, adds: Bool
    ) {
        if outputCount == 1 && sourceCount > 1 {
            unsafe mixDown(
                source, from: sourceCount, into: output[0] + offset, frameCount: frameCount, adds: adds)
            return
        }
        for channel in 0..<outputCount {
            // Sound because the caller vouches for the lengths, and both channel numbers are below their counts.
            let samples = unsafe output[channel] + offset
            if sourceCount == 1 {
                unsafe mix(source.channel(0), into: samples, frameCount: frameCount, adds: adds)
            } else if channel < sourceCount {
                unsafe mix(source.channel(channel), into: samples, frameCount: frameCount, adds: adds)
            } else if !adds {
                for index in 0..<frameCount { unsafe samples[index] = 0 }
            }
        }
    }

    private static func mix(
        _ source: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, frameCount: Int, adds: Bool
    ) {
        if adds {
            for index in 0..<frameCount { unsafe output[index] += source[index] }
        } else {
            for index in 0..<frameCount { unsafe output[index] = source[index] }
        }
    }

    private static func mixDown(
        _ source: borrowing PlanarBuffer, from sourceCount: Int, into output: UnsafeMutablePointer<Float>,
        frameCount: Int, adds: Bool
    ) {
        let scale = 1 / Float(sourceCount)
        for index in 0..<frameCount {
            var sum: Float = 0
            for channel in 0..<sourceCount { unsafe sum += source.channel(channel)[index] }
            unsafe output[index] = (adds ? output[index] : 0) + sum * scale
        }
    }
}
