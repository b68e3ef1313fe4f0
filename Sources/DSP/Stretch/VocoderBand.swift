// VocoderBand: one band of a stretched sound, from its samples to the overlap-add of its rotated windows.
//
// A phase vocoder that integrates the phase gradient from the loudest bins outward (Průša and Holighaus, "Phase vocoder
// done right", 2017), in rotation form (after Laroche and Dolson, "Improved phase vocoder time-scale modification of
// audio", 1999): each output window is a source window whose bins are rotated by angles common to all channels.

/// One band's windows, spectra and output, and the four stages that compute a window.
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
    /// The source of the current segment; whether a start began it; if not, the weights of its windows from ``segmentBegin`` on.
    var source = SegmentSource()
    var isFirstSegment = true
    var segmentBegin: Int64 = 0
    let segmentGate: FloatStorage
    /// Memory for predicted samples.
    let predictedSamples: FloatStorage
    /// X, the source's spectrum at the window's position, and Y, the spectrum of the previous output.
    private let current: Spectra
    private let previous: Spectra
    private let rotation: RotationField
    private let overlapLevel: OverlapLevel

    private(set) var nextStage: Int64 = 0
    /// The middle of the current window in the source: exact, and rounded, as a sample and the source frames after it.
    private var place = 0.0
    private var sample: Int64 = 0
    private var frame = 0
    private var localStretch: Float = 1
    private var segmentHasChanged = false

    /// - Parameters:
    ///   - shapes: The band's windows, in one form, or in two: for stretchers with three bands and with one.
    ///   - emitFrames: Output frames that may be made ahead.
    init(channelCount: Int, shape: StretchShape, shapes: [VocoderShape], emitFrames: Int) {
        let band = shapes[0]
        self.channelCount = channelCount
        factor = band.factor
        (window, hop) = (band.window, band.hop)
        schedule = BandSchedule(shape, band)
        firstWindow = Int64(band.firstWindow)
        transform = RealFourierTransform(size: band.window)
        windows = BandWindows(shapes)
        gate = FloatStorage(band.gate)
        segmentGate = FloatStorage(count: band.window)
        predictedSamples = FloatStorage(count: band.window + BandInterpolator.sampleCount)
        let bins = band.window / 2 + 1
        current = Spectra(channelCount: channelCount, binCount: bins)
        previous = Spectra(channelCount: channelCount, binCount: bins)
        rotation = RotationField(binCount: bins)
        overlapLevel = OverlapLevel(binCount: bins)
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
    }

    /// Whether a stage is due at or before a step of the schedule.
    @inline(__always)
    func isDue(at step: Int64) -> Bool { schedule.step(ofStage: nextStage) <= step }

    /// The step at the middle of the next stage's window.
    @inline(__always)
    var middleStep: Int64 { schedule.window(ofStage: nextStage).window * schedule.hopSteps }

    /// Runs one stage.
    ///
    /// - Parameters:
    ///   - samples: The band's samples of the source.
    ///   - place: The exact source frame of the window's middle.
    ///   - source: The source of the segment that plays there, as it is known now. Pass it for each stage: the sound after it
    ///     may have become known since the previous stage, and the memory of the earlier state may be gone.
    ///   - interpolator: For a decimated band, whose samples lie at other frames than the window's.
    mutating func runStage(
        _ samples: borrowing SampleRing, place: Double, source next: SegmentSource,
        interpolator: borrowing BandInterpolator
    ) {
        let (number, stage) = schedule.window(ofStage: nextStage)
        switch stage {
        case 0:
            moveWindow(to: place)
            if number != firstWindow && next.segment.landing != source.segment.landing {
                changeSource(next, number: number)
                localStretch = 1
                segmentHasChanged = true
            }
            source = next
            analyseCurrent(samples, interpolator)
            if number == firstWindow { beginOutput() }
        case 1:
            source = next
            comparePrevious(samples, interpolator)
        case 2:
            if segmentHasChanged { rotation.restartGrown(current) }
            rotation.solve(current, stretch: localStretch)
            // The previous windows belong to another segment: this one overlaps none of them.
            if segmentHasChanged {
                overlapLevel.setUnity()
            } else {
                overlapLevel.solve(rotation, shares: windows.shares)
            }
            segmentHasChanged = false
        default: synthesise(number)
        }
        nextStage += 1
    }

    /// Moves the window to its position in the source.
    private mutating func moveWindow(to place: Double) {
        // Half speed is the limit of the vertical rule: beyond it the rotations between neighbours grow too large to be useful.
        localStretch = Float(min(max(Double(hop * factor) / max(place - self.place, 1e-3), 0.25), 2))
        self.place = place
        var rounded = Int64(place + 0.5)
        if Double(rounded) > place + 0.5 { rounded -= 1 }
        // Floor division by a power of two.
        sample = (rounded & ~Int64(factor - 1)) / Int64(factor)
        frame = Int(rounded & Int64(factor - 1))
    }
}

// MARK: - The stages. Each goes over all channels, so a stage's cost is proportional to them.

extension VocoderBand {
    /// Stage 0: X, the spectrum at the window's position.
    private mutating func analyseCurrent(_ samples: borrowing SampleRing, _ interpolator: borrowing BandInterpolator) {
        let bins = transform.binCount
        for channel in 0..<channelCount {
            transformWindow(samples, interpolator, channel: channel, middle: sample)
            let spectrum = transform.spectrumStorage.view
            let (real, imaginary) = (current.real(channel), current.imaginary(channel))
            for bin in stride(from: 0, to: bins - 1, by: Lanes.scalarCount) {
                (real[lanes: bin], imaginary[lanes: bin]) = spectrum.complexLanes(at: bin)
            }
            real[bins - 1] = spectrum[2 * (bins - 1)]
            imaginary[bins - 1] = 0
        }
    }

    /// The opening: the first window is not rotated, so its output is X.
    private func beginOutput() {
        for channel in 0..<channelCount {
            let (real, imaginary) = (current.real(channel), current.imaginary(channel))
            let (outputReal, outputImaginary) = (previous.real(channel), previous.imaginary(channel))
            for bin in stride(from: 0, to: transform.binCount, by: Lanes.scalarCount) {
                (outputReal[lanes: bin], outputImaginary[lanes: bin]) = (real[lanes: bin], imaginary[lanes: bin])
            }
        }
    }

    /// Stage 1: P, the spectrum one hop earlier, compared with the output of the previous window.
    private mutating func comparePrevious(_ samples: borrowing SampleRing, _ interpolator: borrowing BandInterpolator) {
        rotation.clearTemporal()
        for channel in 0..<channelCount {
            transformWindow(samples, interpolator, channel: channel, middle: sample - Int64(hop))
            rotation.addTemporal(
                channel: channel, output: previous, interleavedSource: transform.spectrumStorage.view)
        }
    }

    /// Transforms a channel's samples around a middle, windowed, with the window's middle at index 0.
    ///
    /// In this order a symmetric event in the middle of the window has phase 0 in all bins, and the phase steps between
    /// neighbouring bins give the event's distance from the middle.
    ///
    /// A decimated band is interpolated before it is windowed: delaying the spectrum would move the window as well.
    private mutating func transformWindow(
        _ samples: borrowing SampleRing, _ interpolator: borrowing BandInterpolator, channel: Int, middle: Int64
    ) {
        let half = window / 2
        let (weights, target) = (windows.analysis, transform.frameStorage.view)
        if frame == 0 {
            let source = heard(samples, channel: channel, from: middle - Int64(half), count: window)
            for index in stride(from: 0, to: half, by: Lanes.scalarCount) {
                target[lanes: index + half] = source[lanes: index] * weights[lanes: index]
                target[lanes: index] = source[lanes: index + half] * weights[lanes: index + half]
            }
        } else {
            let source = heard(
                samples, channel: channel, from: middle - Int64(half + BandShape.reach - 1),
                count: window + BandInterpolator.sampleCount)
            for index in stride(from: 0, to: window, by: Lanes.scalarCount) {
                let value = interpolator.delayedLanes(source, at: index, frame: frame)
                target[lanes: (index + half) & (window - 1)] = value * weights[lanes: index]
            }
        }
        transform.forward()
    }

    /// Stage 3: Y, the rotated spectrum, transformed back to samples and added to the output.
    private mutating func synthesise(_ number: Int64) {
        let bins = transform.binCount
        for channel in 0..<channelCount {
            let spectrum = transform.spectrumStorage.view
            let (real, imaginary) = (current.real(channel), current.imaginary(channel))
            let (outputReal, outputImaginary) = (previous.real(channel), previous.imaginary(channel))
            for bin in stride(from: 0, to: bins, by: Lanes.scalarCount) {
                let (x, y) = (real[lanes: bin], imaginary[lanes: bin])
                let (rotationX, rotationY) = (rotation.real[lanes: bin], rotation.imaginary[lanes: bin])
                outputReal[lanes: bin] = x * rotationX - y * rotationY
                outputImaginary[lanes: bin] = x * rotationY + y * rotationX
            }
            for bin in stride(from: 0, to: bins - 1, by: Lanes.scalarCount) {
                // The gain is left out of the spectrum that the next window is compared with: its amplitudes are the source's.
                let gain = overlapLevel.gain[lanes: bin]
                spectrum.storeComplex(
                    real: outputReal[lanes: bin] * gain, imaginary: outputImaginary[lanes: bin] * gain, at: bin)
            }
            spectrum[2 * (bins - 1)] = outputReal[bins - 1] * overlapLevel.gain[bins - 1]
            spectrum[2 * (bins - 1) + 1] = 0
            transform.inverse()
            addWindow(number, channel: channel)
        }
    }

    /// Adds a window's samples to the output; its last hop is the first to arrive there and overwrites the old contents.
    ///
    /// If a window begins before its segment, its first samples are skipped and the next ones faded in.
    /// Every offset, and the ring's length, is a multiple of the lane count, so no group of lanes wraps around.
    private func addWindow(_ number: Int64, channel: Int) {
        let (samples, weights) = (transform.frameStorage.view, windows.synthesis)
        // The gate counts samples from the start, where the output begins, or from the segment's first window on.
        let fade = isFirstSegment ? gate.view : segmentGate.view
        let half = window / 2
        let begin = number * Int64(hop) - Int64(half)
        let skipped = Int(max(0, -begin))
        let gateBegin = isFirstSegment ? 0 : segmentBegin
        let gateEnd = Int(max(0, min(Int64(window), gateBegin + Int64(fade.count) - begin)))
        for index in stride(from: skipped, to: window, by: Lanes.scalarCount) {
            let place = begin &+ Int64(index)
            var value = samples[lanes: (index + half) & (window - 1)] * weights[lanes: index]
            if index < gateEnd { value *= fade[lanes: Int(place - gateBegin)] }
            if index < window - hop {
                output.add(value, channel: channel, at: place)
            } else {
                output.write(value, channel: channel, at: place)
            }
        }
    }
}

// MARK: - The start

extension VocoderBand {
    /// Replaces the windows up to the first: writes the source itself, weighted to complement the sum of the later windows.
    ///
    /// Windows without rotation add up to the source, so they continue it without a seam.
    /// - Parameters:
    ///   - from: The first output sample to fill, a multiple of eight.
    ///   - start: The source frame heard at output sample 0.
    ///   - interpolator: For a decimated band, whose samples lie at other frames than the output's.
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
