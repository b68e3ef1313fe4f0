internal import CSampleLoops
internal import Glibc
internal import Samples

/// A volume indicator (VU meter), whose needle moves slowly enough for the eye to follow speech (IEC 60268-17).
///
/// The rectified signal moves a needle with mass, spring and damping: the needle reaches 99 % of a sudden tone in 300
/// ms and goes 1.25 % beyond, in the middle of the standard's range (1 to 1.5 %). The needle's equation is solved
/// exactly for about a millisecond at a time, so the rate does not matter. In a millisecond a needle near its highest
/// place moves by less than 4e-5 of full scale. Readings are relative to the reading of a steady full-scale sine; the
/// caller decides where 0 VU lies (+4 dBu, often -18 or -20 dB of full scale). Samples that are not finite, or beyond
/// ±2^40, count as silence.
public struct VolumeUnitMeter: Sendable {
    /// The needle after a step: its place and pace, by the place and pace before.
    private struct Step: Sendable {
        let placeByPlace, placeByPace, paceByPlace, paceByPace: Double

        /// Radians a second of the free needle, and its damping, for the values above: overshoot is exp(-πd / √(1 -
        /// d²)).
        private static let (pulse, damping) = (13.511912562532716, 0.8127169864286775)

        init(seconds: Double) {
            let (pulse, damping) = (Step.pulse, Step.damping)
            let swing = pulse * (1 - damping * damping).squareRoot()
            let decay = exp(-damping * pulse * seconds)
            let (sine, cosine) = (decay * sin(swing * seconds) / swing, decay * cos(swing * seconds))
            placeByPlace = cosine + damping * pulse * sine
            placeByPace = sine
            paceByPlace = -pulse * pulse * sine
            paceByPace = cosine - damping * pulse * sine
        }

        /// Returns the needle after the step.
        @inline(__always)
        func callAsFunction(_ place: Double, _ pace: Double) -> (place: Double, pace: Double) {
            (placeByPlace * place + placeByPace * pace, paceByPlace * place + paceByPace * pace)
        }
    }

    /// Number of channels, 1 to 64.
    package let channelCount: Int
    /// Frames of a step: a multiple of eight, about a millisecond.
    private let stepFrames: Int
    private let step: Step
    /// Amounts added by each sample of a step to the place at the step's end, followed by the amounts added to the
    /// pace.
    private let weights: [Float]
    private var needles: [Needle]
    /// Frames since the last step.
    private var phase = 0

    /// Allocates all memory.
    ///
    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 1 Hz or more.
    ///
    /// Real-time safe: no.
    public init(channelCount: Int, sampleRate: Int) {
        precondition((1...64).contains(channelCount), "A volume indicator takes 1 to 64 channels.")
        precondition(sampleRate > 0, "There is no such rate.")
        self.channelCount = channelCount
        let stepFrames = max(1, sampleRate / 8000) * Lanes.scalarCount
        self.stepFrames = stepFrames
        step = Step(seconds: Double(stepFrames) / Double(sampleRate))
        // A steady force moves the needle towards its target, a little each frame; a rectified sine's mean is 2/π of
        // its peak.
        let frame = Step(seconds: 1 / Double(sampleRate))
        let (place, pace) = ((1 - frame.placeByPlace) * .pi / 2, -frame.paceByPlace * .pi / 2)
        let moved = (1...stepFrames).map { number in
            Step(seconds: Double(stepFrames - number) / Double(sampleRate))(place, pace)
        }
        weights = moved.map { Float($0.place) } + moved.map { Float($0.pace) }
        needles = [Needle](repeating: Needle(), count: channelCount)
    }

    /// Reads the next frames; blocks of any length give the same result.
    ///
    /// - Parameters:
    ///   - input: A pointer to the samples of each channel.
    ///   - frameCount: Frames of each channel, 0 or more.
    ///
    /// Real-time safe: no.
    public mutating func process(_ input: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        precondition(frameCount >= 0, "A block has no negative length.")
        let step = [step.placeByPlace, step.placeByPace, step.paceByPlace, step.paceByPace]
        for channel in needles.indices {
            // `weights` holds a weight for place and a weight for pace for each frame of a step.
            unsafe move_needle(input[channel], frameCount, phase, stepFrames, weights, step, &needles[channel])
        }
        phase = (phase + frameCount) % stepFrames
    }

    /// Returns the place of a needle at the end of the current step, if silence follows.
    private func place(_ needle: Needle) -> Double {
        let pushes = needle.place_pushes
        return step(needle.place, needle.pace).place
            + Double(total(Lanes(pushes.0, pushes.1, pushes.2, pushes.3, pushes.4, pushes.5, pushes.6, pushes.7)))
    }

    /// Returns the reading of a channel at this moment, in dB relative to a steady full-scale sine; minus infinity for
    /// silence.
    ///
    /// - Parameter channel: 0 to one less than the number of channels.
    ///
    /// Real-time safe: no.
    public func decibels(channel: Int) -> Double {
        precondition(channel >= 0 && channel < channelCount, "There is no such channel.")
        // The needle swings a little below zero when coming to rest.
        return 20 * log10(max(0, place(needles[channel])))
    }

    /// The highest reading of any channel so far, in dB relative to a steady full-scale sine. Real-time safe: no.
    public var maximumDecibels: Double {
        20 * log10(needles.reduce(0) { max($0, $1.highest, place($1)) })
    }

    /// Returns the meter to its state after `init`. Real-time safe: no.
    public mutating func reset() {
        for channel in needles.indices { needles[channel] = Needle() }
        phase = 0
    }
}
