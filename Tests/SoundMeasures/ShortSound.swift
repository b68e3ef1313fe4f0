public import TestSupport

/// Interleaved 16-bit sound.
public struct ShortSound: Sendable {
    /// Number of channels, 1 or more.
    public let channelCount: Int
    /// Samples, frame after frame.
    public var samples: [Int16]

    /// Makes a sound of given samples, a multiple of `channelCount` of them.
    public init(channelCount: Int, samples: [Int16]) {
        self.channelCount = channelCount
        self.samples = samples
    }

    /// Number of frames.
    public var frameCount: Int { samples.count / channelCount }

    /// Noise with silence, full scale and steps, so that extremes lie everywhere.
    public static func lively(channelCount: Int, frameCount: Int, random: inout SeededGenerator) -> ShortSound {
        var level: Int32 = 1000
        let samples = (0..<channelCount * frameCount).map { _ in
            if UInt8.random(in: .min ... .max, using: &random) == 0 {
                level = [0, 1, 300, 20_000, 32_767].randomElement(using: &random) ?? 0
            }
            return Int16(clamping: Int32.random(in: -level - 1...level, using: &random))
        }
        return ShortSound(channelCount: channelCount, samples: samples)
    }
}
