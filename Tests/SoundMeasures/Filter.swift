// The filters of the measures, in Double, plain and slow.
internal import Glibc
internal import Transforms

enum Filter {
    /// A low pass by the windowed sinc with Hamming's window; the taps add up to 1.
    static func lowPass(tapCount: Int, hertz: Double, rate: Double = TestSignals.rate) -> [Double] {
        let middle = Double(tapCount - 1) / 2
        let cut = 2 * hertz / rate
        let taps = (0..<tapCount).map { tap -> Double in
            let place = Double(tap) - middle
            let sinc = place == 0 ? cut : sin(.pi * cut * place) / (.pi * place)
            return sinc * (0.54 - 0.46 * cos(2 * .pi * Double(tap) / Double(tapCount - 1)))
        }
        let sum = taps.reduce(0, +)
        return taps.map { $0 / sum }
    }

    /// A low pass by the windowed sinc with Kaiser's window, an odd number of taps that add up to 1: level to 0.001 %
    /// below `passHertz`, 100 dB down from `stopHertz` on (Kaiser, "Nonrecursive digital filter design using the
    /// I0-sinh window function", 1974).
    static func steepLowPass(passHertz: Double, stopHertz: Double, rate: Double) -> [Double] {
        let reach = Int((0.5 * (100 - 7.95) / 14.36 * rate / (stopHertz - passHertz)).rounded(.up))
        let cut = (passHertz + stopHertz) / rate
        let window = KaiserWindow.values(count: 2 * reach + 1, beta: 0.1102 * (100 - 8.7))
        let taps = (-reach...reach).map { tap -> Double in
            let sinc = tap == 0 ? cut : sin(.pi * cut * Double(tap)) / (.pi * Double(tap))
            return sinc * window[tap + reach]
        }
        let sum = taps.reduce(0, +)
        return taps.map { $0 / sum }
    }

    /// Every third sample of the sound below a third of the band; for measures below 7 kHz.
    static func thirdOfTheRate(_ sound: [Double]) -> [Double] {
        let taps = lowPass(tapCount: 91, hertz: TestSignals.rate / 6 * 0.92)
        let reach = taps.count / 2
        return stride(from: 0, to: sound.count, by: 3).map { frame in
            var sum = 0.0
            for tap in max(0, reach - frame)..<min(taps.count, sound.count - frame + reach) {
                sum += taps[tap] * sound[frame + tap - reach]
            }
            return sum
        }
    }

    /// The mean over `length` samples around each sample; places outside the sound count as zero.
    static func boxMean(_ values: [Double], length: Int) -> [Double] {
        var sums = [0.0]
        sums.reserveCapacity(values.count + 1)
        for value in values { sums.append(sums[sums.count - 1] + value) }
        let before = length / 2
        return values.indices.map { index in
            let first = max(0, index - before)
            let last = min(values.count, index - before + length)
            return max(0, sums[last] - sums[first]) / Double(length)
        }
    }

    /// The level around each sample: root of the mean square over some milliseconds.
    static func envelope(_ sound: [Double], milliseconds: Double = 0.5) -> [Double] {
        let length = max(1, Int(milliseconds * TestSignals.rate / 1000))
        return boxMean(sound.map { $0 * $0 }, length: length).map { $0.squareRoot() }
    }

    /// The sound above `hertz`, without delay: a Butterworth filter of sixth order, forth and back, 72 dB an octave.
    static func highPass(_ sound: [Double], hertz: Double) -> [Double] {
        // The pole pairs of the prototype are at 15, 45 and 75 degrees; bilinear transform, warped to meet at `hertz`.
        let warped = tan(.pi * hertz / TestSignals.rate)
        var result = sound
        for _ in 0..<2 {
            for degrees in [15.0, 45, 75] {
                let damping = 2 * cos(degrees * .pi / 180)
                let scale = 1 / (1 + damping * warped + warped * warped)
                let (a1, a2) = (2 * (warped * warped - 1) * scale, (1 - damping * warped + warped * warped) * scale)
                var (s1, s2) = (0.0, 0.0)
                for index in result.indices {
                    let input = result[index]
                    let output = scale * input + s1
                    s1 = -2 * scale * input - a1 * output + s2
                    s2 = scale * input - a2 * output
                    result[index] = output
                }
            }
            result.reverse()
        }
        return result
    }
}
