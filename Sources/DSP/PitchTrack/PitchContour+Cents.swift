internal import Glibc

extension PitchContour {
    /// A frequency above 0 in cents above A4 = 440 Hz: 100 a semitone.
    static func cents(ofHertz hertz: Double) -> Double { 1200 * log2(hertz / 440) }
}

func sine(_ radians: Double) -> Double { sin(radians) }
