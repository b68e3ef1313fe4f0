// Sums up sound as it arrives.
internal import Samples

/// Builds a ``Waveform`` from blocks of any length.
///
/// While a recording grows, ``waveform()`` returns the waveform so far: the same bytes as if the recording ended there.
///
/// Real-time safe: no; the builder allocates. Use: one thread at a time.
public struct WaveformBuilder: ~Copyable, Sendable {
    // A long recording is summed up on several threads: each part has its own builder, and a builder for the whole
    // appends the parts in order.

    /// Frames per part of a recording, except the last: 2^20, some twenty seconds.
    package static let partFrames: Int64 = Int64(Waveform.framesPerBin) << partLevel
    /// The highest level of a part.
    private static let partLevel = 12

    /// In Hz.
    package let sampleRate: Int
    /// Number of channels, 1 to 64.
    package var channelCount: Int { channels.count }
    /// The contiguous absolute frames to append: more than the part itself if there are tones, whose windows reach half
    /// a hop beyond the part. Ends at ``position`` after a part was appended; from then on only parts may follow.
    package private(set) var input: Range<Int64>
    /// The frames to sum up; without an end if the length is not known.
    package let part: Range<Int64>
    /// The next frame expected.
    public private(set) var position: Int64

    private var channels: [SumPyramid<BinSum>]
    private var tones: ToneTrack?
    /// The incomplete bin: channel after channel, `framesPerBin` samples apart.
    private var bin: ShortBuffer
    private var binFrames = 0
    /// A block after deinterleaving or rounding.
    private var block: ShortBuffer

    /// Frames deinterleaved at a time.
    private static let blockFrames = 4096

    /// Makes a builder for a recording from its first frame on; the length may be unknown.
    ///
    /// - Parameters:
    ///   - sampleRate: In Hz, 1 or more.
    ///   - channelCount: 1 to 64.
    ///   - tones: True to compute the colour of the sound, which costs more than all the rest.
    public init(sampleRate: Int, channelCount: Int, tones: Bool = true) {
        self.init(
            sampleRate: sampleRate, channelCount: channelCount, part: 0..<Int64.max, input: 0..<Int64.max, tones: tones)
    }

    /// Makes a builder for one part of a recording; append the frames of ``input``.
    ///
    /// - Parameters:
    ///   - sampleRate: In Hz, 1 or more.
    ///   - channelCount: 1 to 64.
    ///   - part: The index of the part, from 0; the part must have a frame.
    ///   - frameCount: Frames of the whole recording.
    ///   - tones: True to compute the colour of the sound.
    package init(sampleRate: Int, channelCount: Int, part: Int, ofFrames frameCount: Int64, tones: Bool = true) {
        let start = Int64(part) * Self.partFrames
        precondition(part >= 0 && start < frameCount, "A recording of \(frameCount) frames has no part \(part).")
        let end = min(frameCount, start + Self.partFrames)
        let reach = tones ? Int64(ToneAnalyser.hop(sampleRate: sampleRate) / 2) : 0
        self.init(
            sampleRate: sampleRate, channelCount: channelCount, part: start..<end,
            input: max(0, start - reach)..<min(frameCount, end + reach), tones: tones)
    }

    private init(sampleRate: Int, channelCount: Int, part: Range<Int64>, input: Range<Int64>, tones: Bool) {
        precondition(
            sampleRate >= 1 && (1...64).contains(channelCount), "A waveform has 1 to 64 channels and a sample rate.")
        self.sampleRate = sampleRate
        self.part = part
        self.input = input
        position = input.lowerBound
        channels = Array(repeating: SumPyramid(), count: channelCount)
        self.tones = tones ? ToneTrack(sampleRate: sampleRate, part: part) : nil
        bin = ShortBuffer(count: channelCount * Waveform.framesPerBin)
        block = ShortBuffer(count: channelCount * Self.blockFrames)
    }

    /// Returns the number of parts of a recording.
    package static func partCount(frames: Int64) -> Int { Int((frames + partFrames - 1) / partFrames) }

    /// Appends the next frames, as interleaved 16-bit samples; an incomplete last frame is ignored.
    public mutating func append(interleaved samples: Span<Int16>) {
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            let count = samples.count / channelCount
            var done = 0
            while done < count {
                let frames = min(Self.blockFrames, count - done)
                let source = unsafe base + done * channelCount
                if channelCount <= 2 {
                    takeBlock(unsafe ShortBlock(base: source, channelStride: 1, channelCount: channelCount), frames)
                } else {
                    unsafe separate(
                        source, channelCount: channelCount, count: frames, into: block.base, stride: Self.blockFrames)
                    takeBlock(ownBlock, frames)
                }
                done += frames
            }
        }
    }

    /// Appends the next `frameCount` frames, channel after channel, `stride` samples apart; rounded to 16 bits.
    ///
    /// - Parameters:
    ///   - samples: At least `(channelCount - 1) * stride + frameCount` samples of -1 to 1.
    ///   - stride: Distance in samples from the first sample of a channel to the first sample of the next channel,
    ///     `frameCount` or more.
    ///   - frameCount: 0 or more.
    public mutating func append(planar samples: Span<Float>, stride: Int, frameCount: Int) {
        precondition(
            frameCount >= 0 && stride >= frameCount && samples.count >= (channelCount - 1) * stride + frameCount,
            "A block holds fewer samples than it should.")
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            var done = 0
            while done < frameCount {
                let frames = min(Self.blockFrames, frameCount - done)
                for channel in 0..<channelCount {
                    unsafe roundToShorts(
                        base + channel * stride + done, count: frames, into: block.base + channel * Self.blockFrames)
                }
                takeBlock(ownBlock, frames)
                done += frames
            }
        }
    }

    /// Appends the result of another builder, for the following part.
    package mutating func append(_ other: consuming WaveformBuilder) {
        precondition(
            other.part.lowerBound == position && position % Self.partFrames == 0
                && other.position == other.input.upperBound
                && other.channelCount == channelCount && other.sampleRate == sampleRate
                && (other.tones == nil) == (tones == nil),
            "A part does not follow what was summed up before.")
        other.flushBin()
        for channel in 0..<channelCount { channels[channel].append(other.channels[channel], below: Self.partLevel) }
        if var track = other.tones.take() {
            track.finish()
            tones?.append(track, below: Self.partLevel)
            other.tones = nil
        }
        position = other.part.upperBound
        input = input.lowerBound..<position
    }

    /// Returns the waveform of all frames so far.
    public mutating func waveform() -> Waveform {
        let open = binFrames > 0
        let last = open ? openBins() : []
        return Waveform(
            sampleRate: sampleRate, frameCount: position, framesPerTone: ToneAnalyser.hop(sampleRate: sampleRate),
            channels: channels.indices.map { channels[$0].shown().finished(with: open ? last[$0] : nil) },
            tones: tones?.finished() ?? [])
    }

    // MARK: - Blocks

    /// The block after deinterleaving or rounding.
    private var ownBlock: ShortBlock {
        unsafe ShortBlock(base: block.base, channelStride: Self.blockFrames, channelCount: channelCount)
    }

    private mutating func takeBlock(_ block: ShortBlock, _ count: Int) {
        precondition(position + Int64(count) <= input.upperBound, "A block does not belong to what is summed up.")
        tones?.append(block, count: count)
        // A part's input reaches beyond the part.
        var index = Int(max(0, min(Int64(count), part.lowerBound - position)))
        let end = Int(min(Int64(count), max(0, part.upperBound - position)))
        while index < end {
            if binFrames == 0 && end - index >= Waveform.framesPerBin {
                block.forEachSum(from: index, count: Waveform.framesPerBin) { channels[$0].append($1) }
                index += Waveform.framesPerBin
            } else {
                index += fillBin(block, from: index, to: end)
            }
        }
        position += Int64(count)
    }

    /// Copies as many frames as the open bin still takes; returns the number of copied frames.
    private mutating func fillBin(_ block: ShortBlock, from start: Int, to end: Int) -> Int {
        let count = min(Waveform.framesPerBin - binFrames, end - start)
        for channel in 0..<channelCount {
            let target = unsafe bin.base + channel * Waveform.framesPerBin + binFrames
            let source = unsafe block.base + channel * block.channelStride + start * block.frameStride
            for index in 0..<count { unsafe target[index] = source[index &* block.frameStride] }
        }
        binFrames += count
        if binFrames == Waveform.framesPerBin { flushBin() }
        return count
    }

    private mutating func flushBin() {
        if binFrames == 0 { return }
        for (channel, sum) in openBins().enumerated() { channels[channel].append(sum) }
        binFrames = 0
    }

    private func openBins() -> [BinSum] {
        var sums: [BinSum] = []
        let open = unsafe ShortBlock(
            base: bin.base, channelStride: Waveform.framesPerBin, channelCount: channelCount)
        open.forEachSum(from: 0, count: binFrames) { _, sum in sums.append(sum) }
        return sums
    }
}
