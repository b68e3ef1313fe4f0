// FormantFilter: restores the original spectral envelope of a sound whose frequencies were all multiplied by one ratio.
//
// The filter's response is the original sound's envelope over the same envelope stretched by the ratio, in minimum
// phase. By Hilbert's relation, the cepstrum of such a filter is the cepstrum of the logarithmic response, folded to
// positive times (Oppenheim and Schafer, Discrete-Time Signal Processing, 12.2). A minimum-phase filter answers at
// once, so attacks stay in place, and nothing sounds before them. Reading signals and changing their pitch are the
// tasks of `PitchChanger`.
internal import Samples
@_spi(Benchmarks) internal import Transforms

/// A filter that changes within each hop: from the response made at the last hop but one to the response made last.
///
/// Real-time safe: all but the initialiser.
@safe
struct FormantFilter: ~Copyable {
    /// The envelope of the sound at its own pitch; the caller fills the envelope before ``makeResponse(ratio:)``.
    var envelope: SpectralEnvelope
    /// The past frames of the sound, and room for the next frames.
    private let sound: PlanarBuffer
    private var transform: RealFourierTransform
    private let response: FloatStorage
    /// Taps in reverse order, the tap for the newest frame last: the filter at the hop's beginning, and the difference
    /// to the filter at the hop's end.
    private let taps: FloatStorage
    private let change: FloatStorage
    private let made: FloatStorage
    private var isFirst = true

    /// Limits of raising and lowering a frequency, in nepers: 26 and 40 dB. A recording's noise beyond its last
    /// harmonics must not become a hiss.
    private static var most: Float { 3 }
    private static var least: Float { -4.6 }

    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 8000 to 768000 Hz.
    ///   - maximumFrames: Maximum number of frames filtered at once, 1 to 65536.
    init(channelCount: Int, sampleRate: Int, maximumFrames: Int) {
        precondition((1...64).contains(channelCount), "A filter takes 1 to 64 channels.")
        precondition((1...65536).contains(maximumFrames), "A filter takes 1 to 65536 frames at once.")
        envelope = SpectralEnvelope(sampleRate: sampleRate)
        let size = 2 * envelope.pointCount
        transform = RealFourierTransform(size: size)
        let tapCount = size / 4
        sound = PlanarBuffer(channelCount: channelCount, frameCount: tapCount + maximumFrames)
        response = FloatStorage(count: envelope.pointCount + Lanes.scalarCount)
        taps = FloatStorage(count: tapCount)
        change = FloatStorage(count: tapCount)
        made = FloatStorage(count: tapCount)
    }

    var channelCount: Int { sound.channelCount }
    /// Frames between responses: about 12 ms.
    var hopFrames: Int { envelope.windowFrames / 4 }
    /// Frames of the sound before the first frame, which are written to ``inputs`` first.
    var pastFrames: Int { taps.view.count - 1 }
    /// One pointer per channel. The next frames are written ``pastFrames`` after the pointer.
    var inputs: UnsafePointer<UnsafeMutablePointer<Float>> { unsafe UnsafePointer(sound.channels) }

    /// Begins with another sound. ``pastFrames`` frames before the sound must be written to ``inputs`` before the first
    /// ``apply``.
    mutating func start() { isFirst = true }

    // MARK: The response

    /// Makes the response for the hop that begins now, from ``envelope``.
    ///
    /// - Parameter ratio: Ratio of the frequencies after the change of pitch to the frequencies before, 0.25 to 4.
    mutating func makeResponse(ratio: Float) {
        envelope.trace()
        setLogarithm(ratio: ratio)
        foldCepstrum()
        makeTaps()
        reachMade()
    }

    /// Lets the sound pass unchanged at the end of the hop that begins now.
    mutating func makeNoResponse() {
        let count = made.view.count
        for index in 0..<count { made.view[index] = index == count - 1 ? 1 : 0 }
        reachMade()
    }

    /// Starts the change to the filter made last, which is complete at the end of the hop.
    private mutating func reachMade() {
        let (left, step, reached) = (taps.view, change.view, made.view)
        for index in stride(from: 0, to: reached.count, by: Lanes.scalarCount) {
            let before = isFirst ? reached[lanes: index] : left[lanes: index] + step[lanes: index]
            left[lanes: index] = before
            step[lanes: index] = reached[lanes: index] - before
        }
        isFirst = false
    }

    /// Computes the response's logarithm at the envelope's frequencies.
    private func setLogarithm(ratio: Float) {
        let (curve, points) = (envelope.curve.view, envelope.pointCount)
        // More periods a second, with the same energy each, would be louder; fewer would be softer.
        let loudness = naturalLogarithm(Lanes(repeating: ratio))[0] * 0.5
        var latest: Float = 0
        for point in 0...points {
            let place = Float(point) / ratio
            let index = Int(place)
            // Above half the rate before the change, nothing needs to be filtered.
            if index < points {
                let part = place - Float(index)
                let moved = curve[index] + (curve[index + 1] - curve[index]) * part
                latest = max(Self.least, min(Self.most, curve[point] - moved + loudness))
            }
            response.view[point] = latest
        }
    }

    /// Converts the logarithm of the response to the logarithm of the minimum-phase filter, with the filter's phase as
    /// the imaginary part.
    private mutating func foldCepstrum() {
        let (bins, frames, points) = (transform.spectrumStorage.view, transform.frameStorage.view, envelope.pointCount)
        for point in 0...points {
            bins[2 * point] = response.view[point]
            bins[2 * point + 1] = 0
        }
        transform.inverse()
        let scale = 1 / Float(2 * points)
        frames[0] *= scale
        frames[points] *= scale
        for index in 1..<points {
            frames[index] *= 2 * scale
            frames[points + index] = 0
        }
        transform.forward()
    }

    /// Makes the filter's impulse response; the last quarter fades out.
    private mutating func makeTaps() {
        let (bins, points) = (transform.spectrumStorage.view, envelope.pointCount)
        for point in stride(from: 0, to: points, by: Lanes.scalarCount) {
            let (logarithm, phase) = bins.complexLanes(at: point)
            let size = exponential(logarithm)
            let (sine, cosine) = sineCosine(wrapped(phase))
            bins.storeComplex(real: size * cosine, imaginary: size * sine, at: point)
        }
        // At half the rate a filter is real; the sign is given by the phase, 0 or π.
        let last = exponential(Lanes(repeating: bins[2 * points]))[0]
        bins[2 * points] = sineCosine(wrapped(Lanes(repeating: bins[2 * points + 1]))).cosine[0] < 0 ? -last : last
        bins[2 * points + 1] = 0
        transform.inverse()
        let (frames, count) = (transform.frameStorage.view, made.view.count)
        let scale = 1 / Float(2 * points)
        let fade = count / 4
        for index in 0..<count {
            let weight = min(1, Float(count - index) / Float(fade)) * scale
            made.view[count - 1 - index] = frames[index] * weight
        }
    }

    /// Returns an angle brought to ±π by whole turns.
    @inline(__always)
    private func wrapped(_ angle: Lanes) -> Lanes {
        // Adding 1.5 × 2^23 rounds to a whole number.
        let turns = (angle * (0.5 / Float.pi) + 12_582_912) - 12_582_912
        return angle - turns * (2 * Float.pi)
    }

    // MARK: The sound

    /// Filters the frames written to ``inputs``, and moves on.
    ///
    /// - Parameters:
    ///   - frameCount: 0 to the filter's maximum; the frames must lie in one hop.
    ///   - first: Number of the hop's frames already filtered.
    ///   - output: One pointer per channel.
    ///   - offset: The index of the first frame in each channel.
    mutating func apply(
        _ frameCount: Int, from first: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int
    ) {
        let (count, hop, past) = (taps.view.count, hopFrames, pastFrames)
        precondition(frameCount >= 0 && frameCount <= sound.frameCount - count)
        precondition(first >= 0 && first + frameCount <= hop)
        let share = 1 / Float(hop)
        for channel in 0..<sound.channelCount {
            let sound = sound.samples(channel)
            for frame in 0..<frameCount {
                let around = sound.part(from: frame, count: count)
                let part = Float(first + frame) * share
                unsafe output[channel][offset + frame] =
                    dotProduct(around, taps.view) + part * dotProduct(around, change.view)
            }
            for index in 0..<past { sound[index] = sound[frameCount + index] }
        }
    }
}

// Safe to send: a filter has one owner at a time and owns all its memory exclusively.
extension FormantFilter: @unchecked Sendable {}
