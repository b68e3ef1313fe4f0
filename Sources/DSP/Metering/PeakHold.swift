/// The peak for a display: the display rises at once, holds for a while, then falls evenly in dB.
///
/// Time is counted in frames of the sound, so a late display, or a pause, changes nothing. Feed every reading of a
/// ``LevelMeter``; the display shows fed peaks only.
package struct PeakHold: Sendable, Equatable {
    /// Duration of the hold, and speed of the fall.
    package struct Parameters: Sendable, Equatable {
        /// Frames per second, in Hz.
        package let sampleRate: Int
        /// Duration of the hold, in seconds.
        package let holdSeconds: Double
        /// Speed of the fall after the hold, in dB a second.
        package let fallDecibelsPerSecond: Double

        /// Checks and keeps the values.
        ///
        /// - Parameters:
        ///   - sampleRate: 1 Hz or more.
        ///   - holdSeconds: 0 or more; infinite holds for ever.
        ///   - fallDecibelsPerSecond: More than 0. The default is the fall of a PPM of type I, 20 dB in 1.7 s.
        ///
        /// Real-time safe: yes.
        package init(sampleRate: Int, holdSeconds: Double = 1.5, fallDecibelsPerSecond: Double = 20 / 1.7) {
            precondition(
                sampleRate > 0 && holdSeconds >= 0 && fallDecibelsPerSecond > 0, "A peak is held, then it falls.")
            self.sampleRate = sampleRate
            self.holdSeconds = holdSeconds
            self.fallDecibelsPerSecond = fallDecibelsPerSecond
        }
    }

    /// Duration and speed of the display.
    package let parameters: Parameters
    /// The displayed peak, in dB of full scale; minus infinity before the first feed.
    package private(set) var decibels = -Double.infinity
    /// Age of the displayed peak, in seconds.
    private var age = 0.0

    /// Makes a display without a peak. Real-time safe: yes.
    package init(_ parameters: Parameters) { self.parameters = parameters }

    /// Adds the peak of the next frames, and advances time by the same frames.
    ///
    /// - Parameters:
    ///   - peakDecibels: The highest peak of these frames, in dB; minus infinity for silence.
    ///   - frameCount: 0 or more.
    ///
    /// Real-time safe: yes.
    package mutating func feed(_ peakDecibels: Double, frameCount: Int) {
        precondition(frameCount >= 0, "Time does not run backwards.")
        let seconds = Double(frameCount) / Double(parameters.sampleRate)
        // Only the time beyond the hold lowers the peak, however the frames are divided.
        let before = max(0, age - parameters.holdSeconds)
        let after = max(0, age + seconds - parameters.holdSeconds)
        age += seconds
        if after > before { decibels -= parameters.fallDecibelsPerSecond * (after - before) }
        if peakDecibels >= decibels {
            decibels = peakDecibels
            age = 0
        }
    }

    /// Clears the displayed peak. Real-time safe: yes.
    package mutating func reset() { self = PeakHold(parameters) }
}
