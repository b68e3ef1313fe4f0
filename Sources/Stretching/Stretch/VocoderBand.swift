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
    let channelCount: Int
    /// Source frames per sample.
    let factor: Int
    let window: Int
    let hop: Int
    let schedule: BandSchedule
    private let firstWindow: Int64
    /// The overlap-add of every channel, a ring addressed by output sample.
    let output: SampleRing

    private var transform: RealFourierTransform
    var windows: BandWindows
    let gate: FloatStorage
    /// The source of the current segment, and whether a start began the segment; if not, the weights of the segment's
    /// windows from ``segmentBegin`` on.
    var source = SegmentSource()
    var isFirstSegment = true
    var segmentBegin: Int64 = 0
    let segmentGate: FloatStorage
    /// Memory for predicted samples.
    let predictedSamples: FloatStorage
    /// X, the source's spectrum at the window's position, and Y, the spectrum of the previous output.
    let current: Spectra
    private let previous: Spectra
    private let rotation: RotationField
    private let overlapLevel: OverlapLevel
    /// New noise, whether the sound is nothing but noise, and the share of noise in the latest window, 0 to 1.
    let noise: NoiseField
    var (isNoise, noiseShare): (Bool, Float) = (false, 0)

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
    private(set) var localStretch: Float = 1
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
            floor = rotation.spreadRules(current, stretch: localStretch)
        case 5:
            let begins = segmentHasChanged || hasEntered
            if voice.advance(to: sample, hop: hop, isFirst: begins || solvedWindow < 0) {
                rotation.follow(voice, window: window)
            } else {
                rotation.chooseRules(floor: floor)
            }
            // A segment's or a track's first window overlaps no earlier window.
            if begins {
                overlapLevel.setUnity()
            } else {
                overlapLevel.solve(rotation, shares: windows.shares)
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
    /// Takes over from a track with windows of another length, with the same rotations, so that no partial is interrupted.
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
            // amplitudes.
            unsafe rotate_spectrum(
                rotation.parts, bins, real.base, imaginary.base, overlapLevel.gain.base, outputReal.base,
                outputImaginary.base, spectrum.base)
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
