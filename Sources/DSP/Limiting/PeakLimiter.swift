// PeakLimiter: turns a sound down before a peak would exceed full scale, for as long as the peak lasts.
//
// A stretched or pitched sound has other phases than its recording, and so other peaks: a recording brought to full
// scale comes out up to 5 dB above full scale. The gain follows from the peaks of the next 5 ms (`LimiterGains`). A
// sound without such peaks passes bit for bit, at any block size.
internal import Samples

/// Keeps a sound at or below full scale, in pull style: the limiter says how many frames to supply.
///
///     limiter.start()
///     // write framesNeeded(toEmit: 64) frames, `inputOffset` after `inputs`, at once or in pieces, and accept each
///     limiter.emit(64, into: channels, offset: 0)
///
/// The first frame out is the first frame in: no delay arises, but the caller supplies frames some 6 ms ahead. All
/// channels get the same gain, so the stereo image stays. Peaks between samples count as well (see ``TruePeakFilter``).
///
/// A sound begins with a copy of its recording: the first 256 frames pass unchanged, and the next 8 may exceed full
/// scale as well. From then on the look-ahead grows by a quarter of a frame a frame, so a start costs no burst of work.
/// Until the look-ahead is complete, a gain may fall faster.
///
/// Real-time safe: all but `init`.
@safe
@usableFromInline package struct PeakLimiter: ~Copyable {
    private let channelCount: Int
    /// The largest count for ``framesNeeded(toEmit:)`` and ``emit(_:into:offset:)``.
    package let maximumEmitFrames: Int
    /// Frames to supply beyond the last emitted frame.
    package let lookAheadFrames: Int
    /// One pointer per channel to its frames; see ``inputOffset``.
    package let inputs: UnsafePointer<UnsafeMutablePointer<Float>>
    /// Offset after ``inputs`` at which to write the next frames.
    package private(set) var inputOffset = 0

    private let filter = TruePeakFilter()
    private let samples: FloatStorage
    /// Frames of one channel's memory.
    private let capacity: Int

    /// Each group of this many frames has a gain, interpolated between groups.
    private static var groupFrames: Int { Lanes.scalarCount }
    private var gains: LimiterGains

    /// The next frame to emit: its place in the memory, and its number from the start.
    private var emitOffset = 0
    private var emittedFrames = 0
    private var lowest: Float = 1

    /// Target level of peaks: a thousandth of a decibel below full scale, more than rounding can add.
    private static var ceiling: Float { 0.9999 }

    /// Allocates all memory; call ``start()`` before anything else.
    ///
    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 8000 to 768000 Hz.
    ///   - maximumEmitFrames: The largest count of frames emitted at once, 1 to 65536.
    ///
    /// Real-time safe: no.
    package init(channelCount: Int, sampleRate: Int, maximumEmitFrames: Int) {
        precondition((1...64).contains(channelCount), "A limiter takes 1 to 64 channels.")
        precondition((8000...768_000).contains(sampleRate), "A limiter takes rates of 8000 to 768000 Hz.")
        precondition((1...65536).contains(maximumEmitFrames), "A limiter emits 1 to 65536 frames at once.")
        self.channelCount = channelCount
        self.maximumEmitFrames = maximumEmitFrames
        let groupSeconds = Double(Self.groupFrames) / Double(sampleRate)
        lookAheadFrames = Self.groupFrames * (LimiterGains.window(groupSeconds: groupSeconds) + 1) + Self.readAhead
        // Held frames, the next frames, and the earlier frames read by the filter.
        capacity = Self.readBefore + 2 * (maximumEmitFrames + lookAheadFrames) + Lanes.scalarCount
        samples = FloatStorage(count: channelCount * capacity)
        gains = LimiterGains(groupSeconds: groupSeconds, keptGroups: capacity / Self.groupFrames)
        let channels = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            unsafe (channels + channel).initialize(to: samples.view.base + channel * capacity)
        }
        unsafe inputs = UnsafePointer(channels)
    }

    deinit {
        unsafe inputs.deallocate()
    }

    /// Number of frames read by the filter before a group, and from the group's first frame on.
    private static var readBefore: Int { 16 }
    private static var readAhead: Int { TruePeakFilter.reach + Lanes.scalarCount }

    /// Starts with another sound and discards the previous one.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func start() {
        for channel in 0..<channelCount {
            for index in 0..<Self.readBefore { samples.view[channel * capacity + index] = 0 }
        }
        (emitOffset, inputOffset) = (Self.readBefore, Self.readBefore)
        (emittedFrames, lowest) = (0, 1)
        gains.start()
    }

    /// Returns the number of frames still to accept before `frameCount` frames can be emitted.
    ///
    /// - Parameter frameCount: 0 to ``maximumEmitFrames``.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func framesNeeded(toEmit frameCount: Int) -> Int {
        guard frameCount > 0 else { return 0 }
        let lastGroup = (emittedFrames + frameCount - 1) / Self.groupFrames
        let end =
            lastGroup < LimiterGains.copiedGroups
            ? emittedFrames + frameCount : (lastGroup + gains.reach(of: lastGroup)) * Self.groupFrames + Self.readAhead
        return max(0, end - emittedFrames - (inputOffset - emitOffset))
    }

    /// Accepts frames written ``inputOffset`` after ``inputs``.
    ///
    /// - Parameter frameCount: At most the count returned by ``framesNeeded(toEmit:)``.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func accept(_ frameCount: Int) {
        precondition(frameCount >= 0 && inputOffset + frameCount <= capacity, "More frames than the limiter asked for.")
        inputOffset += frameCount
        let known = emittedFrames + inputOffset - emitOffset
        while true {
            let group = gains.notedGroups
            let isCopied = group < LimiterGains.copiedGroups
            guard isCopied || group * Self.groupFrames + Self.readAhead <= known else { return }
            gains.note(isCopied ? 1 : neededGain(group))
        }
    }

    /// Writes the next frames.
    ///
    /// - Parameters:
    ///   - frameCount: 0 to ``maximumEmitFrames``; ``framesNeeded(toEmit:)`` must return 0 for the count.
    ///   - output: One pointer per channel.
    ///   - offset: The index of the first frame in each channel.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func emit(
        _ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int
    ) {
        precondition(framesNeeded(toEmit: frameCount) == 0, "Frames were emitted before they were known.")
        var done = 0
        while done < frameCount {
            let (group, place) = (emittedFrames + done).quotientAndRemainder(dividingBy: Self.groupFrames)
            let count = min(Self.groupFrames - place, frameCount - done)
            let (begin, end) = gains.ends(of: group)
            for channel in 0..<channelCount {
                let source = samples.view.part(from: channel * capacity + emitOffset + done, count: count)
                let target = unsafe output[channel] + offset + done
                for index in 0..<count {
                    // At a gain of 1 the sample passes unchanged, even NaN.
                    let gain = begin + (end - begin) * (Float(place + index + 1) / Float(Self.groupFrames))
                    unsafe target[index] = begin == 1 && end == 1 ? source[index] : source[index] * gain
                }
            }
            lowest = min(lowest, min(begin, end))
            done += count
        }
        emitOffset += frameCount
        emittedFrames += frameCount
        makeRoom()
    }

    /// Returns the lowest gain since the last call, as a factor.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func takeLowestGain() -> Float {
        defer { lowest = 1 }
        return lowest
    }

    // MARK: Gains

    /// Returns the gain which brings the peaks of a group, and the peaks between the group and the next, to full scale.
    private mutating func neededGain(_ group: Int) -> Float {
        let first = emitOffset + group * Self.groupFrames - emittedFrames
        var peaks = Lanes()
        for channel in 0..<channelCount {
            let around = samples.view.part(from: channel * capacity, count: capacity)
            var largest = Lanes()
            for index in stride(
                from: first - Self.readBefore + 4, to: first + Self.readAhead, by: Lanes.scalarCount)
            { largest = larger(largest, magnitude(around[lanes: index])) }
            // No peak between samples exceeds the filter's bound times the samples around it.
            guard DSP.largest(largest) * filter.bound > Self.ceiling else { continue }
            peaks = larger(peaks, magnitude(around[lanes: first]))
            peaks = unsafe larger(peaks, filter.peaks(around.base + first))
        }
        let peak = DSP.largest(peaks)
        return peak > 1 ? Self.ceiling / peak : 1
    }

    /// Moves the frames still needed to the beginning of the memory, if the next frames would not fit.
    private mutating func makeRoom() {
        guard inputOffset + maximumEmitFrames + lookAheadFrames + Self.groupFrames > capacity else { return }
        let kept = inputOffset - emitOffset + Self.readBefore
        for channel in 0..<channelCount {
            let memory = samples.view.part(from: channel * capacity, count: capacity)
            // Upwards, since both places may overlap.
            for index in 0..<kept { memory[index] = memory[emitOffset - Self.readBefore + index] }
        }
        inputOffset = kept
        emitOffset = Self.readBefore
    }
}
