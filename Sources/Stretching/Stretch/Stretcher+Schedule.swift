// The work of a stretcher at each step of its grid, and the source frames for the work. The work of a step depends on
// output frames only, not on the number of frames requested at once.
internal import Samples

extension Stretcher {
    /// True if the current work waits for source frames.
    var needsInput: Bool {
        if !hasCopied {
            return split.acceptedEnd < copyFrame + max(0, position.start.leadFrames) + Int64(shape.copiedFrames)
        }
        return split.dividedEnd < front ?? .min && split.dividedEnd == split.acceptedEnd
    }

    /// Does one piece of the step's work; returns nil if the step is complete.
    mutating func runDueWork() -> Step? {
        // Computed no earlier: until work begins, speed changes are accepted for any frame.
        let front = front ?? frontOfSource(at: step)
        self.front = front
        if needsInput { return .needsInput(InputRequest(first: split.acceptedEnd, count: inputFrames)) }
        if !hasCopied {
            copyStart()
        } else if split.dividedEnd < front {
            split.split()
        } else if high.decisionStep <= step && changesHigh() || middle.decisionStep <= step && changesMiddle() {
            return .ranStage
        } else if high.short.isDue(at: step) {
            runHigh()
        } else if high.long.isDue(at: step) {
            runSteadyHigh()
        } else if bands == .three && middle.short.isDue(at: step) {
            runMiddle()
        } else if middle.long.isDue(at: step) {
            runSteadyMiddle()
        } else if bands == .three && low.isDue(at: step) {
            runLow()
        } else {
            return nil
        }
        return .ranStage
    }

    private mutating func runHigh() {
        let isOpening = high.short.nextStage == 0
        let step = high.short.middleStep
        let (source, place) = (segmentSource(atStep: step, .high), position.position(atStep: step))
        high.short.isNoise = position.landings.list.isNoise(at: Int64(place))
        high.short.voice.period = position.landings.list.voicePeriod(at: Int64(place))
        high.short.runStage(split.high, place: place, source: source, interpolator: split.middleInterpolator)
        guard isOpening else { return }
        high.short.fillStart(
            split.high, from: shape.copiedFrames, start: copyFrame, interpolator: split.middleInterpolator)
    }

    private mutating func runSteadyHigh() {
        let step = high.long.middleStep
        let source = segmentSource(atStep: step, .high)
        high.long.runStage(
            split.high, place: position.position(atStep: step), source: source, interpolator: split.middleInterpolator)
    }

    private mutating func runMiddle() {
        let isOpening = middle.short.nextStage == 0
        let step = middle.short.middleStep
        let source = segmentSource(atStep: step, .middle)
        middle.short.runStage(
            split.middle, place: position.position(atStep: step), source: source, interpolator: split.middleInterpolator
        )
        guard isOpening else { return }
        middle.short.fillStart(split.middle, from: 0, start: copyFrame, interpolator: split.middleInterpolator)
    }

    private mutating func runSteadyMiddle() {
        let step = middle.long.middleStep
        let source = segmentSource(atStep: step, .middle)
        middle.long.runStage(
            split.middle, place: position.position(atStep: step), source: source, interpolator: split.middleInterpolator
        )
    }

    /// Decides whether the high band's other windows take over, and if so starts these windows.
    private mutating func changesHigh() -> Bool {
        let (solved, proposed) = (high.solvedStep, high.proposedStep)
        let (isSteady, reach) = (high.isSteady, high.long.schedule.reachFrames)
        guard staysInSegment(from: solved, to: proposed),
            changesWindows(of: .high, isSteady: isSteady, from: solved, to: proposed, reachFrames: reach)
        else {
            high.postpone()
            return false
        }
        let source = segmentSource(atStep: high.proposedStep, .high)
        high.change(
            split.high, source: source, interpolator: split.middleInterpolator, gridFrames: shape.gridFrames)
        return true
    }

    private mutating func changesMiddle() -> Bool {
        let (solved, proposed) = (middle.solvedStep, middle.proposedStep)
        let (isSteady, reach) = (middle.isSteady, middle.long.schedule.reachFrames)
        guard staysInSegment(from: solved, to: proposed),
            changesWindows(of: .middle, isSteady: isSteady, from: solved, to: proposed, reachFrames: reach)
        else {
            middle.postpone()
            return false
        }
        let source = segmentSource(atStep: middle.proposedStep, .middle)
        middle.change(
            split.middle, source: source, interpolator: split.middleInterpolator, gridFrames: shape.gridFrames)
        return true
    }

    /// True if rotations are known and no attack lands between the latest known rotations and a change.
    private mutating func staysInSegment(from solved: Int64, to proposed: Int64) -> Bool {
        guard solved >= 0 else { return false }
        return position.segment(atStep: solved).landing == position.segment(atStep: proposed).landing
    }

    /// True if a band's other windows should take over and can: the source of the longest window at the change must be
    /// known.
    ///
    /// The parameters are numbers, because passing a band would copy the band.
    private mutating func changesWindows(
        of band: StretchBand, isSteady: Bool, from solved: Int64, to proposed: Int64, reachFrames: Int
    ) -> Bool {
        let place = position.position(atStep: proposed)
        guard prefersLongWindows(band, at: Int64(place)) != isSteady, solved >= 0 else { return false }
        let oldest =
            min(position.position(atStep: solved), place - Double((proposed - solved) * Int64(shape.gridFrames)))
            - Double(reachFrames)
        return oldest >= Double(split.firstFrame + Int64(context(of: band)))
    }

    /// True if a change is due for decision now and the other windows suit the sound there.
    private mutating func wantsChange(of band: StretchBand, isSteady: Bool, from decision: Int64, to proposed: Int64)
        -> Bool
    {
        guard decision <= step else { return false }
        return prefersLongWindows(band, at: Int64(position.position(atStep: proposed))) != isSteady
    }

    /// True if long windows suit a band's sound at a source frame. Normally this is a steady sound. In a frozen sound,
    /// which no longer moves, long windows suit everything except noise made anew, which needs short windows.
    private mutating func prefersLongWindows(_ band: StretchBand, at frame: Int64) -> Bool {
        let list = position.landings.list
        return isFrozen ? band != .high || !list.isNoise(at: frame) : list.isSteady(band, at: frame)
    }

    private mutating func runLow() {
        let isOpening = low.nextStage == 0
        let step = low.middleStep
        let source = segmentSource(atStep: step, .low)
        lowBand.value.runStage(
            split.low, place: position.position(atStep: step), source: source, interpolator: split.lowInterpolator)
        guard isOpening else { return }
        low.fillStart(split.low, from: 0, start: copyFrame, interpolator: split.lowInterpolator)
    }

    mutating func finishStep() {
        if step >= Int64(shape.copiedSteps) {
            if bands == .three { mixBands() }
            addAttacks(from: step * Int64(shape.gridFrames))
        }
        step += 1
        front = nil
    }

    /// The source frame at which the copy of the start begins.
    private var copyFrame: Int64 { position.copyFrame }

    /// Copies the first frames of the output from the source.
    private mutating func copyStart() {
        for channel in 0..<channelCount {
            for index in stride(from: 0, to: shape.copiedFrames, by: Lanes.scalarCount) {
                let source = split.source.run(
                    channel: channel, from: copyFrame + Int64(index), count: Lanes.scalarCount)
                high.short.output.write(source[lanes: 0], channel: channel, at: Int64(index))
            }
            crossOverAtStart(channel)
        }
        hasCopied = true
    }

    /// Begins with the first frame of the source, where the copy comes from elsewhere; see ``AttackStart``.
    private func crossOverAtStart(_ channel: Int) {
        let length = position.start.fadeFrames
        for index in stride(from: 0, to: length, by: Lanes.scalarCount) {
            let first = copyFrame + position.start.leadFrames + index
            let heard = split.source.run(channel: channel, from: first, count: Lanes.scalarCount)[lanes: 0]
            var copy = high.short.output.run(channel: channel, from: index, count: Lanes.scalarCount)[lanes: 0]
            for lane in 0..<Lanes.scalarCount where index + Int64(lane) < length {
                let share = AttackTimes.smooth(Float(index + Int64(lane)) / Float(length))
                copy[lane] = heard[lane] + share * (copy[lane] - heard[lane])
            }
            high.short.output.write(copy, channel: channel, at: index)
        }
    }

    /// Adds the step's frames of all tracks to the output of the high band's short windows, which collects the whole
    /// output.
    ///
    /// The method is mutating, and its helpers receive only their inputs: a function that borrows the whole stretcher
    /// copies all unboxed state, at every step.
    private mutating func mixBands() {
        let first = step * Int64(shape.gridFrames)
        let frames = first..<first + Int64(shape.gridFrames)
        if !high.hearsShort(at: step) { Self.silence(high.short.output, frames) }
        if high.hearsLong(at: step) { Self.add(high.long.output, to: high.short.output, frames) }
        let factor = split.middleInterpolator.factor
        if middle.hearsShort(at: step) {
            Self.add(middle.short.output, split.middleInterpolator, to: high.short.output, frames, runFrames: factor)
        }
        if middle.hearsLong(at: step) {
            Self.add(middle.long.output, split.middleInterpolator, to: high.short.output, frames, runFrames: factor)
        }
        // Runs as long as a sample of the middle band, which is half a sample of the low band.
        Self.add(low.output, split.lowInterpolator, to: high.short.output, frames, runFrames: factor)
    }

    /// Silences the short windows' output where the short windows are not heard: its contents there are meaningless.
    private static func silence(_ output: borrowing SampleRing, _ frames: Range<Int64>) {
        for channel in 0..<output.channelCount {
            for frame in stride(from: frames.lowerBound, to: frames.upperBound, by: Lanes.scalarCount) {
                output.write(Lanes(), channel: channel, at: frame)
            }
        }
    }

    private static func add(_ track: borrowing SampleRing, to output: borrowing SampleRing, _ frames: Range<Int64>) {
        for channel in 0..<output.channelCount {
            let samples = track.run(channel: channel, from: frames.lowerBound, count: frames.count)
            for index in stride(from: 0, to: frames.count, by: Lanes.scalarCount) {
                output.add(samples[lanes: index], channel: channel, at: frames.lowerBound &+ Int64(index))
            }
        }
    }

    /// Adds the frames of a decimated band, interpolated in runs that divide the interpolator's factor.
    private static func add(
        _ track: borrowing SampleRing, _ interpolator: borrowing BandInterpolator, to output: borrowing SampleRing,
        _ frames: Range<Int64>, runFrames: Int
    ) {
        let factor = Int64(interpolator.factor)
        let sampleCount = frames.count / interpolator.factor + 1 + BandInterpolator.sampleCount
        for channel in 0..<output.channelCount {
            if runFrames >= Lanes.scalarCount, sampleCount <= track.runCount {
                let index = frames.lowerBound / factor
                let samples = track.run(
                    channel: channel, from: index - Int64(BandShape.reach - 1), count: sampleCount)
                output.add(
                    samples, interpolator, from: Int(frames.lowerBound - index * factor), count: frames.count,
                    channel: channel, at: frames.lowerBound)
                continue
            }
            for frame in stride(from: frames.lowerBound, to: frames.upperBound, by: runFrames) {
                let index = frame / factor
                let offset = Int(frame - index * factor)
                let samples = track.run(
                    channel: channel, from: index - Int64(BandShape.reach - 1), count: BandInterpolator.sampleCount)
                if runFrames >= Lanes.scalarCount {
                    for place in stride(from: 0, to: runFrames, by: Lanes.scalarCount) {
                        output.add(
                            interpolator.lanes(samples, frame: offset + place), channel: channel,
                            at: frame &+ Int64(place))
                    }
                } else {
                    for place in 0..<runFrames {
                        output.add(
                            interpolator.value(samples, frame: offset + place), channel: channel,
                            at: frame &+ Int64(place))
                    }
                }
            }
        }
    }

    /// Returns the source frame up to which the source must be split for the stages of a step.
    ///
    /// During the first steps of a start this range is divided into parts, and no stage runs. The parts are equal
    /// except for the smaller first part: the first step also copies the first frames, and its code and tables are not
    /// in the caches yet.
    private mutating func frontOfSource(at step: Int64) -> Int64 {
        let last = max(step, Int64(shape.copiedSteps))
        var end = newestNeeded(high.short.schedule, .high, at: last)
        if bands == .three {
            end = max(end, newestNeeded(middle.short.schedule, .middle, at: last))
            end = max(end, newestNeeded(low.schedule, .low, at: last))
            // The long windows' filters look farther ahead than the low band's. When long windows take over, they read
            // at the place of the latest solved short window, which a slow or frozen sound has hardly left.
            let (highDecision, highChange) = (high.decisionStep, high.proposedStep)
            let isHighSteady = high.isSteady
            if high.long.isPlaying
                || wantsChange(of: .high, isSteady: isHighSteady, from: highDecision, to: highChange)
            {
                end = max(end, newestNeeded(high.long.schedule, .high, at: last))
            }
            let (middleDecision, middleChange) = (middle.decisionStep, middle.proposedStep)
            let isMiddleSteady = middle.isSteady
            if middle.long.isPlaying
                || wantsChange(of: .middle, isSteady: isMiddleSteady, from: middleDecision, to: middleChange)
            {
                end = max(end, newestNeeded(middle.long.schedule, .middle, at: last))
            }
        }
        let (parts, first) = (Int64(shape.splitSteps), split.dividedEnd)
        guard step < parts else { return end }
        return first + (end - first) / (step == 0 ? parts + 1 : parts - step)
    }

    private mutating func newestNeeded(_ schedule: BandSchedule, _ band: StretchBand, at step: Int64) -> Int64 {
        let middle = schedule.reach(ofStep: step)
        position.advance(through: middle)
        return Int64(position.position(atStep: middle)) + Int64(schedule.reachFrames + context(of: band))
    }

    /// Returns the first source frame that any band needs: a band compares its second window with the source a hop
    /// earlier.
    func firstNeeded() -> Int64 {
        var first = oldestNeeded(high.short.schedule, .high)
        if bands == .three {
            first = min(first, oldestNeeded(middle.short.schedule, .middle))
            first = min(first, oldestNeeded(low.schedule, .low))
            if isFrozen { first = min(first, copyFrame - Int64(frozenLead)) }
        }
        return first
    }

    private func oldestNeeded(_ schedule: BandSchedule, _ band: StretchBand) -> Int64 {
        let hopFrames = schedule.hopSteps * Int64(shape.gridFrames)
        let middle = copyFrame + schedule.firstWindow * hopFrames
        return middle - hopFrames - Int64(schedule.reachFrames + context(of: band))
    }

    /// Returns the source frames around a sample that determine the sample's value.
    private func context(of band: StretchBand) -> Int { bands == .one ? 0 : bandContexts[band.rawValue] }
}
