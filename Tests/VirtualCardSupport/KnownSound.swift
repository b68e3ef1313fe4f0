// The sound played on cards by tests. Here and not beside the tests, which are compiled without optimisation: a loop
// over samples takes a hundred times as long there.

/// A sound whose every sample is known, so that a test finds each frame again.
public enum KnownSound {
    /// A sample identifying frame and channel; some samples fall between the steps of every integer format, some
    /// beyond.
    public static func sample(frame: Int, channel: Int) -> Float {
        let mixed = UInt32(truncatingIfNeeded: frame &* 64 &+ channel) &* 2_654_435_761
        return Float(Int32(bitPattern: mixed)) / 0x1p31 * 1.05
    }

    /// Some frames of a channel.
    public static func channel(_ channel: Int, frames: Range<Int>) -> [Float] {
        frames.map { sample(frame: $0, channel: channel) }
    }

    /// Some frames of the first channels, interleaved.
    public static func interleaved(_ frames: Range<Int>, channelCount: Int) -> [Float] {
        var samples: [Float] = []
        samples.reserveCapacity(frames.count * channelCount)
        for frame in frames {
            for channel in 0..<channelCount { samples.append(sample(frame: frame, channel: channel)) }
        }
        return samples
    }
}

extension VirtualCardRig {
    /// Whether the card played these frames of the known sound, from a device frame on.
    public func heardKnownSound(_ frames: Range<Int>, from first: Int64, channelCount: Int) -> Bool {
        let expected = KnownSound.interleaved(frames, channelCount: channelCount)
        let heard = heard(from: first, count: frames.count, channelCount: channelCount)
        return heard.count == expected.count && zip(heard, expected).allSatisfy { $0 == Double($1) }
    }

    /// Whether the card was silent for `count` frames, from a device frame on.
    public func wasSilent(_ count: Int, from first: Int64, channelCount: Int) -> Bool {
        heard(from: first, count: count, channelCount: channelCount).allSatisfy { $0 == 0 }
    }
}
