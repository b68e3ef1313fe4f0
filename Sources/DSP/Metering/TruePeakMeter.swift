internal import CSampleLoops
internal import Glibc
internal import Samples

/// The peak of the signal between its samples, as a converter would play it (ITU-R BS.1770-5 annex 2).
///
/// The signal is interpolated at eight times its sample rate. A steady sine up to 0.4 of the rate is read at most 0.12
/// dB too low and 0.02 dB too high; above 0.4 of the rate up to 0.17 dB too low. The standard's own four times would
/// err by up to 0.43 dB at 0.4 of the rate. Peaks come 12 frames late; ``finish()`` reads the rest.
///
/// Runs of frames in which no output can exceed the peak so far, by the sum of the filter's magnitudes, are skipped:
/// the result is bit-identical, and music costs only a part of a steady full-scale tone.
public struct TruePeakMeter: ~Copyable {
    /// Number of channels, 1 to 64.
    package let channelCount: Int

    private let filter = TruePeakFilter()
    /// The past of each channel, as needed for later outputs, and its latest block.
    private let samples: FloatStorage
    private let peaks: FloatStorage

    /// Frames examined in one go, and additional frames needed before and after.
    private static let pieceFrames = 1024
    private static let margin = 2 * TruePeakFilter.reach - 1
    /// Frames skipped together where the sound is low.
    private static let groupFrames = 32
    /// Vectors may read a little past the last frame.
    private static let stride = margin + pieceFrames + 8

    /// Allocates all memory.
    ///
    /// - Parameter channelCount: 1 to 64.
    ///
    /// Real-time safe: no.
    public init(channelCount: Int) {
        precondition((1...64).contains(channelCount), "A true-peak meter takes 1 to 64 channels.")
        self.channelCount = channelCount
        samples = FloatStorage(count: channelCount * TruePeakMeter.stride)
        peaks = FloatStorage(count: channelCount)
    }

    // MARK: Measuring

    /// Reads the next frames; blocks of any length give the same result.
    ///
    /// - Parameters:
    ///   - input: A pointer to the samples of each channel.
    ///   - frameCount: Frames of each channel, 0 or more.
    ///
    /// Real-time safe: yes. Takes 12 ns a sample at worst.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func process(_ input: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        precondition(frameCount >= 0, "A block has no negative length.")
        for channel in 0..<channelCount {
            var done = 0
            while done < frameCount {
                let count = min(TruePeakMeter.pieceFrames, frameCount - done)
                unsafe read(input[channel] + done, count, channel)
                done += count
            }
        }
    }

    /// Reads the samples still on their way, as if silence followed.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func finish() {
        for channel in 0..<channelCount { unsafe read(nil, 2 * TruePeakFilter.reach, channel) }
    }

    /// Returns the highest true peak of a channel so far, as a factor of full scale.
    ///
    /// - Parameter channel: 0 to one less than the number of channels.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public func peak(channel: Int) -> Float { peaks.view[channel] }

    /// The highest true peak of all channels so far, in dB of full scale (dBTP); minus infinity for silence. Real-time
    /// safe: no.
    public var decibels: Double {
        20 * log10((0..<channelCount).reduce(0.0) { max($0, Double(peaks.view[$1])) })
    }

    /// Returns the meter to its state after `init`.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func reset() {
        for index in 0..<samples.view.count { samples.view[index] = 0 }
        for channel in 0..<channelCount { peaks.view[channel] = 0 }
    }

    /// Puts up to ``pieceFrames`` samples behind the channel's past, examines the places with known samples on both
    /// sides, and keeps the new past.
    ///
    /// - Parameter input: Samples, or nil for silence.
    private func read(_ input: UnsafePointer<Float>?, _ count: Int, _ channel: Int) {
        let own = samples.view.part(from: channel * TruePeakMeter.stride, count: TruePeakMeter.stride)
        let margin = TruePeakMeter.margin
        precondition(margin + count <= own.count)
        // Memory-safe by the precondition above.
        let target = unsafe own.base + margin
        if let input = unsafe input {
            unsafe copy_measurable(input, count, target)
        } else {
            unsafe target.update(repeating: 0, count: count)
        }
        look(own, count, channel)
        var index = 0
        while index < margin {
            own[index] = own[count + index]
            index += 1
        }
    }

    /// Examines `count` frames from the middle of the margin on.
    private func look(_ own: Floats, _ count: Int, _ channel: Int) {
        let margin = TruePeakMeter.margin
        var peak = peaks.view[channel]
        // Most blocks of music are quiet enough to be skipped as a whole.
        guard unsafe isHigher(own.base, count + margin, &peak) else {
            peaks.view[channel] = peak
            return
        }
        var done = 0
        while done < count {
            let frames = min(TruePeakMeter.groupFrames, count - done)
            // The input samples of these frames' outputs, the frames themselves among them.
            let part = own.part(from: done, count: frames + margin)
            if unsafe isHigher(part.base, part.count, &peak) {
                let between = interpolatedPeak(own, TruePeakFilter.reach - 1 + done, frames)
                if between > peak { peak = between }
            }
            done += frames
        }
        peaks.view[channel] = peak
    }

    /// Raises the peak to the highest sample, and returns true if a place between samples could be higher still.
    private func isHigher(_ samples: UnsafePointer<Float>, _ count: Int, _ peak: inout Float) -> Bool {
        let highest = unsafe largest_magnitude(samples, count)
        if highest > peak { peak = highest }
        guard highest * filter.bound > peak else { return false }
        return unsafe highest * filter.straightBound + largest_bend(samples, count) * filter.bendBound > peak
    }

    /// Returns the largest magnitude between `count` frames and their followers.
    private func interpolatedPeak(_ own: Floats, _ first: Int, _ count: Int) -> Float {
        let whole = count & ~(Lanes.scalarCount - 1)
        precondition(first >= TruePeakFilter.reach - 1 && first + whole + TruePeakFilter.reach + 8 <= own.count)
        var highest = Lanes()
        var frame = 0
        // Memory-safe by the precondition above: a vector of outputs reads 11 samples before its first frame and 19
        // from its first frame on.
        while frame < whole {
            unsafe highest = larger(highest, filter.peaks(own.base + first + frame))
            frame += Lanes.scalarCount
        }
        var peak = largest(highest)
        if whole < count {
            // Lanes behind the last frame belong to another time.
            let rest = unsafe filter.peaks(own.base + first + whole)
            for lane in 0..<count - whole where rest[lane] > peak { peak = rest[lane] }
        }
        return peak
    }
}

extension TruePeakMeter: @unchecked Sendable {}
