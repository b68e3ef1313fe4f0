internal import CSampleLoops

/// Peak, mean square and overs of every channel, for capture and render threads.
///
///     var meter = LevelMeter(channelCount: 2)
///     meter.process(channels, frameCount: 64)        // each block
///     let left = meter.takeLevels(channel: 0)        // now and then: the levels since the last call
///
/// **An over** is a run of samples at full scale in one channel, of any length: the run counts once, when it begins.
/// Full scale is 1 less one step of 16 bits, 32767/32768, the highest value of a 16-bit converter. One sample is
/// enough, because a converter just reaching its limit cannot be told from a clipped converter. So a recording scaled
/// up to full scale afterwards shows overs wherever the sound reaches full scale.
///
/// Samples that are not finite, or beyond ±2^40, count as silence. The division of the sound into blocks does not
/// change the overs or their frames; the mean square may differ in its last digits.
@safe
public struct LevelMeter: ~Copyable {
    /// The lowest magnitude at full scale.
    package static let fullScale: Float = 32767.0 / 32768.0

    /// Number of channels, 1 to 64.
    public let channelCount: Int
    /// Frames since the meter was made or reset.
    public private(set) var frame: Int64 = 0

    /// The state of one channel.
    private struct Channel: BitwiseCopyable {
        var peak: Float = 0
        var sumOfSquares = 0.0
        var overs: Int64 = 0
        var firstOverFrame: Int64 = -1
        /// First frame counted in `peak` and `sumOfSquares`.
        var takenFrame: Int64 = 0
        /// True if the last sample was at full scale.
        var isClipping = false
    }

    private let channels: UnsafeMutablePointer<Channel>

    /// This many samples are squared and added as Float32 before their sum is added to a Double: the relative error of
    /// the sum is below 1e-6.
    private static let pieceFrames = 64

    /// Allocates all memory.
    ///
    /// - Parameter channelCount: 1 to 64.
    ///
    /// Real-time safe: no.
    public init(channelCount: Int) {
        precondition((1...64).contains(channelCount), "A level meter takes 1 to 64 channels.")
        self.channelCount = channelCount
        unsafe channels = .allocate(capacity: channelCount)
        unsafe channels.initialize(repeating: Channel(), count: channelCount)
    }

    deinit { unsafe channels.deallocate() }

    // MARK: Measuring

    /// Reads the next frames.
    ///
    /// - Parameters:
    ///   - input: A pointer to the samples of each channel.
    ///   - frameCount: Frames of each channel, 0 or more.
    ///
    /// Real-time safe: yes. Takes about 0.5 ns a sample, up to 2 ns while the sound is clipped.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func process(_ input: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        precondition(frameCount >= 0, "A block has no negative length.")
        // A local variable, because the thread sanitizer of Swift 6.3 crashes the compiler on an inout access through
        // self.
        let states = unsafe channels
        for channel in 0..<channelCount {
            var done = 0
            while done < frameCount {
                let count = min(LevelMeter.pieceFrames, frameCount - done)
                unsafe measure(input[channel] + done, count, at: frame + Int64(done), into: &states[channel])
                done += count
            }
        }
        frame += Int64(frameCount)
    }

    /// Returns the reading of a channel since the last call, and resets peak and mean square; overs continue to count.
    ///
    /// - Parameter channel: 0 to one less than the number of channels.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func takeLevels(channel: Int) -> ChannelLevels {
        let levels = levels(channel: channel)
        // Memory-safe: the line above has checked the channel.
        unsafe channels[channel].peak = 0
        unsafe channels[channel].sumOfSquares = 0
        unsafe channels[channel].takenFrame = frame
        return levels
    }

    /// Returns the reading of a channel without a reset.
    ///
    /// - Parameter channel: 0 to one less than the number of channels.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public func levels(channel: Int) -> ChannelLevels {
        precondition(channel >= 0 && channel < channelCount, "There is no such channel.")
        var levels = ChannelLevels()
        // Memory-safe by the precondition above.
        let state = unsafe channels[channel]
        levels.peak = state.peak
        levels.frameCount = Int(frame - state.takenFrame)
        if levels.frameCount > 0 { levels.meanSquare = Float(state.sumOfSquares / Double(levels.frameCount)) }
        levels.overs = state.overs
        levels.firstOverFrame = state.firstOverFrame
        return levels
    }

    /// Clears all readings, overs too; frames count from 0 again.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func reset() {
        for channel in 0..<channelCount { unsafe channels[channel] = Channel() }
        frame = 0
    }

    /// Reads at most ``pieceFrames`` samples of one channel.
    private func measure(_ samples: UnsafePointer<Float>, _ count: Int, at frame: Int64, into state: inout Channel) {
        let level = unsafe measure_level(samples, count)
        state.sumOfSquares += Double(level.squares)
        if level.peak > state.peak { state.peak = level.peak }
        // Runs are examined sample by sample only if there are any.
        if level.peak >= LevelMeter.fullScale {
            unsafe countOvers(samples, count, at: frame, into: &state)
        } else {
            state.isClipping = false
        }
    }

    private func countOvers(_ samples: UnsafePointer<Float>, _ count: Int, at frame: Int64, into state: inout Channel) {
        var wasClipping = state.isClipping
        var index = 0
        while index < count {
            let isClipping = unsafe measurable(samples[index]).magnitude >= LevelMeter.fullScale
            if isClipping && !wasClipping {
                if state.overs == 0 { state.firstOverFrame = frame + Int64(index) }
                state.overs += 1
            }
            wasClipping = isClipping
            index += 1
        }
        state.isClipping = wasClipping
    }
}

// Sendable: one owner at a time, and everything inside belongs to this owner alone.
extension LevelMeter: @unchecked Sendable {}
