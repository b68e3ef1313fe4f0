// The four stages of one window. Each goes over all channels, so a stage's cost is proportional to them.

extension Stretcher {
    /// Stage 0: X, the spectrum at the window's place.
    mutating func analyseCurrent() {
        let bins = transform.binCount
        for channel in 0..<channelCount {
            transformWindow(channel: channel, offset: hopFrames)
            let spectrum = transform.spectrumStorage.view
            let (real, imaginary) = (current.real(channel), current.imaginary(channel))
            for bin in stride(from: 0, to: bins - 1, by: Lanes.scalarCount) {
                (real[lanes: bin], imaginary[lanes: bin]) = spectrum.complexLanes(at: bin)
            }
            real[bins - 1] = spectrum[2 * (bins - 1)]
            imaginary[bins - 1] = 0
        }
    }

    /// Stage 1: P, the spectrum one hop earlier, compared with the output of the window before.
    mutating func comparePrevious() {
        rotation.clearTemporal()
        for channel in 0..<channelCount {
            transformWindow(channel: channel, offset: 0)
            rotation.addTemporal(
                channel: channel, output: previous, interleavedSource: transform.spectrumStorage.view)
        }
    }

    /// Transforms the part of a channel's input that begins at `offset`, windowed, with the window's middle at index 0.
    ///
    /// In that order a symmetric event in the middle of the window has phase 0 in all bins, and the phase steps between
    /// neighbouring bins are the event's distance from the middle.
    private mutating func transformWindow(channel: Int, offset: Int) {
        let source = inputs.view.part(from: channel * inputFrames + offset, count: windowFrames)
        let (window, target) = (analysisWindow.view, transform.frameStorage.view)
        let half = windowFrames / 2
        for index in stride(from: 0, to: half, by: Lanes.scalarCount) {
            target[lanes: index + half] = audible(source[lanes: index]) * window[lanes: index]
            target[lanes: index] = audible(source[lanes: index + half]) * window[lanes: index + half]
        }
        transform.forward()
    }

    /// Stage 3: Y, the turned spectrum, back to samples and into the overlap-add.
    mutating func synthesise(window: Int64) {
        let bins = transform.binCount
        for channel in 0..<channelCount {
            let spectrum = transform.spectrumStorage.view
            let (real, imaginary) = (current.real(channel), current.imaginary(channel))
            let (outputReal, outputImaginary) = (previous.real(channel), previous.imaginary(channel))
            for bin in stride(from: 0, to: bins, by: Lanes.scalarCount) {
                let (x, y) = (real[lanes: bin], imaginary[lanes: bin])
                let (turnX, turnY) = (rotation.real[lanes: bin], rotation.imaginary[lanes: bin])
                outputReal[lanes: bin] = x * turnX - y * turnY
                outputImaginary[lanes: bin] = x * turnY + y * turnX
            }
            for bin in stride(from: 0, to: bins - 1, by: Lanes.scalarCount) {
                spectrum.storeComplex(real: outputReal[lanes: bin], imaginary: outputImaginary[lanes: bin], at: bin)
            }
            spectrum[2 * (bins - 1)] = outputReal[bins - 1]
            spectrum[2 * (bins - 1) + 1] = 0
            transform.inverse()
            if window == 0 {
                addFirstWindow(channel: channel)
            } else if window <= windowFrames / 2 / hopFrames {
                addEarlyWindow(window, channel: channel)
            } else {
                addWindow(window, channel: channel)
            }
        }
    }

    /// Adds a window's frames to the ring; its last hop is the first to arrive there and overwrites what was.
    ///
    /// Every offset is a multiple of the lane count and so is the ring's length: no group of lanes wraps round.
    private func addWindow(_ window: Int64, channel: Int) {
        let (samples, weights) = (transform.frameStorage.view, synthesisWindow.view)
        let ring = overlap.view.part(from: channel * overlapFrames, count: overlapFrames)
        let (half, mask) = (windowFrames / 2, overlapFrames - 1)
        let begin = Int(truncatingIfNeeded: window) &* hopFrames &- half
        let fresh = windowFrames - hopFrames
        for index in stride(from: 0, to: windowFrames, by: Lanes.scalarCount) {
            let value = samples[lanes: (index + half) & (windowFrames - 1)] * weights[lanes: index]
            let place = (begin &+ index) & mask
            ring[lanes: place] = index < fresh ? ring[lanes: place] + value : value
        }
    }

    /// One of the windows that begin at the start or before: what would sound earlier is left out, what comes just after the
    /// start is faded in.
    private func addEarlyWindow(_ window: Int64, channel: Int) {
        let (samples, weights, fade) = (transform.frameStorage.view, synthesisWindow.view, startFade.view)
        let ring = overlap.view.part(from: channel * overlapFrames, count: overlapFrames)
        let half = windowFrames / 2
        let skipped = half - Int(window) * hopFrames
        let fresh = windowFrames - hopFrames
        for index in stride(from: skipped, to: windowFrames, by: Lanes.scalarCount) {
            var value = samples[lanes: (index + half) & (windowFrames - 1)] * weights[lanes: index]
            let place = index - skipped
            if place < fade.count { value *= fade[lanes: place] }
            ring[lanes: place] = index < fresh ? ring[lanes: place] + value : value
        }
    }

    /// The first window's second half, and in place of the windows that never were: the source itself.
    ///
    /// Windows that do not turn add up to the source, so the source times what is missing from the sum of the window
    /// products continues them without a seam. In the very first frames it also stands in for the later windows, which
    /// have turned already: the first frame out is the first frame in.
    private func addFirstWindow(channel: Int) {
        let (samples, weights, missing) = (transform.frameStorage.view, synthesisWindow.view, preFill.view)
        let ring = overlap.view.part(from: channel * overlapFrames, count: overlapFrames)
        let half = windowFrames / 2
        let source = inputs.view.part(from: channel * inputFrames + hopFrames + half, count: half)
        for index in stride(from: 0, to: half, by: Lanes.scalarCount) {
            let heard = audible(source[lanes: index])
            ring[lanes: index] = samples[lanes: index] * weights[lanes: index + half] + heard * missing[lanes: index]
        }
    }

    /// Source samples, with silence in place of what is no sound: NaN, infinity, and what would overflow when squared.
    ///
    /// A comparison with NaN is false, so one test catches them all.
    @inline(__always)
    private func audible(_ samples: Lanes) -> Lanes {
        select(magnitude(samples) .<= Float(1 << 20), samples, Lanes())
    }
}
