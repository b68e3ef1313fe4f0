// Rounds floating-point samples to the values stored in a file.

/// Changes samples to the values that a file of a given format will return. Reports about a take during its writing
/// then match the file bit for bit.
///
/// The file itself does not change: storing a rounded sample again has no effect. Real-time safe: no.
package struct StoredSamples: Sendable {
    private var encoder: WaveSampleEncoder
    private var bytes: [UInt8] = []

    package init(_ format: WaveSampleFormat) { encoder = WaveSampleEncoder(format) }

    /// Replaces `frameCount` samples of each channel.
    package mutating func store(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, channelCount: Int, frameCount: Int
    ) {
        let width = encoder.format.bytesPerSample
        if encoder.format == .float32 || frameCount == 0 { return }
        let byteCount = frameCount * channelCount * width
        if bytes.count < byteCount { bytes = [UInt8](repeating: 0, count: byteCount) }
        unsafe bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            unsafe encoder.encode(channels, channelCount: channelCount, from: 0, frameCount: frameCount, into: base)
            for frame in 0..<frameCount {
                for channel in 0..<channelCount {
                    let place = unsafe base + (frame * channelCount + channel) * width
                    unsafe channels[channel][frame] = Self.sample(place, width)
                }
            }
        }
    }

    /// Reads a little-endian integer of 2 to 4 bytes, relative to full scale.
    private static func sample(_ place: UnsafeMutableRawPointer, _ width: Int) -> Float {
        var bits: UInt32 = 0
        for byte in 0..<width {
            bits |= UInt32(unsafe place.load(fromByteOffset: byte, as: UInt8.self)) << UInt32(8 * (byte + 4 - width))
        }
        return Float(Int32(bitPattern: bits)) / 2_147_483_648
    }
}
