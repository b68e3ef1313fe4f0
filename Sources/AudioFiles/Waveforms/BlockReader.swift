// From a decoder to what sums up its sound.
internal import DSP

/// What takes blocks of sound in either of the forms that decoders have.
protocol BlockTaker: ~Copyable {
    mutating func append(interleaved samples: Span<Int16>)
    mutating func append(planar samples: Span<Float>, stride: Int, frameCount: Int)
}

extension WaveformBuilder: BlockTaker {}
extension PeakFileBuilder: BlockTaker {}

/// Reads blocks as the decoder has them at least cost.
@safe
final class BlockReader {
    let blockFrames: Int64
    private let decoder: any FileDecoder
    private let channelCount: Int
    /// Either 16-bit samples interleaved, or floating-point ones channel by channel.
    private let shorts: UnsafeMutableBufferPointer<Int16>
    private let floats: UnsafeMutableBufferPointer<Float>
    private var holdsShorts = true

    init(_ decoder: any FileDecoder) {
        self.decoder = decoder
        channelCount = decoder.info.channelCount
        blockFrames = Int64(max(256, 16_384 / channelCount))
        unsafe shorts = .allocate(capacity: Int(blockFrames) * channelCount)
        unsafe floats = .allocate(capacity: Int(blockFrames) * channelCount)
        unsafe shorts.initialize(repeating: 0)
        unsafe floats.initialize(repeating: 0)
    }

    deinit {
        unsafe shorts.deallocate()
        unsafe floats.deallocate()
    }

    /// Reads `frames`, at most ``blockFrames`` of them.
    func read<Taker: BlockTaker & ~Copyable>(
        _ frames: Range<Int64>, into builder: inout Taker
    ) throws(AudioFileError) {
        guard let shortBase = unsafe shorts.baseAddress, let floatBase = unsafe floats.baseAddress else { return }
        if holdsShorts {
            holdsShorts = try unsafe decoder.readShorts(frames, into: shortBase)
            if holdsShorts {
                let block = unsafe UnsafeBufferPointer(start: shortBase, count: frames.count * channelCount)
                return builder.append(interleaved: unsafe block.span)
            }
        }
        try unsafe decoder.read(frames, into: floatBase, stride: Int(blockFrames))
        let block = unsafe UnsafeBufferPointer(floats)
        builder.append(planar: unsafe block.span, stride: Int(blockFrames), frameCount: frames.count)
    }
}
