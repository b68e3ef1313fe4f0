// Voices: what a band hears on either side of a cut, and how one voice gives way to the next.

extension VocoderBand {
    /// A voice between two attacks: what it sees of the source, and what stands in for the source beyond.
    struct Voice: BitwiseCopyable {
        var segment = VoiceSegment()
        /// The source is real from here to there.
        var lower = Int64.min
        var upper = Int64.max
        var before: PackedSamples?
        var after: PackedSamples?
        /// How it takes over from the one before it.
        var change = VoiceChange(length: 1, isStop: false, factor: 1)
    }

    /// Which voice plays between the cuts of a segment.
    func voice(_ segment: VoiceSegment, of list: AttackList, band: StretchBand) -> Voice {
        var voice = Voice(segment: segment)
        if segment.number > 0 && segment.number <= list.count {
            let record = list[segment.number - 1]
            (voice.lower, voice.before) = (record.band(band).whole, record.band(band).behind)
            voice.change = VoiceChange(length: record.change, isStop: record.isStop, factor: factor)
        }
        if segment.number >= 0 && segment.number < list.count {
            let record = list[segment.number].band(band)
            (voice.upper, voice.after) = (record.early, record.ahead)
        }
        return voice
    }

    /// Samples of the source as the voice hears it, as many as a window and its interpolation take.
    @inline(__always)
    func heard(_ samples: borrowing SampleRing, channel: Int, from index: Int64, count: Int) -> Floats {
        if index >= voice.lower && index + Int64(count) <= voice.upper {
            return samples.run(channel: channel, from: index, count: count)
        }
        return predicted(samples, channel: channel, from: index, count: count)
    }

    /// The same where some of it is prediction, in memory that the next call overwrites.
    private func predicted(_ samples: borrowing SampleRing, channel: Int, from index: Int64, count: Int) -> Floats {
        let target = predictedSamples.view.part(from: 0, count: count)
        let lower = Int(max(0, min(Int64(count), voice.lower.clampedDifference(index))))
        let upper = max(lower, Int(max(0, min(Int64(count), voice.upper.clampedDifference(index)))))
        if lower < upper {
            let real = samples.run(channel: channel, from: index + Int64(lower), count: upper - lower)
            for place in 0..<upper - lower { target[lower + place] = real[place] }
        }
        if let before = voice.before {
            before.read(channel: channel, from: index, into: target.part(from: 0, count: lower))
        }
        if let after = voice.after {
            after.read(
                channel: channel, from: index + Int64(upper), into: target.part(from: upper, count: count - upper))
        }
        return target
    }

    /// Ends the voice that plays where the next one lands, before the first window of the next one.
    ///
    /// No more windows will be added to the old voice, so what it has so far is raised to the level it would have reached,
    /// up to the landing, and removed beyond. The new voice's windows get the inverse: full level from the landing on.
    mutating func changeVoice(_ next: Voice, number: Int64) {
        let begin = number * Int64(hop) - Int64(window / 2)
        let landing = Double(next.segment.landing)
        let (missing, factors) = (windows.later, predictedSamples.view)
        for index in 0..<window {
            let place = begin + Int64(index)
            let share = next.change.share(framesAfterCut: Double(place * Int64(factor)) - landing)
            let rest = missing[index]
            let all = level(at: place)
            let have = all - rest * (isFirstVoice ? startGateValue(at: place) : 1)
            factors[index] = have > 1e-4 ? (1 - share) * all / have : 0
            voiceGate.view[index] = rest > 1e-6 ? share / rest : 0
        }
        for channel in 0..<channelCount {
            for index in stride(from: Int(max(0, -begin)), to: window - hop, by: Lanes.scalarCount) {
                let place = begin + Int64(index)
                let old = output.run(channel: channel, from: place, count: Lanes.scalarCount)[lanes: 0]
                output.write(old * factors[lanes: index], channel: channel, at: place)
            }
        }
        voiceBegin = begin
        isFirstVoice = false
    }

    /// The sum of all windows of the present voice, those to come included, at an output sample, before its gate.
    @inline(__always)
    private func level(at place: Int64) -> Float {
        // The voice of a start is filled up to 1.
        guard !isFirstVoice else { return 1 }
        let index = place - voiceBegin
        return index >= 0 && index < Int64(window) ? windows.later[Int(index)] : 1
    }

    @inline(__always)
    private func startGateValue(at place: Int64) -> Float {
        place < 0 ? 0 : place < Int64(gate.view.count) ? gate.view[Int(place)] : 1
    }
}

extension Int64 {
    /// The difference, where an operand may stand for infinity.
    @inline(__always)
    fileprivate func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < 0 ? .min : .max) : difference
    }
}
