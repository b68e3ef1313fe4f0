// The waveform of a take while it is written.
internal import AudioFiles
internal import DSP

/// Sums up a take as its file stores it. Used by the writer thread only.
@safe
final class TakeWaveform {
    private let channelCount: Int
    private var stored: StoredSamples
    private var builder: WaveformBuilder
    /// A block, one channel after the other.
    private let block: UnsafeMutableBufferPointer<Float>

    init(format: WaveSampleFormat, sampleRate: Int, channelCount: Int) {
        self.channelCount = channelCount
        stored = StoredSamples(format)
        builder = WaveformBuilder(sampleRate: sampleRate, channelCount: channelCount)
        unsafe block = .allocate(capacity: channelCount * TakeBlocks.frameCapacity)
        unsafe block.initialize(repeating: 0)
    }

    deinit { unsafe block.deallocate() }

    /// Converts a block, at most `TakeBlocks.frameCapacity` frames, to what the file will store.
    func store(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        unsafe stored.store(channels, channelCount: channelCount, frameCount: frameCount)
    }

    /// Sums up a block that was converted and written.
    func append(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        guard let base = unsafe block.baseAddress else { return }
        for channel in 0..<channelCount {
            unsafe (base + channel * TakeBlocks.frameCapacity).update(from: channels[channel], count: frameCount)
        }
        append(frameCount)
    }

    func appendSilence(_ frameCount: Int64) {
        for index in unsafe block.indices { unsafe block[index] = 0 }
        var left = frameCount
        while left > 0 {
            let count = min(left, Int64(TakeBlocks.frameCapacity))
            append(Int(count))
            left -= count
        }
    }

    /// The waveform so far: that of a file that ends here.
    func waveform() -> Waveform { builder.waveform() }

    private func append(_ frameCount: Int) {
        let samples = unsafe UnsafeBufferPointer(block)
        builder.append(planar: unsafe samples.span, stride: TakeBlocks.frameCapacity, frameCount: frameCount)
    }
}
