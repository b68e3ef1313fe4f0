// The tones of sound as the sound arrives: a mono mix in windows overlapping by half.
internal import Samples

/// The pyramid of tones of a recording or a part of it, and the window being filled.
struct ToneTrack: ~Copyable, Sendable {
    private var analyser: ToneAnalyser
    private var pyramid = SumPyramid<ToneSum>()
    /// The window of the next hop, and the number of its filled frames.
    private let window: FloatStorage
    private var filled: Int
    private let part: Range<Int64>
    /// The next frame.
    private var position: Int64

    /// - Parameter part: The frames to analyse; the input begins half a hop earlier, or at frame 0.
    init(sampleRate: Int, part: Range<Int64>) {
        analyser = ToneAnalyser(sampleRate: sampleRate)
        window = FloatStorage(count: 2 * analyser.hop)
        self.part = part
        let reach = Int64(analyser.hop / 2)
        position = max(0, part.lowerBound - reach)
        // Before a recording there is silence.
        filled = Int(reach - (part.lowerBound - position))
    }

    private var hop: Int { analyser.hop }

    /// Number of received frames of the part.
    private var frameCount: Int64 { max(0, min(position, part.upperBound) - part.lowerBound) }

    /// The number of hops begun by the frames so far.
    private var hopsBegun: Int { Int((frameCount + Int64(hop) - 1) / Int64(hop)) }

    mutating func append(_ block: ShortBlock, count: Int) {
        var done = 0
        while done < count {
            let frames = min(2 * hop - filled, count - done)
            mix(block, from: done, count: frames)
            done += frames
            filled += frames
            position += Int64(frames)
            if filled == 2 * hop { analyseWindow() }
        }
    }

    /// Appends a finished part.
    mutating func append(_ other: borrowing ToneTrack, below partLevel: Int) {
        let binsPerHop = hop / Waveform.framesPerBin
        pyramid.append(other.pyramid, below: partLevel - binsPerHop.trailingZeroBitCount)
        position = other.part.upperBound
    }

    /// Sums up the hops begun, as if silence followed.
    mutating func finish() {
        while pyramid.count < hopsBegun {
            clear(from: filled)
            analyseWindow()
        }
    }

    /// Returns the levels as if silence followed.
    mutating func finished() -> [SumPyramid<ToneSum>.Level] {
        // At most two begun hops are not summed up yet: both lie in the last windows.
        var pyramid = self.pyramid.shown()
        let rest = FloatStorage(count: 4 * hop)
        for index in 0..<filled { rest.view[index] = window.view[index] }
        var offset = 0
        while pyramid.count < hopsBegun {
            pyramid.append(analyser.tone(of: rest.view.part(from: offset, count: 2 * hop)))
            offset += hop
        }
        return pyramid.finished(with: nil)
    }

    private mutating func analyseWindow() {
        if pyramid.count < hopsBegun { pyramid.append(analyser.tone(of: window.view)) }
        for index in 0..<hop { window.view[index] = window.view[index + hop] }
        filled = max(0, filled - hop)
    }

    private func clear(from start: Int) {
        for index in start..<2 * hop { window.view[index] = 0 }
    }

    /// Appends the mean of the channels to the window.
    private func mix(_ block: ShortBlock, from start: Int, count: Int) {
        let scale = 1 / (32768 * Float(block.channelCount))
        let target = window.view.part(from: filled, count: count)
        let samples = unsafe block.base + start * block.frameStride
        var index = 0
        while index &+ Lanes.scalarCount <= count {
            target[lanes: index] = unsafe Lanes(sums(samples + index &* block.frameStride, block)) * scale
            index &+= Lanes.scalarCount
        }
        while index < count {
            var sum: Int32 = 0
            for channel in 0..<block.channelCount {
                sum &+= unsafe Int32(samples[channel &* block.channelStride &+ index &* block.frameStride])
            }
            target[index] = Float(sum) * scale
            index &+= 1
        }
    }

    /// Returns the sums over all channels of eight frames.
    @inline(__always)
    private func sums(_ samples: UnsafePointer<Int16>, _ block: ShortBlock) -> SIMD8<Int32> {
        if block.isInterleaved {
            let both = unsafe UnsafeRawPointer(samples).loadUnaligned(as: SIMD16<Int16>.self)
            return SIMD8<Int32>(truncatingIfNeeded: both.evenHalf) &+ SIMD8<Int32>(truncatingIfNeeded: both.oddHalf)
        }
        var sum = SIMD8<Int32>()
        for channel in 0..<block.channelCount {
            let part = unsafe UnsafeRawPointer(samples + channel &* block.channelStride).loadUnaligned(
                as: SIMD8<Int16>.self)
            sum &+= SIMD8<Int32>(truncatingIfNeeded: part)
        }
        return sum
    }
}
