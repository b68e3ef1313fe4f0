// VocoderBand: one band of a stretched sound, from its samples to the overlap-add of its rotated windows.
//
// A phase vocoder that integrates the phase gradient from the loudest bins outward (Průša and Holighaus, "Phase vocoder
// done right", 2017), in rotation form (after Laroche and Dolson, "Improved phase vocoder time-scale modification of
// audio", 1999): each output window is a source window whose bins are rotated by angles common to all channels.

internal import CSampleLoops
internal import Samples
@_spi(Benchmarks) internal import Transforms

/// One band's windows, spectra and output, and the stages that compute a window.
///
/// All times are in samples of the band. Real-time safe: all but `init`.
struct VocoderBand: ~Copyable {
    private let channelCount: Int
    /// Source frames per sample.
    let factor: Int
    private let window: Int
    let hop: Int
    let schedule: BandSchedule
    private let firstWindow: Int64
    /// The overlap-add of every channel, a ring addressed by output sample.
    let output: SampleRing

    private var transform: RealFourierTransform
    private var windows: BandWindows
    private let gate: FloatStorage
    /// The source of the current segment, and whether a start began the segment; if not, the weights of the segment's
    /// windows from ``segmentBegin`` on.
    private var source = SegmentSource()
    private var isFirstSegment = true
    private var segmentBegin: Int64 = 0
    private let segmentGate: FloatStorage
    /// Memory for predicted samples.
    private let predictedSamples: FloatStorage
    /// X, the source's spectrum at the window's position, and Y, the spectrum of the previous output.
    private let current: Spectra
    private let previous: Spectra
    private let rotation: RotationField
    private let overlapLevel: OverlapLevel
    /// New noise, and its share in the latest window, 0 to 1.
    private let noise: NoiseField
    private var noiseShare: Float = 0
    /// True if the sound is nothing but noise.
    var isNoise = false
    /// True if the lobe rule applies to the current window, where its windows are short; see RotationField.swift.
    var followsPartials = false

    private(set) var nextStage: Int64 = 0
    /// True while windows are made; if a ``leave(at:_:)`` is pending, only windows before `endWindow`.
    private(set) var isPlaying = false
    private var endWindow = Int64.max
    private var ending = WindowChange()
    /// The middle of the current window in the source: exact, and rounded, as a sample and the source frames after the
    /// sample.
    private var place = 0.0
    private var sample: Int64 = 0
    private var frame = 0
    /// Samples from the previous window to the current window: a hop, or more for the first window after ``enter``.
    private var lag: Int
    private var localStretch: Float = 1
    private var segmentHasChanged = false
    private var hasEntered = false
    /// The first window after the latest ``enter``, which overwrites the output's old contents in its place.
    private var enteredWindow: Int64 = -1
    /// The power below which bins do not count, kept between the two parts of the choice of rotations.
    private var floor: Float = 0
    /// The voice that dominates the current window, if any.
    var voice = VoiceTurn()
    /// The latest window with chosen rotations, -1 for none, and its exact middle in the source.
    private(set) var solvedWindow: Int64 = -1
    private(set) var solvedPlace = 0.0

    /// - Parameters:
    ///   - forms: The band's windows, in one form, or in two: for stretchers with three bands and with one. The forms
    ///     must outlive the band.
    ///   - stageCount: Stages of one window, 4 or 8.
    ///   - emitFrames: Output frames that may be made ahead.
    ///   - makesNoise: True if the band can replace noise by new noise.
    init(
        channelCount: Int, shape: StretchShape, forms: WindowForms, stageCount: Int64 = 4, emitFrames: Int,
        makesNoise: Bool = false
    ) {
        let band = forms.shapes[0]
        self.channelCount = channelCount
        factor = band.factor
        (window, hop) = (band.window, band.hop)
        lag = band.hop
        schedule = BandSchedule(shape, band, stageCount: stageCount)
        firstWindow = Int64(band.firstWindow)
        transform = RealFourierTransform(size: band.window)
        windows = BandWindows(forms)
        gate = FloatStorage(band.gate)
        segmentGate = FloatStorage(count: band.window)
        predictedSamples = FloatStorage(count: band.window + BandInterpolator.sampleCount)
        let bins = band.window / 2 + 1
        current = Spectra(channelCount: channelCount, binCount: bins)
        previous = Spectra(channelCount: channelCount, binCount: bins)
        rotation = RotationField(binCount: bins)
        overlapLevel = OverlapLevel(binCount: bins)
        noise = NoiseField(makesNoise ? band : nil)
        // A window is finished at most a hop plus the requested frames ahead, and reaches one window further.
        output = SampleRing(
            channelCount: channelCount, sampleCount: band.window + 2 * band.hop + emitFrames / factor,
            runCount: max(BandInterpolator.sampleCount, shape.gridFrames))
    }

    /// Starts again, with the form of windows for this number of bands.
    mutating func restart(bands: StretchBands) {
        windows.select(bands == .three ? 0 : 1)
        nextStage = 0
        isFirstSegment = true
        segmentHasChanged = false
        hasEntered = false
        enteredWindow = -1
        lag = hop
        solvedWindow = -1
        (isNoise, noiseShare, voice) = (false, 0, VoiceTurn())
        isPlaying = true
        endWindow = .max
    }

    /// Makes no windows until the next ``enter`` or ``restart(bands:)``.
    mutating func rest() { isPlaying = false }

    /// True if a stage is due at or before a step of the schedule.
    @inline(__always)
    func isDue(at step: Int64) -> Bool { isPlaying && schedule.step(ofStage: nextStage) <= step }

    /// The step at the middle of the next stage's window.
    @inline(__always)
    var middleStep: Int64 { schedule.window(ofStage: nextStage).window * schedule.hopSteps }

    /// Runs one stage.
    ///
    /// - Parameters:
    ///   - samples: The band's samples of the source.
    ///   - place: The exact source frame of the window's middle.
    ///   - source: The source of the segment that plays there, as known now. Pass the source for each stage: later
    ///     sound may have become known since the previous stage, and the memory of the earlier state may be gone.
    ///   - interpolator: For a decimated band, whose samples lie at other frames than the window's samples.
    mutating func runStage(
        _ samples: borrowing SampleRing, place: Double, source next: SegmentSource,
        interpolator: borrowing BandInterpolator
    ) {
        let (number, stage) = schedule.window(ofStage: nextStage)
        if number >= endWindow {
            fadeOut(before: number, ending.change, landing: ending.frame)
            isPlaying = false
            return
        }
        if nextStage == 0 {
            moveWindow(to: place)
            source = next
            analyse(0..<channelCount, samples, interpolator)
            beginOutput()
        } else if schedule.stageCount == Self.partCount {
            runPart(stage, of: number, samples, place, next, interpolator)
        } else {
            runPart(2 * stage, of: number, samples, place, next, interpolator)
            runPart(2 * stage + 1, of: number, samples, place, next, interpolator)
        }
        nextStage += 1
    }

    /// The curvature for the lobe rule, see RotationField.swift; 0 in windows without the rule.
    private var lobeCurvature: Float { followsPartials ? windows.curvature : 0 }
    private var hasLobeRule: Bool { lobeCurvature > 0 }

    /// Number of parts of a window's work: a stage is one part or two.
    private static var partCount: Int64 { 8 }

    /// Runs one part of a window's work; parts that go over the channels run in two halves.
    private mutating func runPart(
        _ part: Int64, of number: Int64, _ samples: borrowing SampleRing, _ place: Double, _ next: SegmentSource,
        _ interpolator: borrowing BandInterpolator
    ) {
        let (firstHalf, secondHalf) = (0..<(channelCount + 1) / 2, (channelCount + 1) / 2..<channelCount)
        switch part {
        case 0:
            moveWindow(to: place)
            if next.segment.landing != source.segment.landing {
                changeSource(next, number: number)
                localStretch = 1
                segmentHasChanged = true
            }
            source = next
            analyse(firstHalf, samples, interpolator)
        case 1:
            source = next
            analyse(secondHalf, samples, interpolator)
        case 2:
            source = next
            rotation.clearTemporal()
            comparePrevious(firstHalf, samples, interpolator)
        case 3:
            source = next
            comparePrevious(secondHalf, samples, interpolator)
            lag = hop
        case 4:
            if segmentHasChanged { rotation.restartGrown(current) }
            floor = rotation.spreadRules(current, stretch: localStretch, curvature: lobeCurvature)
        case 5:
            let begins = segmentHasChanged || hasEntered
            let hasVoice = voice.advance(to: sample, hop: hop, isFirst: begins || solvedWindow < 0)
            if hasVoice {
                rotation.follow(voice, window: window)
            } else {
                // Beside a partial's peak, the spectrum taken over from a longer window has rotations of that window's
                // sidelobes, and a new segment begins some bins without a rotation.
                rotation.chooseRules(floor: floor, sumsLobes: hasLobeRule && !begins)
            }
            // A segment's or a track's first window overlaps no earlier window.
            if begins {
                overlapLevel.setUnity()
            } else {
                let chirp = hasVoice ? 0 : RotationField.chirp(stretch: localStretch)
                overlapLevel.solve(rotation, shares: windows.shares, chirp: hasLobeRule ? chirp : nil)
            }
            makeNoise(number, restarts: begins)
            (segmentHasChanged, hasEntered) = (false, false)
            (solvedWindow, solvedPlace) = (number, self.place)
        case 6: synthesise(number, firstHalf)
        default: synthesise(number, secondHalf)
        }
    }

    /// Moves the window to its position in the source.
    private mutating func moveWindow(to place: Double) {
        // Half speed is the limit of the vertical rule: below, the rotations between neighbours grow too large to be
        // useful.
        localStretch = Float(min(max(Double(lag * factor) / max(place - self.place, 1e-3), 0.25), 2))
        locate(place)
    }

    private mutating func locate(_ place: Double) {
        self.place = place
        var rounded = Int64(place + 0.5)
        if Double(rounded) > place + 0.5 { rounded -= 1 }
        // Floor division by a power of two.
        sample = (rounded & ~Int64(factor - 1)) / Int64(factor)
        frame = Int(rounded & Int64(factor - 1))
    }
}

// MARK: - Windows of another length

extension VocoderBand {
    /// Takes over from a track with windows of another length, with the same rotations, so that no partial is
    /// interrupted.
    ///
    /// A rotation at a moment does not depend on the window. Therefore a window of this length at the same place
    /// receives the other track's latest rotations. The first window made continues that window by the usual rules,
    /// over more than one hop.
    /// - Parameters:
    ///   - number: The first window made, in the middle of the change.
    ///   - source: The segment that plays there; the segment must have played since the other track's latest window.
    ///   - other: The other track of the same band.
    mutating func enter(
        at number: Int64, _ change: WindowChange, _ samples: borrowing SampleRing, source: SegmentSource,
        interpolator: borrowing BandInterpolator, following other: borrowing VocoderBand
    ) {
        precondition(other.solvedWindow >= 0, "There is nothing to take over.")
        self.source = source
        isFirstSegment = false
        (segmentHasChanged, hasEntered) = (false, true)
        nextStage = schedule.stage(ofWindow: number)
        (isPlaying, endWindow) = (true, .max)
        fadeIn(at: number, change.change, landing: change.frame)
        enteredWindow = number
        lag = Int(number) * hop - Int(other.solvedWindow) * other.hop
        locate(other.solvedPlace)
        analyse(0..<channelCount, samples, interpolator)
        rotateOutput(as: other)
    }

    /// Makes no windows from `number` on; the sound until then fades out.
    mutating func leave(at number: Int64, _ change: WindowChange) {
        (endWindow, ending) = (number, change)
    }

    /// Sets Y to X with the rotations of a track with other windows; each bin takes the rotation of the nearest
    /// frequency.
    private func rotateOutput(as other: borrowing VocoderBand) {
        let bins = transform.binCount
        for channel in 0..<channelCount {
            let (real, imaginary) = (current.real(channel), current.imaginary(channel))
            let (outputReal, outputImaginary) = (previous.real(channel), previous.imaginary(channel))
            for bin in 0..<bins {
                let nearest = (2 * bin * other.window + window) / (2 * window)
                let (x, y) = (other.rotation.real[nearest], other.rotation.imaginary[nearest])
                outputReal[bin] = real[bin] * x - imaginary[bin] * y
                outputImaginary[bin] = real[bin] * y + imaginary[bin] * x
            }
        }
    }
}

// MARK: - The parts of a window's work

extension VocoderBand {
    /// Computes X, the spectrum at the window's position.
    private mutating func analyse(
        _ channels: Range<Int>, _ samples: borrowing SampleRing, _ interpolator: borrowing BandInterpolator
    ) {
        let bins = transform.binCount
        for channel in channels {
            transformWindow(samples, interpolator, channel: channel, middle: sample)
            let spectrum = transform.spectrumStorage.view
            let (real, imaginary) = (current.real(channel), current.imaginary(channel))
            precondition((bins - 1) % Lanes.scalarCount == 0)
            unsafe part_spectrum(spectrum.base, bins - 1, real.base, imaginary.base)
            real[bins - 1] = spectrum[2 * (bins - 1)]
            imaginary[bins - 1] = 0
        }
    }

    /// Begins the output: the first window is not rotated, so its output is X.
    private func beginOutput() {
        for channel in 0..<channelCount {
            let (real, imaginary) = (current.real(channel), current.imaginary(channel))
            let (outputReal, outputImaginary) = (previous.real(channel), previous.imaginary(channel))
            for bin in stride(from: 0, to: transform.binCount, by: Lanes.scalarCount) {
                (outputReal[lanes: bin], outputImaginary[lanes: bin]) = (real[lanes: bin], imaginary[lanes: bin])
            }
        }
    }

    /// Compares P, the spectrum one hop earlier, with the output of the previous window.
    private mutating func comparePrevious(
        _ channels: Range<Int>, _ samples: borrowing SampleRing, _ interpolator: borrowing BandInterpolator
    ) {
        for channel in channels {
            transformWindow(samples, interpolator, channel: channel, middle: sample - Int64(lag))
            rotation.addTemporal(
                channel: channel, output: previous, interleavedSource: transform.spectrumStorage.view)
        }
    }

    /// Transforms a channel's samples around a middle, windowed, with the window's middle at index 0.
    ///
    /// In this order a symmetric event in the middle of the window has phase 0 in all bins, and the phase steps between
    /// neighbouring bins give the event's distance from the middle.
    ///
    /// A decimated band is interpolated before windowing: delaying the spectrum would move the window as well.
    private mutating func transformWindow(
        _ samples: borrowing SampleRing, _ interpolator: borrowing BandInterpolator, channel: Int, middle: Int64
    ) {
        let half = window / 2
        let (weights, target) = (windows.analysis, transform.frameStorage.view)
        if frame == 0 {
            let source = heard(samples, channel: channel, from: middle - Int64(half), count: window)
            precondition(weights.count == window && target.count == window && half % Lanes.scalarCount == 0)
            unsafe turn_window(source.base, weights.base, window, target.base)
        } else {
            let source = heard(
                samples, channel: channel, from: middle - Int64(half + BandShape.reach - 1),
                count: window + BandInterpolator.sampleCount)
            interpolator.delayWindow(source, frame: frame, weights: weights, into: target)
        }
        transform.forward()
    }

    /// Transforms Y, the rotated spectrum, back to samples and adds them to the output.
    private mutating func synthesise(_ number: Int64, _ channels: Range<Int>) {
        let bins = transform.binCount
        for channel in channels {
            let spectrum = transform.spectrumStorage.view
            let (real, imaginary) = (current.real(channel), current.imaginary(channel))
            let (outputReal, outputImaginary) = (previous.real(channel), previous.imaginary(channel))
            // The gain is left out of the spectrum for the next window's comparison: that spectrum has the source's
            // amplitudes, and the phases of the bins.
            unsafe rotate_spectrum(
                rotation.parts, bins, real.base, imaginary.base, overlapLevel.gain.base,
                hasLobeRule ? overlapLevel.sideGain.base : nil, outputReal.base, outputImaginary.base, spectrum.base)
            if noiseShare > 0 { addNoise(to: spectrum, channel: channel) }
            spectrum[2 * (bins - 1)] = outputReal[bins - 1] * overlapLevel.gain[bins - 1]
            spectrum[2 * (bins - 1) + 1] = 0
            transform.inverse()
            addWindow(number, channel: channel)
        }
    }

    /// Adds a window's samples to the output. The window's last hop is the first sound to arrive there and overwrites
    /// the old contents; a track's first window overwrites the contents in full.
    ///
    /// If a window begins before its segment, the first samples are skipped and the next samples faded in. Every
    /// offset, and the ring's length, is a multiple of the lane count, so no group of lanes wraps around.
    private func addWindow(_ number: Int64, channel: Int) {
        let (samples, weights) = (transform.frameStorage.view, windows.synthesis)
        // The gate counts samples from the start, where the output begins, or from the segment's first window on.
        let fade = isFirstSegment ? gate.view : segmentGate.view
        let half = window / 2
        let begin = number * Int64(hop) - Int64(half)
        let skipped = Int(max(0, -begin))
        let gateBegin = isFirstSegment ? 0 : segmentBegin
        let gateEnd = Int(max(0, min(Int64(window), gateBegin + Int64(fade.count) - begin)))
        let overlapEnd = number == enteredWindow ? 0 : window - hop
        var index = skipped
        while index < gateEnd {
            let place = begin &+ Int64(index)
            var value = samples[lanes: (index + half) & (window - 1)] * weights[lanes: index]
            value *= fade[lanes: Int(place - gateBegin)]
            if index < overlapEnd {
                output.add(value, channel: channel, at: place)
            } else {
                output.write(value, channel: channel, at: place)
            }
            index += Lanes.scalarCount
        }
        output.overlap(samples, weights: weights, from: index, adding: overlapEnd, channel: channel, at: begin)
    }
}

// MARK: - Segments
//
// The sound of a band on either side of a cut, and the transition from one segment to the next.

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
    private func heard(_ samples: borrowing SampleRing, channel: Int, from index: Int64, count: Int) -> Floats {
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
    private mutating func changeSource(_ next: SegmentSource, number: Int64) {
        fadeOut(before: number, next.change, landing: next.segment.landing)
        fadeIn(at: number, next.change, landing: next.segment.landing)
        isFirstSegment = false
    }

    /// Raises the sound made so far to its full level until a landing and removes the sound after the landing, because
    /// no more windows follow.
    ///
    /// - Parameter number: The first window that is no longer made.
    private func fadeOut(before number: Int64, _ change: SegmentChange, landing: Int64) {
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
    private mutating func fadeIn(at number: Int64, _ change: SegmentChange, landing: Int64) {
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

// MARK: - New noise
//
// The times of noise, and the replacement of rotated windows by noise.

extension VocoderBand {
    /// Step of the noise share per window: rotations change to noise and back within 46 ms.
    private static var noiseStep: Float { 1.0 / 8 }
    /// Noise is made only in slowed sound: only slowed sound has slower envelopes.
    private static var leastStretch: Float { 1.02 }

    /// Decides on the share of new noise in a window, and makes the noise.
    private mutating func makeNoise(_ number: Int64, restarts: Bool) {
        let isPlaying = isNoise && localStretch > Self.leastStretch
        guard isPlaying || noiseShare > 0 else { return }
        let isFirst = noiseShare == 0 || restarts
        noiseShare = isPlaying ? min(1, noiseShare + Self.noiseStep) : max(0, noiseShare - Self.noiseStep)
        noise.solve(current, window: number, restarts: isFirst)
    }

    /// Replaces a share of a window's spectrum by noise. Both parts are independent, so the squares of the shares add
    /// up to 1.
    private mutating func addNoise(to spectrum: Floats, channel: Int) {
        let turn = sineCosine(Lanes(repeating: noiseShare * (Float.pi / 2)))
        let (rest, share) = (turn.cosine, turn.sine)
        let (reals, imaginaries) = (current.real(channel), current.imaginary(channel))
        for bin in stride(from: 0, to: window / 2, by: Lanes.scalarCount) {
            let (x, y) = (reals[lanes: bin], imaginaries[lanes: bin])
            let (u, v) = (noise.real[lanes: bin], noise.imaginary[lanes: bin])
            let (real, imaginary) = spectrum.complexLanes(at: bin)
            spectrum.storeComplex(
                real: rest * real + share * (x * u - y * v), imaginary: rest * imaginary + share * (x * v + y * u),
                at: bin)
        }
    }
}

// MARK: - The start
//
// The source itself, until windows add up to the source.

extension VocoderBand {
    /// Replaces the windows up to the first: writes the source itself, weighted to complement the sum of the later
    /// windows.
    ///
    /// Windows without rotation add up to the source, and so continue the source without a seam.
    /// - Parameters:
    ///   - from: The first output sample to fill, a multiple of eight.
    ///   - start: The source frame heard at output sample 0.
    ///   - interpolator: For a decimated band, whose samples lie at other frames than the output's samples.
    func fillStart(
        _ samples: borrowing SampleRing, from: Int, start: Int64, interpolator: borrowing BandInterpolator
    ) {
        let (weights, factor) = (windows.fill, Int64(factor))
        for channel in 0..<channelCount {
            if factor == 1 {
                for index in stride(from: from, to: weights.count, by: Lanes.scalarCount) {
                    let source = heard(
                        samples, channel: channel, from: start + Int64(index), count: Lanes.scalarCount)
                    output.write(source[lanes: 0] * weights[lanes: index], channel: channel, at: Int64(index))
                }
                continue
            }
            // Floor division by a power of two.
            let first = start & ~(factor - 1)
            let frame = Int(start - first)
            for index in from..<weights.count {
                let source = heard(
                    samples, channel: channel, from: first / factor + Int64(index) - Int64(BandShape.reach - 1),
                    count: BandInterpolator.sampleCount)
                let value = interpolator.value(source, frame: frame)
                output.write(value * weights[index], channel: channel, at: Int64(index))
            }
        }
    }
}
