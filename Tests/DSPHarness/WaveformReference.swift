// A slow waveform to compare with. Here and not beside the tests, which are compiled without optimisation: a loop over
// samples takes a hundred times as long there.
package import DSP
package import SoundMeasures

extension ShortSound {
    /// Some frames of a channel.
    private func channel(_ channel: Int, _ frames: Range<Int>) -> [Int16] {
        frames.map { samples[$0 * channelCount + channel] }
    }

    /// Extremes and RMS of some frames, the slow way.
    package func naiveBin(channel: Int, _ frames: Range<Int>) -> WaveformBin {
        let part = self.channel(channel, frames)
        let energy = part.reduce(UInt64(0)) { $0 + UInt64(Int64($1) * Int64($1)) }
        let level = (2 * (Double(energy) / Double(part.count)).squareRoot()).rounded()
        return WaveformBin(
            minimum: part.min() ?? 0, maximum: part.max() ?? 0, level: UInt16(min(65535, level)))
    }

    /// A column of some frames, the slow way. Bins are taken whole.
    package func naiveColumn(_ part: Range<Int64>, channels: [Int]) -> WaveformColumn {
        let inside = part.clamped(to: 0..<Int64(frameCount))
        if inside.isEmpty { return .empty }
        let frames = Int(inside.lowerBound) / 256 * 256..<min(frameCount, (Int(inside.upperBound) + 255) / 256 * 256)
        let samples = channels.flatMap { channel($0, frames) }
        let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        let (least, greatest) = (samples.min() ?? 0, samples.max() ?? 0)
        return WaveformColumn(
            minimum: Float(least) / 32768, maximum: Float(greatest) / 32768,
            rms: Float((energy / Double(samples.count)).squareRoot() / 32768),
            isClipped: least == .min || greatest == .max, tone: nil)
    }
}
