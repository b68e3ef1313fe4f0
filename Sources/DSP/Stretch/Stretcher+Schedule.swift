// The work of a stretcher at each step of its grid, and the source frames it needs. The work of a step depends on output
// frames only, not on how many of them are requested.

extension Stretcher {
    /// Whether the current work waits for source frames.
    var needsInput: Bool {
        if !hasCopied { return split.acceptedEnd < startFrame + Int64(shape.copiedFrames) }
        return split.dividedEnd < front ?? .min && split.dividedEnd == split.acceptedEnd
    }

    /// Does one piece of the step's work; nil if the step is complete.
    mutating func runDueWork() -> Step? {
        // Not earlier: until work begins, speed changes are accepted for any frame.
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
        high.short.runStage(
            split.high, place: position.position(atStep: step), source: segmentSource(atStep: step, .high),
            interpolator: split.middleInterpolator)
        guard isOpening else { return }
        high.short.fillStart(
            split.high, from: shape.copiedFrames, start: startFrame, interpolator: split.middleInterpolator)
    }

    private mutating func runSteadyHigh() {
        let step = high.long.middleStep
        high.long.runStage(
            split.high, place: position.position(atStep: step), source: segmentSource(atStep: step, .high),
            interpolator: split.middleInterpolator)
    }

    private mutating func runMiddle() {
        let isOpening = middle.short.nextStage == 0
        let step = middle.short.middleStep
        middle.short.runStage(
            split.middle, place: position.position(atStep: step), source: segmentSource(atStep: step, .middle),
            interpolator: split.middleInterpolator)
        guard isOpening else { return }
        middle.short.fillStart(split.middle, from: 0, start: startFrame, interpolator: split.middleInterpolator)
    }

    private mutating func runSteadyMiddle() {
        let step = middle.long.middleStep
        middle.long.runStage(
            split.middle, place: position.position(atStep: step), source: segmentSource(atStep: step, .middle),
            interpolator: split.middleInterpolator)
    }

    /// Decides whether the high band's other windows take over; if so, begins with them.
    private mutating func changesHigh() -> Bool {
        guard changesWindows(of: high, .high) else {
            high.postpone()
            return false
        }
        high.change(
            split.high, source: segmentSource(atStep: high.proposedStep, .high),
            interpolator: split.middleInterpolator, gridFrames: shape.gridFrames)
        return true
    }

    private mutating func changesMiddle() -> Bool {
        guard changesWindows(of: middle, .middle) else {
            middle.postpone()
            return false
        }
        middle.change(
            split.middle, source: segmentSource(atStep: middle.proposedStep, .middle),
            interpolator: split.middleInterpolator, gridFrames: shape.gridFrames)
        return true
    }

    /// Whether a band's other windows shall take over, and can.
    ///
    /// From the latest known rotations until then no attack may land, and the source of the longest window there must be known.
    private func changesWindows(of band: borrowing PairedBand, _ name: StretchBand) -> Bool {
        let (solved, proposed) = (band.solvedStep, band.proposedStep)
        let place = position.position(atStep: proposed)
        guard position.landings.list.isSteady(name, at: Int64(place)) != band.isSteady, solved >= 0 else {
            return false
        }
        let oldest =
            min(position.position(atStep: solved), place - Double((proposed - solved) * Int64(shape.gridFrames)))
            - Double(band.long.schedule.reachFrames)
        return oldest >= Double(split.firstFrame + Int64(context(of: name)))
            && position.segment(atStep: solved).landing == position.segment(atStep: proposed).landing
    }

    private mutating func runLow() {
        let isOpening = low.nextStage == 0
        let step = low.middleStep
        low.runStage(
            split.low, place: position.position(atStep: step), source: segmentSource(atStep: step, .low),
            interpolator: split.lowInterpolator)
        guard isOpening else { return }
        low.fillStart(split.low, from: 0, start: startFrame, interpolator: split.lowInterpolator)
    }

    mutating func finishStep() {
        if step >= Int64(shape.copiedSteps) {
            if bands == .three { mixBands() }
            addAttacks(from: step * Int64(shape.gridFrames))
        }
        step += 1
        front = nil
    }

    /// Copies the first frames of the output from the source.
    private mutating func copyStart() {
        for channel in 0..<channelCount {
            for index in stride(from: 0, to: shape.copiedFrames, by: Lanes.scalarCount) {
                let source = split.source.run(
                    channel: channel, from: startFrame + Int64(index), count: Lanes.scalarCount)
                high.short.output.write(source[lanes: 0], channel: channel, at: Int64(index))
            }
        }
        hasCopied = true
    }

    /// Adds the step's frames of all tracks to those of the high band's short windows, where the output is collected.
    private func mixBands() {
        let frames = step * Int64(shape.gridFrames)
        if !high.hearsShort(at: step) { silenceShort(from: frames) }
        if high.hearsLong(at: step) { addHigh(high.long.output, from: frames) }
        if middle.hearsShort(at: step) { addMiddle(middle.short.output, from: frames) }
        if middle.hearsLong(at: step) { addMiddle(middle.long.output, from: frames) }
        addLow(from: frames)
    }

    /// The short windows' output holds nothing of use where they are not heard.
    private func silenceShort(from frames: Int64) {
        for channel in 0..<channelCount {
            for index in stride(from: 0, to: shape.gridFrames, by: Lanes.scalarCount) {
                high.short.output.write(Lanes(), channel: channel, at: frames &+ Int64(index))
            }
        }
    }

    private func addHigh(_ track: borrowing SampleRing, from frames: Int64) {
        for channel in 0..<channelCount {
            let samples = track.run(channel: channel, from: frames, count: shape.gridFrames)
            for index in stride(from: 0, to: shape.gridFrames, by: Lanes.scalarCount) {
                high.short.output.add(samples[lanes: index], channel: channel, at: frames &+ Int64(index))
            }
        }
    }

    private func addMiddle(_ track: borrowing SampleRing, from frames: Int64) {
        let factor = Int64(middle.short.factor)
        for channel in 0..<channelCount {
            for frame in stride(from: frames, to: frames + Int64(shape.gridFrames), by: Int(factor)) {
                let samples = track.run(
                    channel: channel, from: frame / factor - Int64(BandShape.reach - 1),
                    count: BandInterpolator.sampleCount)
                mix(samples, split.middleInterpolator, offset: 0, channel: channel, at: frame)
            }
        }
    }

    private func addLow(from frames: Int64) {
        // In runs as long as a sample of the middle band: half one of the low band.
        let factor = Int64(middle.short.factor)
        for channel in 0..<channelCount {
            for frame in stride(from: frames, to: frames + Int64(shape.gridFrames), by: Int(factor)) {
                let index = frame / factor
                let samples = low.output.run(
                    channel: channel, from: (index >> 1) - Int64(BandShape.reach - 1),
                    count: BandInterpolator.sampleCount)
                mix(samples, split.lowInterpolator, offset: Int((index & 1) * factor), channel: channel, at: frame)
            }
        }
    }

    /// Adds as many frames as a sample of the middle band has, interpolated.
    @inline(__always)
    private func mix(
        _ samples: Floats, _ interpolator: borrowing BandInterpolator, offset: Int, channel: Int, at frame: Int64
    ) {
        let factor = middle.short.factor
        if factor >= Lanes.scalarCount {
            for index in stride(from: 0, to: factor, by: Lanes.scalarCount) {
                high.short.output.add(
                    interpolator.lanes(samples, frame: offset + index), channel: channel, at: frame &+ Int64(index))
            }
        } else {
            for index in 0..<factor {
                high.short.output.add(
                    interpolator.value(samples, frame: offset + index), channel: channel, at: frame &+ Int64(index))
            }
        }
    }

    /// The source frame up to which the source must be split for the stages of a step.
    ///
    /// During the first steps of a start this range is divided into parts, and no stage runs. The parts are equal except for the
    /// first, which is smaller: that step also copies the first frames, and its code and tables are not in the caches yet.
    private mutating func frontOfSource(at step: Int64) -> Int64 {
        let last = max(step, Int64(shape.copiedSteps))
        var end = newestNeeded(high.short.schedule, .high, at: last)
        if bands == .three {
            end = max(end, newestNeeded(middle.short.schedule, .middle, at: last))
            end = max(end, newestNeeded(low.schedule, .low, at: last))
            // Their filters look farther ahead than the low band's.
            if high.long.isPlaying { end = max(end, newestNeeded(high.long.schedule, .high, at: last)) }
            if middle.long.isPlaying { end = max(end, newestNeeded(middle.long.schedule, .middle, at: last)) }
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

    /// The first source frame that any band needs: a band compares its second window with the source a hop earlier.
    func firstNeeded() -> Int64 {
        var first = oldestNeeded(high.short.schedule, .high)
        if bands == .three {
            first = min(first, oldestNeeded(middle.short.schedule, .middle))
            first = min(first, oldestNeeded(low.schedule, .low))
        }
        return first
    }

    private func oldestNeeded(_ schedule: BandSchedule, _ band: StretchBand) -> Int64 {
        let hopFrames = schedule.hopSteps * Int64(shape.gridFrames)
        let middle = startFrame + schedule.firstWindow * hopFrames
        return middle - hopFrames - Int64(schedule.reachFrames + context(of: band))
    }

    /// Source frames around a sample that its value depends on.
    private func context(of band: StretchBand) -> Int { bands == .one ? 0 : bandContexts[band.rawValue] }
}
