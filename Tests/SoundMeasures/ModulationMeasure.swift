// The depth and the shape of modulations after stretching, relative to a slow performance of the same tone.
internal import Glibc

/// Reads the first harmonic of a stretched `ModulatedTone`.
///
/// The reader turns the sound back by the phase that the first harmonic would have in a slow performance, and keeps the
/// slow rest (complex demodulation: Bloomfield, "Fourier Analysis of Time Series", 1976). An exact performance becomes
/// a constant, so that the filter cannot distort it, and reads 0 in every row. The rest at 1.25 ms steps is the error
/// of phase and level; pitch is the mean over 10 ms. A constant delay costs nothing: after a first reading the law is
/// delayed as the sound is.
///
/// The filter passes 0.42 times the pitch on either side and is 100 dB down from 0.7 times the pitch on, short of the
/// second harmonic. Where fast changes widen the second harmonic, or another tone is near, the filter is narrower. The
/// first and last half second of the sound are left out. A sound without the tone reads infinity in every row.
public struct ModulationReader: Sendable {
    /// The depth and shape of a swing.
    public struct Swing: Sendable {
        /// The part of the depth that was lost or added: per cent of the depth for a vibrato, points for a tremolo.
        public let depthLost: Double
        /// Deviation from the swing, root of the mean square: cents for a vibrato, per cent of the mean level for a
        /// tremolo.
        public let shape: Double

        static let unheard = Swing(depthLost: .infinity, shape: .infinity)
    }

    private let tone: ModulatedTone
    private let speed: Double
    private let sampleRate: Int
    /// Frames from one place to the next.
    private let step: Int
    private let taps: [Double]
    private let law: Law
    /// Places over which a pitch is the mean: 10 ms.
    private static let reach = 8

    /// A reader for a tone at a speed.
    ///
    /// - Parameter neighbours: The nearest frequencies of other tones in the sound, in Hz.
    public init(_ tone: ModulatedTone, speed: Double, sampleRate: Int, neighbours: [Double] = []) {
        (self.tone, self.speed, self.sampleRate) = (tone, speed, sampleRate)
        step = max(1, Int((0.00125 * Double(sampleRate)).rounded()))
        let clear = neighbours.map { 0.65 * abs($0 - tone.hertz) }.min() ?? .infinity
        let narrowest = 0.4 * tone.hertz
        let stop = min(clear, 0.7 * tone.hertz, max(narrowest, tone.secondHarmonicDistance(speed: speed)))
        taps = Filter.steepLowPass(passHertz: 0.6 * stop, stopHertz: stop, rate: Double(sampleRate))
        law = Law(tone, speed: speed, sampleRate: sampleRate, delay: 0)
    }

    /// The depth and shape of the vibrato.
    public func vibrato(_ sound: [Float]) -> Swing {
        guard case .vibrato(let swingHertz, _, _) = tone.pitch, var reading = read(sound, law) else {
            return .unheard
        }
        let columns = swing(swingHertz, count: reading.cents.count)
        func fit(_ values: [Double]) -> LeastSquares { LeastSquares(values, columns: columns) }
        let (first, found) = (fit(reading.expected), fit(zip(reading.expected, reading.cents).map { $0 + $1 }))
        let turn = remainder(found.angle - first.angle, 2 * .pi)
        let delay = turn / (2 * .pi * swingHertz * speed)
        if abs(delay) > Self.shortDelay {
            let delayed = Law(tone, speed: speed, sampleRate: sampleRate, delay: delay)
            guard let again = read(sound, delayed) else { return .unheard }
            reading = again
        }
        let (wanted, error) = (fit(reading.expected).coefficients, fit(reading.cents))
        let depth = hypot(wanted[0] + error.coefficients[0], wanted[1] + error.coefficients[1])
        return Swing(
            depthLost: abs(100 - 100 * depth / hypot(wanted[0], wanted[1])),
            shape: (error.residualEnergy / Double(reading.cents.count)).squareRoot())
    }

    /// The depth and shape of the tremolo.
    public func tremolo(_ sound: [Float]) -> Swing {
        guard let tremolo = tone.tremolo, let reading = read(sound, law) else { return .unheard }
        let fit = LeastSquares(reading.levels, columns: swing(tremolo.swingHertz, count: reading.levels.count))
        let mean = fit.coefficients[2]
        let depth = hypot(fit.coefficients[0], fit.coefficients[1]) / mean
        return Swing(
            depthLost: abs(100 * (depth - tremolo.depth)),
            shape: 100 * (fit.residualEnergy / Double(reading.levels.count)).squareRoot() / mean)
    }

    /// The error of the notes of the trill in the 40 ms around their middles, in cents: the median of the notes. The
    /// first and last three notes are left out.
    public func trill(_ sound: [Float]) -> Double {
        guard case .trill(let changes, _) = tone.pitch, let reading = read(sound, law) else { return .infinity }
        let length = 1 / (changes * speed)
        let reach = min(0.02, 0.12 * length)
        let errors = (3..<max(3, Int(tone.seconds * changes) - 3)).compactMap { note -> Double? in
            let middle = (Double(note) + 0.5) * length
            let cents = reading.cents[reading.places(from: middle - reach, through: middle + reach)]
            return cents.isEmpty ? nil : abs(cents.reduce(0, +) / Double(cents.count))
        }
        return errors.isEmpty ? .infinity : median(errors)
    }

    /// Deviation from the glide, in cents, root of the mean square, from 15 to 80 % of its duration. A delay of at most
    /// 10 ms costs nothing.
    public func glide(_ sound: [Float]) -> Double {
        guard case .glide(let start, let seconds, let cents) = tone.pitch, let first = read(sound, law) else {
            return .infinity
        }
        // Cents a second of the output; the deviation of a delayed glide is constant.
        let slope = cents / seconds * speed
        func part(_ reading: Reading, delay: Double) -> ArraySlice<Double> {
            reading.cents[
                reading.places(
                    from: (start + 0.15 * seconds) / speed + delay, through: (start + 0.8 * seconds) / speed + delay)]
        }
        func mean(_ values: ArraySlice<Double>) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
        var values = part(first, delay: 0)
        let delay = min(0.01, max(-0.01, -mean(values) / slope))
        if abs(delay) > Self.shortDelay {
            let delayed = Law(tone, speed: speed, sampleRate: sampleRate, delay: delay)
            guard let again = read(sound, delayed) else { return .infinity }
            values = part(again, delay: delay)
        }
        guard !values.isEmpty else { return .infinity }
        // The remainder of a delay that is within the limit, which the law was delayed by only roughly.
        let shift = abs(delay) < 0.01 ? mean(values) : 0
        return rootMeanSquare(values.map { $0 - shift })
    }

    /// The error of the pitch in cents, root of the mean square, of a tone that does not move.
    public func steadiness(_ sound: [Float]) -> Double {
        read(sound, law).map { rootMeanSquare($0.cents) } ?? .infinity
    }

    /// The level of beats at their own rate over beats at the speed's rate, in dB, where two equal tones sound around
    /// the tone's frequency. Both tones keep their pitch in a slow performance, so their beats keep their rate.
    /// Infinity at normal speed, where both rates are the same.
    public func beats(_ sound: [Float], beatHertz: Double) -> Double {
        guard let reading = read(sound, law) else { return -.infinity }
        guard speed != 1 else { return .infinity }
        let places = Double(step) / Double(sampleRate)
        let fit = LeastSquares(
            reading.levels.map { $0 * $0 },
            columns: LeastSquares.sines(
                [beatHertz * places, beatHertz * speed * places], count: reading.levels.count)
                + [[Double](repeating: 1, count: reading.levels.count)])
        func power(_ column: Int) -> Double {
            fit.coefficients[column] * fit.coefficients[column]
                + fit.coefficients[column + 1] * fit.coefficients[column + 1]
        }
        return decibels(power(0) / max(power(2), 1e-20))
    }

    /// The variation of the level, as deviation over mean, and its rate: the root of the mean square of its changes a
    /// second over the deviation.
    public func fluctuation(_ sound: [Float]) -> (variation: Double, rate: Double)? {
        guard let levels = read(sound, law)?.levels else { return nil }
        let mean = levels.reduce(0, +) / Double(levels.count)
        let deviation = rootMeanSquare(levels.map { $0 - mean })
        let changes = rootMeanSquare(zip(levels.dropFirst(), levels).map { $0 - $1 })
        return (deviation / mean, changes / max(deviation, 1e-20) * Double(sampleRate) / Double(step))
    }

    /// A delay in seconds that changes no second decimal of a figure.
    private static let shortDelay = 0.0002

    /// Cosine and sine of a swing, and a constant, for every place.
    private func swing(_ hertz: Double, count: Int) -> [[Double]] {
        let cycles = hertz * speed * Double(step) / Double(sampleRate)
        return LeastSquares.sines([cycles], count: count) + [[Double](repeating: 1, count: count)]
    }
}

extension ModulationReader {
    /// The first harmonic of a performance.
    private struct Law: Sendable {
        /// In turns.
        let phases: [Double]
        let cosines: [Double]
        let sines: [Double]

        init(_ tone: ModulatedTone, speed: Double, sampleRate: Int, delay: Double) {
            phases = tone.phases(sampleRate: sampleRate, tempo: speed, delay: delay)
            cosines = phases.map { cos(2 * .pi * ($0 - $0.rounded(.down))) }
            sines = phases.map { sin(2 * .pi * ($0 - $0.rounded(.down))) }
        }
    }

    private struct Reading {
        /// The height of the law's pitch and the sound's deviation from it, in cents, means over 10 ms.
        var expected: [Double] = []
        var cents: [Double] = []
        /// The amplitude of the first harmonic.
        var levels: [Double] = []
        /// Seconds in the output of the first mean's middle, and from one to the next.
        let begin: Double
        let spacing: Double

        /// The places between two times in seconds.
        func places(from first: Double, through last: Double) -> Range<Int> {
            let lower = max(0, Int(((first - begin) / spacing).rounded(.up)))
            return lower..<max(lower, min(cents.count, Int(((last - begin) / spacing).rounded(.down)) + 1))
        }
    }

    /// Nil if the tone is not in the sound.
    private func read(_ sound: [Float], _ law: Law) -> Reading? {
        let rate = Double(sampleRate)
        let count = min(sound.count, law.phases.count)
        let margin = max(taps.count / 2 + 1, sampleRate / 2)
        let places = Array(stride(from: margin, to: count - margin, by: step))
        guard 10 * count >= 9 * law.phases.count, places.count > 4 * Self.reach else { return nil }
        var (real, imaginary) = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
        for frame in 0..<count {
            let value = Double(sound[frame])
            real[frame] = value * law.cosines[frame]
            imaginary[frame] = -value * law.sines[frame]
        }
        let middle = Self.reach / 2
        var reading = Reading(begin: Double(margin + middle * step) / rate, spacing: Double(step) / rate)
        var (turns, last) = ([Double](), 0.0)
        for place in places {
            let (x, y) = (
                dot(taps, real, from: place - taps.count / 2), dot(taps, imaginary, from: place - taps.count / 2)
            )
            last += remainder(atan2(y, x) / (2 * .pi) - last, 1)
            turns.append(last)
            reading.levels.append(2 * hypot(x, y))
        }
        // 40 dB below the source is no tone.
        guard median(reading.levels) > 0.01 * ModulatedTone.amplitude else { return nil }
        let seconds = Double(Self.reach * step) / rate
        for (index, place) in places.enumerated().dropLast(Self.reach) {
            let wanted = law.phases[place + Self.reach * step] - law.phases[place]
            let found = wanted + turns[index + Self.reach] - turns[index]
            reading.expected.append(1200 * log2(wanted / seconds / tone.hertz))
            reading.cents.append(1200 * log2(max(found, 0.1 * wanted) / wanted))
        }
        return reading
    }
}

extension LeastSquares {
    /// The angle of the first two columns, cosine and sine.
    fileprivate var angle: Double { atan2(coefficients[1], coefficients[0]) }
}

extension ModulatedTone {
    /// From the first harmonic's frequency to the lowest that the modulated second harmonic reaches, in Hz, when the
    /// first is turned to a constant.
    fileprivate func secondHarmonicDistance(speed: Double) -> Double {
        let level = 4 * speed * (tremolo?.swingHertz ?? 0)
        switch pitch {
        case .steady, .glide: return hertz - level
        case .vibrato(let swingHertz, _, _): return hertz - max(level, 4 * speed * swingHertz)
        // Changes within two periods spread far.
        case .trill: return 0
        }
    }
}
