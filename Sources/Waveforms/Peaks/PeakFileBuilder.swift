// Sums up sound for files of audiowaveform.
internal import Explanations
internal import Samples

/// Builds a ``PeakFile`` from blocks of any length.
///
/// Mixed channels are the sum of the samples divided by the number of channels, truncated towards zero. Values of 8
/// bits are 16-bit values divided by 256, also truncated. Both are as in audiowaveform. Floating-point samples are
/// rounded to 16 bits as for a waveform; audiowaveform truncates such samples instead, so a value may differ by one.
///
/// Real-time safe: no; the builder allocates. Use: one thread at a time.
package struct PeakFileBuilder: ~Copyable, Sendable {
    private let samplesPerPixel: Int
    private let bits: PeakFile.Bits
    private let isMixed: Bool
    private let channelCount: Int
    private let sampleRate: Int
    /// The extremes of the complete pixels, in 16 bits.
    private var peaks: [Int16] = []
    /// The extremes of the incomplete pixel, for each channel of the file; of sums, if the channels are mixed.
    private var open: [Extremes]
    private var openFrames = 0
    /// A block, channel after channel.
    private let block: ShortBuffer
    /// For each frame of a block, the sum of all channels.
    private var sums: [Int32]

    private static let blockFrames = 4096

    /// Makes a builder for a recording from its first frame on.
    ///
    /// - Parameters:
    ///   - frameCount: Frames of the recording: at most 2^32 - 1 pixels.
    ///   - samplesPerPixel: Frames per pixel, 2 to 2^31 - 1.
    ///   - bits: The resolution of the values.
    ///   - isSplit: True to keep each channel; false mixes all channels into one.
    ///   - channelCount: Channels of the recording, 1 to 24.
    ///   - sampleRate: In Hz, 1 or more.
    /// - Throws: `PeakFileError` if the files cannot hold a value.
    package init(
        frameCount: Int64, samplesPerPixel: Int, bits: PeakFile.Bits, isSplit: Bool, channelCount: Int, sampleRate: Int
    ) throws(PeakFileError) {
        try PeakFile.check(
            samplesPerPixel: samplesPerPixel, channelCount: channelCount, sampleRate: sampleRate, kind: .invalidRequest)
        guard frameCount <= PeakFile.maximumLength * Int64(samplesPerPixel) else {
            throw .tooManyPixels(frameCount: frameCount)
        }
        self.samplesPerPixel = samplesPerPixel
        self.bits = bits
        isMixed = !isSplit && channelCount > 1
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        open = Array(repeating: Extremes(), count: isMixed ? 1 : channelCount)
        block = ShortBuffer(count: channelCount * Self.blockFrames)
        sums = Array(repeating: 0, count: isMixed ? Self.blockFrames : 0)
    }

    /// Appends the next frames, as interleaved 16-bit samples; an incomplete last frame is ignored.
    package mutating func append(interleaved samples: Span<Int16>) {
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            let count = samples.count / channelCount
            for start in stride(from: 0, to: count, by: Self.blockFrames) {
                let frames = min(Self.blockFrames, count - start)
                unsafe separate(
                    base + start * channelCount, channelCount: channelCount, count: frames, into: block.base,
                    stride: Self.blockFrames)
                takeBlock(frames)
            }
        }
    }

    /// Appends the next `frameCount` frames, channel after channel, `stride` samples apart; rounded to 16 bits.
    ///
    /// - Parameters:
    ///   - samples: At least `(channelCount - 1) * stride + frameCount` samples of -1 to 1.
    ///   - stride: Samples from one channel to the next, `frameCount` or more.
    ///   - frameCount: 0 or more.
    package mutating func append(planar samples: Span<Float>, stride: Int, frameCount: Int) {
        precondition(
            frameCount >= 0 && stride >= frameCount && samples.count >= (channelCount - 1) * stride + frameCount,
            "A block holds fewer samples than it should.")
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            for start in Swift.stride(from: 0, to: frameCount, by: Self.blockFrames) {
                let frames = min(Self.blockFrames, frameCount - start)
                for channel in 0..<channelCount {
                    unsafe roundToShorts(
                        base + channel * stride + start, count: frames, into: block.base + channel * Self.blockFrames)
                }
                takeBlock(frames)
            }
        }
    }

    /// Returns the extremes of all frames so far; the last pixel may be incomplete.
    package func peakFile() -> PeakFile {
        var data = peaks
        if openFrames > 0 { Self.append(open, divisor: divisor, to: &data) }
        if bits == .eight { for index in data.indices { data[index] /= 256 } }
        return PeakFile(
            checkedBits: bits, sampleRate: sampleRate, samplesPerPixel: samplesPerPixel, channelCount: open.count,
            data: data)
    }

    // MARK: - Blocks

    private mutating func takeBlock(_ count: Int) {
        if isMixed { addChannels(count) }
        var start = 0
        while start < count {
            let frames = min(samplesPerPixel - openFrames, count - start)
            if isMixed {
                open[0].take(sums, start..<start + frames)
            } else {
                for channel in 0..<channelCount {
                    unsafe open[channel].take(block.base + channel * Self.blockFrames + start, count: frames)
                }
            }
            start += frames
            openFrames += frames
            if openFrames == samplesPerPixel {
                Self.append(open, divisor: divisor, to: &peaks)
                for channel in open.indices { open[channel] = Extremes() }
                openFrames = 0
            }
        }
    }

    private mutating func addChannels(_ count: Int) {
        for index in 0..<count { sums[index] = unsafe Int32(block.base[index]) }
        for channel in 1..<channelCount {
            let samples = unsafe block.base + channel * Self.blockFrames
            for index in 0..<count { sums[index] &+= unsafe Int32(samples[index]) }
        }
    }

    private var divisor: Int32 { isMixed ? Int32(channelCount) : 1 }

    /// Division keeps the order, so the extremes of the sums become the extremes of the mixed samples.
    private static func append(_ pixel: [Extremes], divisor: Int32, to data: inout [Int16]) {
        for extremes in pixel {
            data.append(Int16(extremes.least / divisor))
            data.append(Int16(extremes.greatest / divisor))
        }
    }
}

/// The least and the greatest of some samples or sums of samples.
private struct Extremes {
    var least = Int32.max
    var greatest = Int32.min

    mutating func take(_ sums: [Int32], _ range: Range<Int>) {
        for index in range {
            least = min(least, sums[index])
            greatest = max(greatest, sums[index])
        }
    }

    mutating func take(_ samples: UnsafePointer<Int16>, count: Int) {
        var (low, high) = (Int16.max, Int16.min)
        for index in 0..<count {
            low = min(low, unsafe samples[index])
            high = max(high, unsafe samples[index])
        }
        least = min(least, Int32(low))
        greatest = max(greatest, Int32(high))
    }
}
