// Splicer: speech at another speed, by copying.
//
// It follows a SplicePlan, which was made beforehand: copies the recording and, at each splice, crossfades to another place
// of it. It decides nothing and analyses nothing; a frame costs a copy, within a splice two reads and a weight. All channels
// jump together, so the stereo image stays. It does not read sources: the caller hands it samples.

/// Plays a section as a ``SplicePlan`` says, in pull style.
///
/// Ask ``nextInput(toEmit:)`` until it returns `nil`, handing in the frames it names each time; then
/// ``emit(_:into:offset:)``:
///
///     splicer.start(atOutput: 0, plan.list)
///     while let request = splicer.nextInput(toEmit: 64) {
///         // write request.count source frames from request.first on to splicer.input(channel)
///         splicer.acceptInput()
///     }
///     splicer.emit(64, into: channels, offset: 0)
///
/// The output is a function of the source, the plan and the start alone, never of how it was asked for. There is no delay,
/// and between splices the output is the source to the bit. The list must stay valid until the next start: keep the plan.
@safe
package struct Splicer: ~Copyable {
    /// Number of channels, 1 to 64.
    package let channelCount: Int
    /// The largest count ``nextInput(toEmit:)`` and ``emit(_:into:offset:)`` take.
    package let maximumEmitFrames: Int
    /// The largest count an ``InputRequest`` names: some 6 ms.
    let maximumInputFrames: Int

    /// The output frame of the plan that ``emit(_:into:offset:)`` gives next.
    ///
    /// Real-time safe: yes.
    package private(set) var planFrame: Int64 = 0

    private let inputs: FloatStorage
    /// The side of a crossfade that is left, until the side that is gone to has come.
    private let leaving: FloatStorage
    /// What is made and not yet emitted, of every channel a ring addressed by output frame.
    private let made: FloatStorage
    private let madeFrames: Int

    private var list: SpliceList?
    /// Output frames of the plan: where this splicer began, and the end of what is made.
    private var startFrame: Int64 = 0
    private var madeEnd: Int64 = 0
    /// What is added to an output frame to get the source frame that is copied.
    private var offset: Int64 = 0
    private var nextSplice = 0
    /// The first splice after the start: those before it are not heard.
    private var firstSplice = 0
    private var holdsLeavingSide = false

    /// Allocates everything a splicer needs; call ``start(atOutput:_:)`` before anything else.
    ///
    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 8000 to 768000 Hz, that of the plans to come.
    ///   - maximumEmitFrames: The largest count of frames to be emitted at once, 1 to 65536.
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

    /// Begins anew at a place of the plan; whatever was there before is forgotten.
    ///
    /// What follows is what follows in the plan, to its exact end. The first sample is the source's own, wherever the start
    /// is: a crossfade that is under way there is left out, for the side it leads to.
    /// - Parameters:
    ///   - outputFrame: The frame of the plan heard first; before its start and behind its end the recording is copied.
    ///   - list: Of a plan made for this splicer's rate.
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

    /// Names the input that is missing for the next frames.
    ///
    /// Call it until it returns `nil`. It may be called ahead of time, with any counts and without emitting anything.
    /// - Parameter frameCount: Frames to be emitted next, 0 to ``maximumEmitFrames``.
    /// - Returns: What to write to ``input(_:)``, at most ``maximumInputFrames``, or `nil` when everything is ready.
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

    /// Where the caller writes the frames of one channel, once ``nextInput(toEmit:)`` has asked.
    ///
    /// The address stays the same for the splicer's life.
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

    /// Says that every channel's ``input(_:)`` holds the frames last asked for.
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

    /// Writes the next frames, over what was there.
    ///
    /// - Parameters:
    ///   - frameCount: 0 to ``maximumEmitFrames``; ``nextInput(toEmit:)`` must have returned `nil` for it.
    ///   - output: One pointer a channel.
    ///   - offset: Where in each channel the first frame goes.
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

    /// The source frame heard at an output frame; within a crossfade, between the two sides by their weights.
    ///
    /// - Parameter frame: Output frames since the start, 0 or more; need not have been emitted.
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
    /// What the next piece needs: a range to copy, or one side of a crossfade.
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
            // Of two equal samples this is the sample itself, to the bit.
            ring[slot(of: madeEnd + Int64(index))] = left[index] + weight * (arriving[index] - left[index])
        }
    }
}

// One owner at a time; the memory belongs to that owner, the list's to the plan that the owner keeps.
extension Splicer: @unchecked Sendable {}
