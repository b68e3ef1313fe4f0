// The waveform of a take during its recording.
internal import AudioFiles
internal import DSP

/// Sums up a take as stored by its file. Used by the writer thread only.
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

    /// Converts a block, at most `TakeBlocks.frameCapacity` frames, to the values that the file will store.
    func store(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        unsafe stored.store(channels, channelCount: channelCount, frameCount: frameCount)
    }

    /// Sums up a converted and written block.
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

    /// Returns the waveform so far, as if the file ended here.
    func waveform() -> Waveform { builder.waveform() }

    private func append(_ frameCount: Int) {
        let samples = unsafe UnsafeBufferPointer(block)
        builder.append(planar: unsafe samples.span, stride: TakeBlocks.frameCapacity, frameCount: frameCount)
    }
}
