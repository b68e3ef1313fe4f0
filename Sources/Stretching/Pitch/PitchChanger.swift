// PitchChanger: reads a signal faster or slower, and optionally restores its formants.
//
// The interpolator multiplies all frequencies, including the resonances of a throat or a body. The filter after the
// interpolator takes the signal's original envelope from the frames that the interpolator holds. The changer does no
// time stretching.
internal import Samples

/// Changes the pitch in pull style: the changer tells the caller how many frames of the signal to write.
///
///     changer.start(ratio: 2, keepsFormants: true)
///     // write the `historyFrames` frames before the signal's first frame to `inputs`, then accept(historyFrames)
///     // write framesNeeded(toEmit: 64) frames of the signal, at once or in pieces, `inputOffset` after `inputs`,
///     // and accept each
///     changer.emit(64, into: channels, offset: 0)
///
/// The output depends on the signal, the ratio and the choice of formants alone, not on block sizes. Formants are found
/// in some 46 ms of the signal: at the start in the frames before the signal's first frame, later in the frames around
/// each frame. The look-ahead grows by a quarter of a frame per frame, so that a start costs no burst of work.
///
/// Real-time safe: all but `init`.
@safe
@usableFromInline package struct PitchChanger: ~Copyable {
    private var interpolator: PitchInterpolator
    private var filter: Boxed<FormantFilter>
    /// The choice of formants; nil after a start without formants kept.
    private var formants: FormantPassage?
    /// Frames emitted since the start; below 0 while frames before the first frame still wait for the filter.
    private var emittedFrames: Int64 = 0

    /// Signal frames in which the look-ahead grows by one.
    private static var growthFrames: Int64 { 4 }

    /// The choice of formants now, and from a frame of the signal on.
    private struct FormantPassage {
        var isKept = true
        var end = Int64.max
        var isKeptThen = true
    }

    /// Allocates all memory; call ``start(ratio:keepsFormants:)`` before anything else.
    ///
    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 8000 to 768000 Hz.
    ///   - maximumEmitFrames: The largest count of frames emitted at once, 1 to 32768.
    ///
    /// Real-time safe: no.
    package init(channelCount: Int, sampleRate: Int, maximumEmitFrames: Int) {
        precondition((1...32768).contains(maximumEmitFrames), "A pitch changer emits 1 to 32768 frames at once.")
        let filter = FormantFilter(
            channelCount: channelCount, sampleRate: sampleRate, maximumFrames: maximumEmitFrames)
        interpolator = PitchInterpolator(
            channelCount: channelCount, maximumEmitFrames: maximumEmitFrames + filter.pastFrames,
            contextFrames: filter.envelope.windowFrames)
        self.filter = Boxed(filter)
    }

    /// Starts with another signal and discards the previous one.
    ///
    /// - Parameters:
    ///   - ratio: Signal frames per output frame, 0.25 to 4: 2 is an octave up.
    ///   - keepsFormants: True if the spectral envelope stays while all frequencies are multiplied.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func start(ratio: Double, keepsFormants: Bool) {
        let past = keepsFormants ? filter.value.pastFrames : 0
        emittedFrames = -Int64(past)
        interpolator.start(ratio: ratio, pastOutputFrames: past, keepsContext: keepsFormants)
        filter.value.start()
        formants = keepsFormants ? FormantPassage() : nil
    }

    private var keepsFormants: Bool { formants != nil }

    /// Returns the frame of the signal heard at the next output frame, counted from the signal's first frame.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func signalFrame() -> Int64 { signalFrame(at: max(0, emittedFrames)) }

    /// Selects whether formants are kept or move with the pitch, from the next 12 ms on. Has an effect only after a
    /// start with formants kept.
    ///
    /// - Parameters:
    ///   - isKept: True if formants are kept now.
    ///   - end: The frame of the signal from which `isKeptThen` holds instead.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func keepFormants(_ isKept: Bool, until end: Int64, then isKeptThen: Bool) {
        guard keepsFormants else { return }
        formants = FormantPassage(isKept: isKept, end: end, isKeptThen: isKeptThen)
    }

    /// Returns the number of frames before the signal's first frame that must be written first.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func historyFrames() -> Int { interpolator.historyFrames }

    /// Returns the upper bound of ``historyFrames()``.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func longestHistoryFrames() -> Int {
        PitchInterpolator.longestHistoryFrames + filter.value.envelope.windowFrames
    }

    /// Returns the most signal frames that the first `frameCount` output frames need, from the signal's first frame on.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func aheadFrames(toEmit frameCount: Int, ratio: Double) -> Int {
        // A quarter more for the growing look-ahead; one frame for each rounding.
        Int(Double(frameCount) * ratio * 1.25) + PitchInterpolator.longestHistoryFrames + 2
    }

    /// Returns the most signal frames read beyond the heard frame.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func leadFrames() -> Int { keepsFormants ? longestAhead() : interpolator.halfFrames }

    /// Returns one pointer per channel to the memory of the signal; see ``inputOffset()``.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func inputs() -> UnsafePointer<UnsafeMutablePointer<Float>> { unsafe interpolator.inputs() }

    /// Returns the distance from ``inputs()`` at which the next frames are written, in frames.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func inputOffset() -> Int { interpolator.inputOffset }

    /// Returns the number of frames still to be written before an emission, including the history.
    ///
    /// - Parameter frameCount: Frames to emit next, 0 to `maximumEmitFrames` of the initialiser.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func framesNeeded(toEmit frameCount: Int) -> Int {
        guard frameCount > 0, keepsFormants else { return interpolator.framesNeeded(toEmit: frameCount) }
        let missing = Int(max(0, -emittedFrames))
        let last = max(0, emittedFrames) + Int64(frameCount) - 1
        return interpolator.framesNeeded(toEmit: frameCount + missing, ahead: ahead(at: last))
    }

    /// Confirms that this many frames of every channel were written.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func accept(_ frameCount: Int) { interpolator.accept(frameCount) }

    /// Writes the next frames; ``framesNeeded(toEmit:)`` must be 0 for this count.
    ///
    /// - Parameters:
    ///   - output: One pointer per channel.
    ///   - offset: The index of the first frame in each channel.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int)
    {
        guard let formants else { return unsafe interpolator.emit(frameCount, into: output, offset: offset) }
        guard frameCount > 0 else { return }
        if emittedFrames < 0 {
            unsafe interpolator.emit(Int(-emittedFrames), into: filter.value.inputs, offset: 0)
            emittedFrames = 0
        }
        var done = 0
        while done < frameCount {
            let first = Int(emittedFrames % Int64(filter.value.hopFrames))
            if first == 0 { makeResponse(formants) }
            let part = min(frameCount - done, filter.value.hopFrames - first)
            unsafe interpolator.emit(part, into: filter.value.inputs, offset: filter.value.pastFrames)
            unsafe filter.value.apply(part, from: first, into: output, offset: offset + done)
            emittedFrames += Int64(part)
            done += part
        }
    }

    /// Makes the filter for the hop that begins with the next frame.
    private mutating func makeResponse(_ formants: FormantPassage) {
        let isOver = signalFrame(at: emittedFrames) >= formants.end
        guard isOver ? formants.isKeptThen : formants.isKept else { return filter.value.makeNoResponse() }
        let count = filter.value.envelope.windowFrames
        let first = ahead(at: emittedFrames) - count
        filter.value.envelope.begin()
        // Powers are added, so that opposite sound in two channels does not vanish. More than two groups are not worth
        // their transforms.
        for group in 0..<min(2, filter.value.channelCount) {
            for channel in stride(from: group, to: filter.value.channelCount, by: 2) {
                filter.value.envelope.add(interpolator.signal(channel, from: first, count: count))
            }
            filter.value.envelope.addGroup()
        }
        filter.value.makeResponse(ratio: Float(interpolator.ratio))
    }

    private func signalFrame(at frame: Int64) -> Int64 { Int64(Double(frame) * interpolator.ratio) }

    private func longestAhead() -> Int { max(interpolator.halfFrames, filter.value.envelope.windowFrames / 2) }

    /// Returns the number of signal frames known beyond the frame heard at an output frame.
    private func ahead(at frame: Int64) -> Int {
        let grown = min(
            Int64(longestAhead()), signalFrame(at: frame) / Self.growthFrames + Int64(interpolator.halfFrames))
        return Int(grown)
    }
}
