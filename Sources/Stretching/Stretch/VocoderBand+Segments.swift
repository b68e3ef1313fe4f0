// Segments: the sound of a band on either side of a cut, and the transition from one segment to the next.
internal import Samples

extension VocoderBand {
    /// The sound of a band between two attacks: the source within the segment, and a prediction outside.
    struct SegmentSource: BitwiseCopyable {
        var segment = AttackSegment()
        /// Range of the source's own samples; outside this range samples are predicted.
        var lower = Int64.min
        var upper = Int64.max
        var before: PackedSamples?
        var after: PackedSamples?
        /// The transition from the previous segment to this one.
        var change = SegmentChange(length: 1, isStop: false, factor: 1)
    }

    /// Returns the source that a segment plays between its cuts.
    func segmentSource(_ segment: AttackSegment, of list: AttackList, band: StretchBand) -> SegmentSource {
        var source = SegmentSource(segment: segment)
        if segment.number > 0 && segment.number <= list.count {
            let record = list[segment.number - 1]
            (source.lower, source.before) = (record.band(band).whole, record.band(band).behind)
            source.change = SegmentChange(length: record.change, isStop: record.isStop, factor: factor)
        }
        if segment.number >= 0 && segment.number < list.count {
            let record = list[segment.number].band(band)
            (source.upper, source.after) = (record.early, record.ahead)
        }
        return source
    }

    /// Returns samples of the source as the segment plays them; the count covers a window and its interpolation.
    @inline(__always)
    func heard(_ samples: borrowing SampleRing, channel: Int, from index: Int64, count: Int) -> Floats {
        if index >= source.lower && index + Int64(count) <= source.upper {
            return samples.run(channel: channel, from: index, count: count)
        }
        return predicted(samples, channel: channel, from: index, count: count)
    }

    /// Returns the samples of ``heard(_:channel:from:count:)`` if some are predicted; the next call overwrites their
    /// memory.
    private func predicted(_ samples: borrowing SampleRing, channel: Int, from index: Int64, count: Int) -> Floats {
        let target = predictedSamples.view.part(from: 0, count: count)
        let lower = Int(max(0, min(Int64(count), source.lower.clampedDifference(index))))
        let upper = max(lower, Int(max(0, min(Int64(count), source.upper.clampedDifference(index)))))
        if lower < upper {
            let real = samples.run(channel: channel, from: index + Int64(lower), count: upper - lower)
            let part = target.part(from: lower, count: upper - lower)
            unsafe UnsafeMutableRawPointer(part.base).copyMemory(
                from: real.base, byteCount: part.count * MemoryLayout<Float>.stride)
        }
        if let before = source.before {
            before.read(channel: channel, from: index, into: target.part(from: 0, count: lower))
        }
        if let after = source.after {
            after.read(
                channel: channel, from: index + Int64(upper), into: target.part(from: upper, count: count - upper))
        }
        return target
    }

    /// Ends the current segment at the landing of the next segment, before the next segment's first window.
    ///
    /// The old segment gets no more windows. Up to the landing, its output is raised to full level; after the landing,
    /// its output is removed. The new segment's windows get the inverse: full level from the landing on.
    mutating func changeSource(_ next: SegmentSource, number: Int64) {
        fadeOut(before: number, next.change, landing: next.segment.landing)
        fadeIn(at: number, next.change, landing: next.segment.landing)
        isFirstSegment = false
    }

    /// Raises the sound made so far to its full level until a landing and removes the sound after the landing, because
    /// no more windows follow.
    ///
    /// - Parameter number: The first window that is no longer made.
    func fadeOut(before number: Int64, _ change: SegmentChange, landing: Int64) {
        let begin = number * Int64(hop) - Int64(window / 2)
        let (missing, factors) = (windows.later, predictedSamples.view)
        for index in 0..<window {
            let place = begin + Int64(index)
            let share = change.share(framesAfterCut: Double(place * Int64(factor) - landing))
            let all = level(at: place)
            let have = all - missing[index] * (isFirstSegment ? startGateValue(at: place) : 1)
            factors[index] = have > 1e-4 ? (1 - share) * all / have : 0
        }
        for channel in 0..<channelCount {
            for index in stride(from: Int(max(0, -begin)), to: window - hop, by: Lanes.scalarCount) {
                let place = begin + Int64(index)
                let old = output.run(channel: channel, from: place, count: Lanes.scalarCount)[lanes: 0]
                output.write(old * factors[lanes: index], channel: channel, at: place)
            }
        }
    }

    /// Sets the weights of windows from `number` on: nothing before a landing, full level after.
    mutating func fadeIn(at number: Int64, _ change: SegmentChange, landing: Int64) {
        segmentBegin = number * Int64(hop) - Int64(window / 2)
        for index in 0..<window {
            let place = segmentBegin + Int64(index)
            let share = change.share(framesAfterCut: Double(place * Int64(factor) - landing))
            let rest = windows.later[index]
            segmentGate.view[index] = rest > 1e-6 ? share / rest : 0
        }
    }

    /// Returns the sum of all windows of the current segment at an output sample, including future windows, before the
    /// segment's gate.
    @inline(__always)
    private func level(at place: Int64) -> Float {
        // The segment of a start is filled up to 1.
        guard !isFirstSegment else { return 1 }
        let index = place - segmentBegin
        return index >= 0 && index < Int64(window) ? windows.later[Int(index)] : 1
    }

    @inline(__always)
    private func startGateValue(at place: Int64) -> Float {
        place < 0 ? 0 : place < Int64(gate.view.count) ? gate.view[Int(place)] : 1
    }
}

extension Int64 {
    /// Returns the difference; an operand may stand for infinity.
    @inline(__always)
    fileprivate func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < 0 ? .min : .max) : difference
    }
}

/// The time at which one of a band's two tracks of windows takes over from the other.
struct WindowChange: BitwiseCopyable, Sendable {
    /// The output frame at the middle of the change.
    var frame: Int64 = 0
    var change = SegmentChange(length: 1, isStop: true, factor: 1)
}
