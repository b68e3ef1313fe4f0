/// The times of an attack's treatment, in frames. Pure and tested alone.
struct AttackTimes: Sendable {
    /// Time for which the source is copied from an attack on, 12 ms: long enough for most of an attack, too short for
    /// an audible difference in loudness from the stretched sound.
    let hold: Int
    /// Length of the change from the old to the new segment, 2.3 ms from the cut on. A longer change keeps channels
    /// with a delay between them better together, since all channels change at the same frame. But the old segment gets
    /// no more windows, and its last windows end.
    let fade: Int
    /// The shortest change at a stop, 0.7 ms.
    let stopFade: Int
    /// Maximum distance from a cut to its attack; for an attack with a longer rise, the cut lies this far before the
    /// attack.
    let longestLead: Int
    /// Extension of a snippet beyond the part that it must cover, 3 ms, faded out over its outer half.
    let margin: Int

    init(sampleRate: Int) {
        hold = Int(0.012 * Double(sampleRate))
        fade = Int(0.0023 * Double(sampleRate)) + 1
        stopFade = Int(0.0007 * Double(sampleRate)) + 1
        longestLead = Int(0.012 * Double(sampleRate))
        margin = Int(0.003 * Double(sampleRate))
    }

    /// Returns the longest delay between channels that predictions keep: 1 ms.
    static func longestDelay(sampleRate: Int) -> Int { sampleRate / 1000 }

    /// Returns the progress of a smooth change: 0 at `place` 0 and before, 1 at 1 and after, without a corner.
    @inline(__always)
    static func smooth(_ place: Float) -> Float {
        let within = max(0, min(1, place))
        return within * within * (3 - 2 * within)
    }
}

/// The change from one segment to the next, in frames relative to the cut.
struct SegmentChange: BitwiseCopyable, Sendable {
    /// Only the new segment is heard from this frame on.
    let end: Double
    /// Frames during which both segments are heard.
    let length: Double

    /// The change in one band.
    ///
    /// At an attack nothing of the new segment may be heard before the cut. Decimated bands therefore change later:
    /// through the interpolator a sample is heard some milliseconds earlier. The snippet holds the part missing until
    /// then.
    init(length: Int, isStop: Bool, factor: Int) {
        let interpolated = factor == 1 ? 0 : BandShape.reach * factor
        end = isStop ? 0 : Double(interpolated + length)
        self.length = Double(length)
    }

    /// A change at another moment, for example around a frame.
    init(endingAt end: Double, length: Double) {
        self.end = end
        self.length = length
    }

    /// Returns the new segment's share at a frame.
    @inline(__always)
    func share(framesAfterCut: Double) -> Float {
        let after = framesAfterCut - end
        if after >= 0 { return 1 }
        return after <= -length ? 0 : AttackTimes.smooth(Float(after / length + 1))
    }
}

/// The ranges of one record, computed from the onsets alone.
struct AttackPlan: Sendable {
    let cut: Int64
    let attack: Int64
    let whole: Int64
    /// Length of the segments' change, in frames.
    let change: Int
    let isStop: Bool
    let bands: [StretchBand: Band]
    /// Frames of the recording that the snippet covers.
    let snippet: Range<Int64>

    /// One band's parts, in its samples.
    struct Band: Sendable {
        let early: Int64
        let whole: Int64
        /// Samples from which predictions are learnt: the last samples before `early`, and the first samples from
        /// `whole` on.
        let past: Range<Int64>
        let future: Range<Int64>
        /// Ranges covered by the predictions.
        let ahead: Range<Int64>
        let behind: Range<Int64>
    }

    /// Attacks with a smaller rise, in dB over the octaves, are stretched like the rest: the other sound masks the
    /// smear, and each copy moves the sound around the attack by milliseconds. With 5 dB a tenth of the notes of a
    /// piano came out 3 dB soft at half speed.
    private static let leastRise: Float = 3
    /// Exception: attacks that rise by this much above 1 kHz. There a pluck is heard although the note before rings as
    /// loud in all bands.
    private static let leastTrebleRise: Float = 6

    /// The properties of one onset that plans depend on.
    struct Moment: Sendable {
        /// The last frame up to which the old segment is complete.
        let oldEnd: Int64
        let cut: Int64
        let attack: Int64
        let hold: Int64
        /// Length of the segments' change, in frames.
        let change: Int
        let isStop: Bool

        /// The cut of an attack lies before the attack's beginning. The cut of a stop lies at the beginning of the
        /// silence: the old segment fades out as in the source, and nothing is copied, because the copy would not be in
        /// phase with the old segment.
        init(_ onset: Onset, _ times: AttackTimes, hold: Int) {
            isStop = onset.kind == .stop
            let lead = min(onset.attack - onset.cut, Int64(times.longestLead))
            attack = isStop ? onset.attack : onset.cut + lead
            oldEnd = attack - lead
            cut = isStop ? attack : oldEnd
            self.hold = isStop ? 0 : Int64(hold)
            change = isStop ? max(Int(lead), times.stopFade) : times.fade
        }
    }

    /// Returns the plans of all onsets whose cut lies in `range`.
    ///
    /// - Parameter steady: Steady passages; predictions there are as long as the long windows need.
    static func plans(
        for onsets: [Onset], in range: Range<Int64>, sampleRate: Int, bands: StretchBands, steady: [SteadyChange] = []
    ) -> [AttackPlan] {
        let times = AttackTimes(sampleRate: sampleRate)
        let clear = onsets.filter { onset in
            let isClear = onset.strength >= leastRise || onset.trebleRise >= leastTrebleRise
            return onset.attack > 0 && (onset.kind == .stop || isClear)
        }
        var moments = clear.map { Moment($0, times, hold: times.hold) }
        // A recording begins with a new segment that has no predecessor.
        moments.insert(Moment(Onset(cut: 0, attack: 0, strength: 0), times, hold: 0), at: 0)
        var kept: [Moment] = []
        for moment in moments where moment.cut > kept.last?.attack ?? -1 { kept.append(moment) }
        let wholes = kept.indices.map { index in
            let wanted = kept[index].attack + kept[index].hold
            return index + 1 < kept.count ? min(wanted, kept[index + 1].cut) : wanted
        }
        let layout = Layout(sampleRate: sampleRate, bands: bands, times: times, steady: steady)
        return kept.indices.filter { range.contains(kept[$0].cut) }.map { index in
            layout.plan(
                kept[index], whole: wholes[index], since: index > 0 ? wholes[index - 1] : nil,
                until: index + 1 < kept.count ? kept[index + 1].cut : nil)
        }
    }

    /// Returns the number of packed blocks needed by the record.
    func blocks(channelCount: Int) -> Int {
        let counts = bands.values.flatMap { [$0.ahead.count, $0.behind.count] } + [snippet.count]
        return counts.reduce(0) { $0 + PackedStorage.blocks(count: $1, channelCount: channelCount) }
    }

    /// Returns the maximum number of samples that a prediction learns from: one and a half windows.
    static func learntSamples(_ band: StretchBand, sampleRate: Int) -> Int {
        Layout.windowSamples(band, sampleRate: sampleRate) * 3 / 2
    }
}

/// Values shared by all plans of a recording.
private struct Layout {
    let sampleRate: Int
    let bands: [StretchBand]
    let shape: BandShape
    let isWhole: Bool
    let times: AttackTimes
    let steady: [SteadyChange]

    init(sampleRate: Int, bands: StretchBands, times: AttackTimes, steady: [SteadyChange]) {
        self.steady = steady
        self.sampleRate = sampleRate
        isWhole = bands.isWhole
        self.bands = isWhole ? [.high] : StretchBand.allCases
        shape = BandShape(sampleRate: sampleRate)
        self.times = times
    }

    static func windowSamples(_ band: StretchBand, sampleRate: Int) -> Int {
        band == .high ? StretchShape.windowFrames(sampleRate: sampleRate) : 512
    }

    /// Returns the samples of the longest window that may play around a cut: a change to other windows takes up to a
    /// tenth of a second.
    private func windowSamples(_ band: StretchBand, around cut: Int64) -> Int {
        let short = Self.windowSamples(band, sampleRate: sampleRate)
        let long = StretchShape(sampleRate: sampleRate).steadyFrames
        let last = steady.lastIndex { $0.frame <= cut - Int64(2 * long) } ?? 0
        let near = steady[min(last, steady.count)...].prefix { $0.frame < cut + Int64(long) }
        return near.contains { $0.bands.contains(band) } ? long / shape.factor(of: band) : short
    }

    /// Returns the time that a band may ring before an event, in the band's samples: the sharp filters and the changes
    /// of rate.
    private func ringing(_ band: StretchBand) -> Int64 {
        guard !isWhole else { return 0 }
        let frames = shape.ringingFrames(of: band) + 4 * BandShape.reach * shape.factor
        return Int64(frames / shape.factor(of: band)) + 1
    }

    /// One onset's plan.
    ///
    /// - Parameters:
    ///   - moment: The onset.
    ///   - whole: The end of its hold.
    ///   - since: The frame from which the source belongs to the old segment, `nil` if the whole source before does.
    ///   - until: The next onset's cut.
    func plan(_ moment: AttackPlan.Moment, whole: Int64, since: Int64?, until: Int64?) -> AttackPlan {
        var parts: [StretchBand: AttackPlan.Band] = [:]
        for band in bands { parts[band] = plan(band, moment, whole: whole, since: since, until: until) }
        let rung = bands.map { ringing($0) * Int64(shape.factor(of: $0)) }.max() ?? 0
        let snippet = moment.cut - rung - Int64(times.fade + times.margin)..<whole + Int64(times.margin)
        return AttackPlan(
            cut: moment.cut, attack: moment.attack, whole: whole, change: moment.change, isStop: moment.isStop,
            bands: parts, snippet: moment.isStop ? moment.cut..<moment.cut : snippet)
    }

    private func plan(
        _ band: StretchBand, _ moment: AttackPlan.Moment, whole: Int64, since: Int64?, until: Int64?
    ) -> AttackPlan.Band {
        let factor = Int64(shape.factor(of: band))
        func sample(_ frame: Int64) -> Int64 { -(-frame).floorDivided(by: factor) }
        let window = Int64(windowSamples(band, around: moment.cut))
        let learnt = Int64(AttackPlan.learntSamples(band, sampleRate: sampleRate))
        let cutSample = sample(moment.cut)
        // A stop rings on in every band, by as much as the band rings before the stop; the new segment must not contain
        // the ringing.
        var wholeSample = sample(whole) + (moment.isStop ? ringing(band) : 0)
        if let until { wholeSample = min(wholeSample, max(sample(whole), sample(until))) }
        let early = max(since.map(sample) ?? .min, sample(moment.oldEnd) - ringing(band))
        let past = max(since.map(sample) ?? .min, early - learnt)..<early
        let untilEarly = until.map { max(wholeSample, sample($0) - ringing(band)) } ?? .max
        let future = wholeSample..<min(untilEarly, wholeSample + learnt)
        // The last window of the old segment and the first window of the new segment are centred on the cut. The new
        // segment also uses the window a hop before. Positions are rounded, and a grid step may go too far.
        let slack = window / 8
        let ahead = early..<max(early, cutSample + window / 2 + slack + Int64(times.fade) / factor)
        let behind = min(cutSample - window / 2 - window / 8 - slack, wholeSample)..<wholeSample
        return AttackPlan.Band(
            early: early, whole: wholeSample, past: past, future: future, ahead: ahead, behind: behind)
    }
}

extension Int64 {
    /// Returns the quotient rounded down, for either sign.
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
