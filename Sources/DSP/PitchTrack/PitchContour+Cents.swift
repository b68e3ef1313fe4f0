internal import Glibc

extension PitchContour {
    /// Returns a frequency above 0 in cents above A4 = 440 Hz: 100 a semitone.
    static func cents(ofHertz hertz: Double) -> Double { 1200 * log2(hertz / 440) }

    /// Returns the pitch between two values, in cents above A4; if only the nearer value has a pitch, the nearer pitch.
    func cents(around place: Double) -> Double? {
        guard place > -1, place < Double(count) else { return nil }
        let low = Int(place.rounded(.down))
        let share = place - Double(low)
        switch (cents(at: low), cents(at: low + 1)) {
        case (let first?, let second?):
            // A leap is not a glide.
            if abs(second - first) > 200 { return share < 0.5 ? first : second }
            return first + share * (second - first)
        case (let first?, nil): return share < 0.5 ? first : nil
        case (nil, let second?): return share >= 0.5 ? second : nil
        case (nil, nil): return nil
        }
    }
}

func sine(_ radians: Double) -> Double { sin(radians) }
