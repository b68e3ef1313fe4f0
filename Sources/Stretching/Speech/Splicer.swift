// Splicer: plays speech at another speed by copying.
//
// The splicer follows a SplicePlan made beforehand: it copies the recording and, at each splice, crossfades to another
// place of the recording. The splicer analyses nothing. A frame costs one copy; within a splice, two reads and a
// weight. All channels jump together, so the stereo image stays. Reading sources is the caller's part: the caller
// supplies samples.
internal import Samples

/// Plays a section according to a ``SplicePlan``, in pull style.
///
/// Call ``nextInput(toEmit:)`` until it returns `nil`, and supply the requested frames each time; then call
/// ``emit(_:into:offset:)``:
///
///     splicer.start(atOutput: 0, plan.list)
///     while let request = splicer.nextInput(toEmit: 64) {
///         // write request.count source frames from request.first on to splicer.input(channel)
///         splicer.acceptInput()
///     }
///     splicer.emit(64, into: channels, offset: 0)
///
/// The output depends only on the source, the plan and the start, not on the sizes of the requests. There is no delay,
/// and between splices the output equals the source bit for bit. The list must stay valid until the next start: keep
/// the plan.
@safe
package struct Splicer: ~Copyable {
    /// Number of channels, 1 to 64.
    package let channelCount: Int
    /// The largest frame count for ``nextInput(toEmit:)`` and ``emit(_:into:offset:)``.
    package let maximumEmitFrames: Int
    /// The largest count of an ``InputRequest``: some 6 ms.
    let maximumInputFrames: Int

    /// The output frame of the plan at which the next ``emit(_:into:offset:)`` begins.
    ///
    /// Real-time safe: yes.
    package private(set) var planFrame: Int64 = 0

    private let inputs: FloatStorage
    /// The outgoing side of a crossfade, kept until the incoming side arrives.
    private let leaving: FloatStorage
    /// The finished frames not yet emitted: for each channel a ring addressed by output frame.
    private let made: FloatStorage
    private let madeFrames: Int

    private var list: SpliceList?
    /// Output frames of the plan: the start of playback, and the end of the finished frames.
    private var startFrame: Int64 = 0
    private var madeEnd: Int64 = 0
    /// The source frame minus the output frame, for the frames being copied.
    private var offset: Int64 = 0
    private var nextSplice = 0
    /// The first splice after the start; earlier splices are not played.
    private var firstSplice = 0
    private var holdsLeavingSide = false

    /// Allocates all memory; call ``start(atOutput:_:)`` before anything else.
    ///
    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 8000 to 768000 Hz; the rate of all plans to be played.
    ///   - maximumEmitFrames: The largest count of frames emitted at once, 1 to 65536.
    ///
    /// Real-time safe: no.
    package init(channelCount: Int, sampleRate: Int, maximumEmitFrames: Int = 8192) {
        precondition((1...64).contains(channelCount), "A splicer takes 1 to 64 channels.")
        precondition((8000...768_000).contains(sampleRate), "A splicer takes rates of 8000 to 768000 Hz.")
        precondition((1...65536).contains(maximumEmitFrames), "A splicer emits 1 to 65536 frames at once.")
        self.channelCount = channelCount
        self.maximumEmitFrames = maximumEmitFrames
        maximumInputFrames = SpeechShape(sampleRate: sampleRate).longestCrossfadeFrames
        inputs = FloatStorage(count: channelCount * maximumInputFrames)
        leaving = FloatStorage(count: channelCount * maximumInputFrames)
        var capacity = 1
        while capacity < maximumEmitFrames + maximumInputFrames { capacity *= 2 }
        madeFrames = capacity
        made = FloatStorage(count: channelCount * capacity)
    }

    /// Starts at a frame of the plan and discards the previous state.
    ///
    /// From the start on, the splicer plays the plan to its exact end. The first sample is always the source's own: if
    /// the start lies within a crossfade, the crossfade is skipped and the incoming side plays.
    /// - Parameters:
    ///   - outputFrame: The first frame of the plan to play; before the plan's start and after its end the recording is
    ///     copied.
    ///   - list: The list of a plan made for this splicer's rate.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func start(atOutput outputFrame: Int64, _ list: SpliceList) {
        precondition(outputFrame >= -(1 << 52) && outputFrame <= 1 << 52, "A plan has at most 2^52 frames.")
        self.list = list
        nextSplice = list.firstSplice(fromOutput: outputFrame)
        firstSplice = nextSplice
        offset = list.offset(beforeSplice: nextSplice)
        startFrame = outputFrame
        planFrame = startFrame
        madeEnd = startFrame
        holdsLeavingSide = false
    }

    /// Returns the missing input for the next frames.
    ///
    /// Call the method until it returns `nil`. Calls are permitted ahead of time, with any count and without emitting.
    /// - Parameter frameCount: Frames to emit next, 0 to ``maximumEmitFrames``.
    /// - Returns: The frames to write to ``input(_:)``, at most ``maximumInputFrames``, or `nil` when everything is
    ///   ready.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func nextInput(toEmit frameCount: Int) -> InputRequest? {
        precondition(frameCount >= 0 && frameCount <= maximumEmitFrames, "More frames than the splicer was made for.")
        guard madeEnd < planFrame + Int64(frameCount) else { return nil }
        return request
    }

    /// Returns the memory for the frames of one channel that ``nextInput(toEmit:)`` requested.
    ///
    /// The address stays the same for the splicer's lifetime.
    /// - Parameter channel: From 0.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func input(_ channel: Int) -> UnsafeMutablePointer<Float> {
        precondition(channel >= 0 && channel < channelCount, "No such channel.")
        return unsafe inputs.view.base + channel * maximumInputFrames
    }

    /// Confirms that every channel's ``input(_:)`` holds the frames last requested.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func acceptInput() {
        guard let list else { preconditionFailure("A splicer is started before it is given input.") }
        let count = request.count
        guard nextSplice < list.count && madeEnd == list[nextSplice].outputFrame else {
            for channel in 0..<channelCount { makeCopy(count, ofChannel: channel) }
            madeEnd += Int64(count)
            return
        }
        if holdsLeavingSide {
            for channel in 0..<channelCount { makeCrossfade(count, ofChannel: channel) }
            madeEnd += Int64(count)
            offset = list[nextSplice].offset
            nextSplice += 1
        } else {
            for channel in 0..<channelCount { keepLeavingSide(count, ofChannel: channel) }
        }
        holdsLeavingSide.toggle()
    }

    /// Writes the next frames to `output` and overwrites its contents.
    ///
    /// - Parameters:
    ///   - frameCount: 0 to ``maximumEmitFrames``; ``nextInput(toEmit:)`` must have returned `nil` for this count.
    ///   - output: One pointer per channel.
    ///   - offset: The index of the first frame in each channel.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int)
    {
        precondition(frameCount >= 0 && frameCount <= maximumEmitFrames, "More frames than the splicer was made for.")
        precondition(madeEnd >= planFrame + Int64(frameCount), "Frames were emitted before they were made.")
        let first = slot(of: planFrame)
        let untilWrap = min(frameCount, madeFrames - first)
        let stride = MemoryLayout<Float>.stride
        for channel in 0..<channelCount {
            let ring = made.view.part(from: channel * madeFrames, count: madeFrames)
            let target = unsafe UnsafeMutableRawPointer(output[channel] + offset)
            unsafe target.copyMemory(from: ring.base + first, byteCount: untilWrap * stride)
            unsafe (target + untilWrap * stride).copyMemory(
                from: ring.base, byteCount: (frameCount - untilWrap) * stride)
        }
        planFrame += Int64(frameCount)
    }

    /// Returns the source frame heard at an output frame; within a crossfade, the weighted mean of the two sides.
    ///
    /// - Parameter frame: Output frames since the start, 0 or more; the frame need not have been emitted.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func sourcePosition(atOutput frame: Int64) -> Double {
        guard let list else { preconditionFailure("A splicer is started before it has a position.") }
        let planned = startFrame + frame
        let after = max(firstSplice, list.firstSplice(fromOutput: planned + 1))
        guard after > firstSplice else { return Double(planned + list.offset(beforeSplice: after)) }
        let splice = list[after - 1]
        guard planned < splice.endFrame else { return Double(planned + splice.offset) }
        let weight = Fade.weight(at: Int(planned - splice.outputFrame), of: Int(splice.crossfadeFrames))
        let leaving = splice.sourceFrame + planned - splice.outputFrame
        return Double(leaving) + Double(weight) * Double(splice.jumpFrames)
    }
}

// MARK: - Pieces

extension Splicer {
    /// The input of the next piece: a range to copy, or one side of a crossfade.
    private var request: InputRequest {
        guard let list else { preconditionFailure("A splicer is started before it is asked for input.") }
        guard nextSplice < list.count else { return InputRequest(first: madeEnd + offset, count: maximumInputFrames) }
        let splice = list[nextSplice]
        guard madeEnd == splice.outputFrame else {
            let count = Int(min(splice.outputFrame - madeEnd, Int64(maximumInputFrames)))
            return InputRequest(first: madeEnd + offset, count: count)
        }
        let jump = holdsLeavingSide ? Int64(splice.jumpFrames) : 0
        return InputRequest(first: splice.sourceFrame + jump, count: Int(splice.crossfadeFrames))
    }

    private func slot(of frame: Int64) -> Int { Int(truncatingIfNeeded: frame) & (madeFrames - 1) }

    private func makeCopy(_ count: Int, ofChannel channel: Int) {
        let input = inputs.view.part(from: channel * maximumInputFrames, count: count)
        let ring = made.view.part(from: channel * madeFrames, count: madeFrames)
        for index in 0..<count { ring[slot(of: madeEnd + Int64(index))] = input[index] }
    }

    private func keepLeavingSide(_ count: Int, ofChannel channel: Int) {
        let input = inputs.view.part(from: channel * maximumInputFrames, count: count)
        let kept = leaving.view.part(from: channel * maximumInputFrames, count: count)
        for index in 0..<count { kept[index] = input[index] }
    }

    private func makeCrossfade(_ count: Int, ofChannel channel: Int) {
        let arriving = inputs.view.part(from: channel * maximumInputFrames, count: count)
        let left = leaving.view.part(from: channel * maximumInputFrames, count: count)
        let ring = made.view.part(from: channel * madeFrames, count: madeFrames)
        for index in 0..<count {
            let weight = Fade.weight(at: index, of: count)
            // If both samples are equal, the result is the same sample, bit for bit.
            ring[slot(of: madeEnd + Int64(index))] = left[index] + weight * (arriving[index] - left[index])
        }
    }
}

// Safe to send: a splicer has one owner at a time and owns its memory exclusively; the list's memory belongs to the
// plan, which the owner keeps.
extension Splicer: @unchecked Sendable {}
