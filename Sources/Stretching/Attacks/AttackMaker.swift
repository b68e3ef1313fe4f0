internal import Samples

/// Makes records from plans: predicts and packs the segments, and subtracts the segments from the source.
struct AttackMaker {
    private let source: SourceBlock
    private let split: SplitSource?
    private let shape: BandShape
    private let times: AttackTimes
    private let bands: [StretchBand]

    /// Number of weights of a prediction in a decimated band, and at the full rate, where periods have many more
    /// samples.
    private static let decimatedOrder = 160
    private static let fullOrder = 200
    /// Over this last part of the hold the real source fades in under the new segment, so that the segment takes over
    /// sound that has become sustained by then.
    private static let blendedPart = 0.9

    /// - Parameter bands: The bands of the stretchers.
    init(_ source: SourceBlock, bands: StretchBands) {
        self.source = source
        split = bands == .three ? SplitSource(source) : nil
        shape = BandShape(sampleRate: source.sampleRate)
        times = AttackTimes(sampleRate: source.sampleRate)
        self.bands = bands == .three ? StretchBand.allCases : [.high]
    }

    /// Returns the record of a plan; the record's samples go to `storage`.
    func record(_ plan: AttackPlan, storage: inout PackedStorage) -> AttackRecord {
        var parts: [StretchBand: AttackRecord.Band] = [:]
        for band in bands {
            guard let layout = plan.bands[band] else { continue }
            parts[band] = predict(band, plan, layout, storage: &storage)
        }
        let none = AttackRecord.Band(
            early: plan.cut, whole: plan.whole, ahead: storage.store([], first: 0), behind: storage.store([], first: 0))
        let snippet = snippet(plan, parts)
        return AttackRecord(
            cut: plan.cut, attack: plan.attack, whole: plan.whole, change: plan.change, isStop: plan.isStop,
            low: parts[.low] ?? none,
            middle: parts[.middle] ?? none, high: parts[.high] ?? none,
            snippet: storage.store(snippet, first: plan.snippet.lowerBound - plan.cut))
    }

    /// Returns the samples of a band in a range; silence outside the block.
    private func samples(_ band: StretchBand, channel: Int, in range: Range<Int64>) -> [Float] {
        let (first, all): (Int64, [Float]) =
            if let split {
                (split.samples(of: band).firstIndex, split.samples(of: band).channels[channel])
            } else {
                (source.firstFrame, source.channels[channel])
            }
        let known = range.clamped(to: first..<first + Int64(all.count))
        guard !known.isEmpty else { return [Float](repeating: 0, count: range.count) }
        return [Float](repeating: 0, count: Int(known.lowerBound - range.lowerBound))
            + all[Int(known.lowerBound - first)..<Int(known.upperBound - first)]
            + [Float](repeating: 0, count: Int(range.upperBound - known.upperBound))
    }

    /// Returns both predictions of one band.
    private func predict(
        _ band: StretchBand, _ plan: AttackPlan, _ layout: AttackPlan.Band, storage: inout PackedStorage
    ) -> AttackRecord.Band {
        let order = band == .high ? Self.fullOrder : Self.decimatedOrder
        let channels = source.channels.indices
        let past = channels.map { samples(band, channel: $0, in: layout.past) }
        let future = channels.map { [Float](samples(band, channel: $0, in: layout.future).reversed()) }
        let (forward, backward) = (
            LinearPrediction(learning: past, order: order), LinearPrediction(learning: future, order: order)
        )
        // One extra sample covers the rounding of a decimated band.
        let delay = AttackTimes.longestDelay(sampleRate: source.sampleRate) / shape.factor(of: band) + 1
        let ahead = Self.continuation(of: past, forward, count: layout.ahead.count, longestDelay: delay)
        let back = Self.continuation(of: future, backward, count: layout.behind.count, longestDelay: delay)
        let cutSample = Double(plan.cut) / Double(shape.factor(of: band))
        let behind = channels.map { channel in
            var segment = [Float](back[channel].reversed())
            if !plan.isStop {
                blend(band, channel, into: &segment, before: layout.whole, held: Double(layout.whole) - cutSample)
            }
            return segment
        }
        return AttackRecord.Band(
            early: layout.early, whole: layout.whole, ahead: storage.store(ahead, first: layout.ahead.lowerBound),
            behind: storage.store(behind, first: layout.behind.lowerBound))
    }

    /// Continues all channels after their last sample: each by itself, unless one channel is a delayed copy of the
    /// other.
    private static func continuation(
        of past: [[Float]], _ prediction: LinearPrediction, count: Int, longestDelay: Int
    ) -> [[Float]] {
        guard !prediction.coefficients.isEmpty, let delayed = DelayedChannels(past, longest: longestDelay) else {
            return past.map { prediction.continuation(of: $0, count: count) }
        }
        return delayed.continuation(of: past, prediction, count: count)
    }

    /// Fades the source in under the last part of a new segment's prediction.
    private func blend(
        _ band: StretchBand, _ channel: Int, into segment: inout [Float], before whole: Int64, held: Double
    ) {
        let count = min(Int(Self.blendedPart * held), segment.count)
        guard count > 0 else { return }
        let real = samples(band, channel: channel, in: whole - Int64(count)..<whole)
        for (offset, sample) in real.enumerated() {
            let index = segment.count - count + offset
            let share = AttackTimes.smooth((Float(offset) + 0.5) / Float(count))
            segment[index] += share * (sample - segment[index])
        }
    }

    // MARK: - The snippet

    /// Returns the difference between the source and the segments, around the cut.
    private func snippet(_ plan: AttackPlan, _ parts: [StretchBand: AttackRecord.Band]) -> [[Float]] {
        source.channels.indices.map { channel in
            guard !plan.isStop else { return [] }
            var rest = sourceSamples(channel, in: plan.snippet)
            for (band, part) in parts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                subtract(band, part, channel, plan, from: &rest, at: plan.snippet.lowerBound)
            }
            // Where segments differ from the source farther out, a slope is better than an edge.
            let slope = times.margin / 2
            for index in 0..<min(slope, rest.count / 2) {
                let share = AttackTimes.smooth((Float(index) + 0.5) / Float(slope))
                rest[index] *= share
                rest[rest.count - 1 - index] *= share
            }
            return rest
        }
    }

    private func sourceSamples(_ channel: Int, in range: Range<Int64>) -> [Float] {
        range.map { frame in
            source.range.contains(frame) ? source.channels[channel][Int(frame - source.firstFrame)] : 0
        }
    }

    /// Subtracts from `rest` the sound of one band's segments at speed 1.
    private func subtract(
        _ band: StretchBand, _ part: AttackRecord.Band, _ channel: Int, _ plan: AttackPlan, from rest: inout [Float],
        at first: Int64
    ) {
        let factor = Int64(shape.factor(of: band))
        let reach = Int64(band == .high ? 0 : BandShape.reach)
        let end = first + Int64(rest.count)
        let needed = (first / factor - reach - 1)..<(end / factor + reach + 2)
        let segments = FloatStorage(segments(band, part, channel, plan, in: needed))
        guard band != .high else {
            for index in rest.indices { rest[index] -= segments.view[index + Int(first - needed.lowerBound)] }
            return
        }
        let interpolator = BandInterpolator(factor: Int(factor))
        let begin = Int(first - needed.lowerBound * factor)
        guard factor >= Lanes.scalarCount else {
            for index in rest.indices {
                let (sample, frame) = (begin + index).quotientAndRemainder(dividingBy: Int(factor))
                let run = segments.view.part(from: sample - BandShape.reach + 1, count: BandInterpolator.sampleCount)
                rest[index] -= interpolator.value(run, frame: frame)
            }
            return
        }
        // Whole lanes around the wanted frames.
        let sample = begin / Int(factor)
        let skipped = begin - sample * Int(factor)
        let lanes = (skipped % Lanes.scalarCount + rest.count + Lanes.scalarCount - 1) / Lanes.scalarCount
        let given = FloatStorage(count: lanes * Lanes.scalarCount)
        let run = segments.view.part(
            from: sample - BandShape.reach + 1, count: segments.view.count - (sample - BandShape.reach + 1))
        interpolator.fill(given.view, run, from: skipped - skipped % Lanes.scalarCount)
        for index in rest.indices { rest[index] -= given.view[index + skipped % Lanes.scalarCount] }
    }

    /// Returns a band's samples as played by the segments: the old segment until the cut, then the new segment.
    private func segments(
        _ band: StretchBand, _ part: AttackRecord.Band, _ channel: Int, _ plan: AttackPlan, in range: Range<Int64>
    ) -> [Float] {
        let real = samples(band, channel: channel, in: range)
        let ahead = FloatStorage(count: range.count)
        let behind = FloatStorage(count: range.count)
        part.ahead.read(channel: channel, from: range.lowerBound, into: ahead.view)
        part.behind.read(channel: channel, from: range.lowerBound, into: behind.view)
        let factor = shape.factor(of: band)
        let change = SegmentChange(length: plan.change, isStop: plan.isStop, factor: factor)
        return real.indices.map { index in
            let sample = range.lowerBound + Int64(index)
            let old = sample < part.early ? real[index] : ahead.view[index]
            let new = sample >= part.whole ? real[index] : behind.view[index]
            return old + change.share(framesAfterCut: Double(sample * Int64(factor) - plan.cut)) * (new - old)
        }
    }
}
