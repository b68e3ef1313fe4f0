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
        } else if high.isDue(at: step) {
            runHigh()
        } else if bands == .three && middle.isDue(at: step) {
            runMiddle()
        } else if bands == .three && low.isDue(at: step) {
            runLow()
        } else {
            return nil
        }
        return .ranStage
    }

    private mutating func runHigh() {
        let isOpening = high.nextStage == 0
        let step = high.middleStep
        high.runStage(
            split.high, place: position.position(atStep: step), source: segmentSource(atStep: step, .high),
            interpolator: split.middleInterpolator)
        guard isOpening else { return }
        high.fillStart(
            split.high, from: shape.copiedFrames, start: startFrame, interpolator: split.middleInterpolator)
    }

    private mutating func runMiddle() {
        let isOpening = middle.nextStage == 0
        let step = middle.middleStep
        middle.runStage(
            split.middle, place: position.position(atStep: step), source: segmentSource(atStep: step, .middle),
            interpolator: split.middleInterpolator)
        guard isOpening else { return }
        middle.fillStart(split.middle, from: 0, start: startFrame, interpolator: split.middleInterpolator)
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
                high.output.write(source[lanes: 0], channel: channel, at: Int64(index))
            }
        }
        hasCopied = true
    }

    /// Adds the step's frames of the lower bands to the high band.
    private func mixBands() {
        let before = Int64(BandShape.reach - 1)
        let frames = step * Int64(shape.gridFrames)
        let factor = Int64(middle.factor)
        for channel in 0..<channelCount {
            for sample in 0..<Int64(shape.gridFrames) / factor {
                let frame = frames + sample * factor
                let index = frame / factor
                let middles = middle.output.run(
                    channel: channel, from: index - before, count: BandInterpolator.sampleCount)
                let lows = low.output.run(
                    channel: channel, from: (index >> 1) - before, count: BandInterpolator.sampleCount)
                let offset = Int((index & 1) * factor)
                mix(lows, offset, middles, channel: channel, at: frame)
            }
        }
    }

    /// Adds the frames after one sample of the middle band.
    @inline(__always)
    private func mix(_ lows: Floats, _ offset: Int, _ middles: Floats, channel: Int, at frame: Int64) {
        let factor = middle.factor
        if factor >= Lanes.scalarCount {
            for index in stride(from: 0, to: factor, by: Lanes.scalarCount) {
                let sum =
                    split.lowInterpolator.lanes(lows, frame: offset + index)
                    + split.middleInterpolator.lanes(middles, frame: index)
                high.output.add(sum, channel: channel, at: frame &+ Int64(index))
            }
        } else {
            for index in 0..<factor {
                let sum =
                    split.lowInterpolator.value(lows, frame: offset + index)
                    + split.middleInterpolator.value(middles, frame: index)
                high.output.add(sum, channel: channel, at: frame &+ Int64(index))
            }
        }
    }

    /// The source frame up to which the source must be split for the stages of a step.
    ///
    /// During the first steps of a start this range is divided into parts, and no stage runs. The parts are equal except for the
    /// first, which is smaller: that step also copies the first frames, and its code and tables are not in the caches yet.
    private mutating func frontOfSource(at step: Int64) -> Int64 {
        let last = max(step, Int64(shape.copiedSteps))
        var end = newestNeeded(high.schedule, .high, at: last)
        if bands == .three {
            end = max(end, newestNeeded(middle.schedule, .middle, at: last))
            end = max(end, newestNeeded(low.schedule, .low, at: last))
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
        var first = oldestNeeded(high.schedule, .high)
        if bands == .three {
            first = min(first, oldestNeeded(middle.schedule, .middle))
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
