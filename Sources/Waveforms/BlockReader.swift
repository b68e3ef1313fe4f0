// Passes blocks of sound from a decoder to the code which sums them up.
internal import AudioFiles
internal import DSP

/// A receiver of blocks of sound in either of a decoder's two sample formats.
protocol BlockTaker: ~Copyable {
    mutating func append(interleaved samples: Span<Int16>)
    mutating func append(planar samples: Span<Float>, stride: Int, frameCount: Int)
}

extension BlockTaker where Self: ~Copyable {
    /// Takes the block loaded by the reader; the block must be the next here.
    mutating func take(from reader: BlockReader) { reader.hand(to: &self) }
}

extension WaveformBuilder: BlockTaker {}
extension PeakFileBuilder: BlockTaker {}

/// Reads blocks in the decoder's cheapest sample format.
@safe
final class BlockReader {
    let blockFrames: Int64
    private let decoder: any FileDecoder
    private let channelCount: Int
    /// Sample memory: either interleaved 16-bit samples, or floating-point samples channel by channel.
    private let shorts: UnsafeMutableBufferPointer<Int16>
    private let floats: UnsafeMutableBufferPointer<Float>
    private var holdsShorts = true
    /// The number of frames loaded.
    private var frameCount = 0

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

    /// Decodes `frames`, at most ``blockFrames`` of them.
    func load(_ frames: Range<Int64>) throws(AudioFileError) {
        guard let shortBase = unsafe shorts.baseAddress, let floatBase = unsafe floats.baseAddress else { return }
        frameCount = frames.count
        if holdsShorts { holdsShorts = try unsafe decoder.readShorts(frames, into: shortBase) }
        if !holdsShorts { try unsafe decoder.read(frames, into: floatBase, stride: Int(blockFrames)) }
    }

    fileprivate func hand<Taker: BlockTaker & ~Copyable>(to taker: inout Taker) {
        if holdsShorts {
            let block = unsafe UnsafeBufferPointer(rebasing: shorts[..<(frameCount * channelCount)])
            taker.append(interleaved: unsafe block.span)
        } else {
            let block = unsafe UnsafeBufferPointer(floats)
            taker.append(planar: unsafe block.span, stride: Int(blockFrames), frameCount: frameCount)
        }
    }
}
