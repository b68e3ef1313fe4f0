// Tones with tops between samples: cases 15 to 23 of EBU Tech 3341 (2023), made from its numbers.
internal import Glibc
import Transforms

extension TestSignals {
    /// A sound with a known true peak.
    public struct PeakCase: Sendable {
        /// The case's number in Tech 3341.
        public let number: Int
        /// The sound, at any rate.
        public let samples: [Float]
        /// The reading that the standard requires, in dBTP, +0.2 or -0.4 dB.
        public let expectedDecibels: Double
        /// The true peak, in dBTP.
        public let trueDecibels: Double
    }

    /// A sine that fades in and out over 100 frames, as an abrupt sine has peaks of its own.
    public static func fadedSine(
        cyclesPerFrame: Double, amplitude: Double, degrees: Double, frameCount: Int = 2000
    ) -> [Float] {
        (0..<frameCount).map { frame in
            let edge = Double(min(frame, frameCount - 1 - frame, 100)) / 100
            return Float(amplitude * edge * sin(2 * .pi * cyclesPerFrame * Double(frame) + degrees * .pi / 180))
        }
    }

    /// Cases 15 to 19, steady tones, and 20 to 23, one cycle of full scale in a tone of half of full scale.
    public static func peakCases() -> [PeakCase] {
        let tones: [(Int, Double, Double, Double, Double)] = [
            (15, 4, 0.5, 0, -6), (16, 4, 0.5, 45, -6), (17, 6, 0.5, 60, -6), (18, 8, 0.5, 67.5, -6),
            (19, 4, 1.41, 45, 3),
        ]
        let steady = tones.map { number, period, amplitude, degrees, expected in
            PeakCase(
                number: number,
                samples: fadedSine(cyclesPerFrame: 1 / period, amplitude: amplitude, degrees: degrees),
                expectedDecibels: expected, trueDecibels: 20 * log10(amplitude))
        }
        let fine = highCycle()
        // The tops are sampled 24 times a period: the highest sample is at most 0.04 dB low.
        let peak = 20 * log10(fine.reduce(0) { max($0, abs($1)) })
        return steady
            + (0..<4).map { offset in
                PeakCase(
                    number: 20 + offset, samples: stride(from: offset, to: fine.count, by: 4).map { Float(fine[$0]) },
                    expectedDecibels: 0, trueDecibels: peak)
            }
    }

    /// A tone of a sixth of the rate at four times the rate, with one higher cycle, limited to 0.45 of the rate.
    private static func highCycle() -> [Double] {
        let (count, period, middle, reach) = (1600, 24, 792, 240)
        let tone = (0..<count).map { index -> Double in
            let amplitude = (middle..<middle + period).contains(index) ? 1 : 0.5
            let edge = Double(min(index, count - 1 - index, 200)) / 200
            return amplitude * edge * sin(2 * .pi * Double(index) / Double(period))
        }
        // A windowed sinc with a passband to 0.45 of the low rate and a stopband from half of the rate.
        let window = KaiserWindow.values(count: 2 * reach + 1, beta: 8)
        let taps = window.indices.map { index -> Double in
            let angle = .pi * 0.95 * Double(index - reach) / 4
            return window[index] * (index == reach ? 1 : sin(angle) / angle) * 0.95 / 4
        }
        return tone.indices.map { index in
            taps.indices.reduce(0.0) { sum, tap in
                let place = index + tap - reach
                return tone.indices.contains(place) ? sum + tone[place] * taps[tap] : sum
            }
        }
    }
}
