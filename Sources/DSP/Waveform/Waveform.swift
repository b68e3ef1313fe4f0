/// The overview of a recording at every zoom: extremes and RMS of each channel, and the colour of its sound.
///
/// A binary pyramid: level 0 has bins of ``framesPerBin`` frames, each level above has bins of twice as many frames, up
/// to a single bin. Bins lie on absolute frames, so the picture stays the same while scrolling. The last bin of each
/// level may have fewer frames.
///
/// The same sound gives the same values, byte for byte, whether read at once, in blocks, in parallel parts or during
/// recording. Extremes of 16-bit samples are exact; extremes of other samples are rounded to 16 bits.
///
/// Real-time safe: no. Copies cost next to nothing.
public struct Waveform: Equatable, Sendable {
    /// Frames per bin of level 0.
    public static let framesPerBin = 256

    /// In Hz.
    public let sampleRate: Int
    /// The number of frames summed up.
    public let frameCount: Int64
    /// Frames per tone of level 0: 512 up to 50 kHz, doubled with each doubling of the rate.
    package let framesPerTone: Int
    /// The levels of each channel, channels × levels; level 0 has the finest bins.
    let channels: [[ChunkedList<WaveformBin>]]
    /// The levels of all channels mixed; empty if tones were not requested.
    let tones: [ChunkedList<WaveformTone>]

    /// Number of channels.
    public var channelCount: Int { channels.count }
    /// True if the colour of the sound is known.
    package var hasTones: Bool { !tones.isEmpty }
    /// Number of levels of the bins.
    package var levelCount: Int { channels.first?.count ?? 0 }
    /// Number of levels of the tones; 0 without tones.
    package var toneLevelCount: Int { tones.count }

    /// Returns the bins of one level of one channel; empty beyond the last level.
    ///
    /// - Parameters:
    ///   - level: From 0; a bin has `framesPerBin << level` frames.
    ///   - channel: From 0; below ``channelCount``.
    package func bins(level: Int, channel: Int) -> [WaveformBin] {
        guard channels[channel].indices.contains(level) else { return [] }
        let list = channels[channel][level]
        return (0..<list.count).map { list[$0] }
    }

    /// Returns the tones of one level; empty beyond the last level, and without tones.
    ///
    /// - Parameter level: From 0; a tone has `framesPerTone << level` frames.
    package func tones(level: Int) -> [WaveformTone] {
        guard tones.indices.contains(level) else { return [] }
        return (0..<tones[level].count).map { tones[level][$0] }
    }

    /// Bytes of all bins and tones, for the benchmarks: a separate package, which sees no `package` declarations.
    @_spi(Benchmarks) public var storedByteCount: Int {
        let binCount = channels.joined().reduce(0) { $0 + $1.count }
        let toneCount = tones.reduce(0) { $0 + $1.count }
        return binCount * MemoryLayout<WaveformBin>.stride + toneCount * MemoryLayout<WaveformTone>.stride
    }
}
