// The marks of the time axis, with labels.
internal import Explanations
internal import Glibc

/// The marks of a time axis, spaced so that labels do not touch.
struct TimeTicks: Equatable {
    struct Tick: Equatable {
        /// In pixels from the left edge of the plot.
        let x: Double
        let label: String
    }

    /// The marks with labels.
    private(set) var major: [Tick] = []
    /// The marks without labels between the labelled marks, in pixels.
    private(set) var minor: [Double] = []

    /// The least space between two labels, in pixels: wider for labels with decimal places, which are harder to read.
    private static let (gap, wideGap) = (22.0, 44.0)
    /// The least distance of the smaller marks, in pixels.
    private static let minorGap = 5.0

    /// - Parameters:
    ///   - frames: The range of the axis.
    ///   - sampleRate: In Hz.
    ///   - width: The width of the axis, in pixels.
    ///   - labelWidth: Measures a label, in pixels.
    init(frames: Range<Int64>, sampleRate: Int, width: Double, labelWidth: (String) -> Double) {
        let seconds = Double(frames.count) / Double(sampleRate)
        if frames.isEmpty || width <= 0 { return }
        let start = Double(frames.lowerBound) / Double(sampleRate)
        for step in Step.all {
            let pixels = step.seconds / seconds * width
            // Labels have no room at this step, and there may be too many marks to count.
            if pixels < 8 { continue }
            let (first, last) = ((start / step.seconds).rounded(.up), ((start + seconds) / step.seconds).rounded(.down))
            guard abs(first) < 1e15, abs(last) < 1e15 else { continue }
            let numbers = first <= last ? Array(Int(first)...Int(last)) : []
            let ticks = numbers.map {
                Tick(x: (Double($0) * step.seconds - start) / seconds * width, label: step.label($0))
            }
            let widest = [ticks.first, ticks.last].compactMap { $0 }.map { labelWidth($0.label) }.max() ?? 0
            if pixels < widest + (step.decimals > 0 ? Self.wideGap : Self.gap) { continue }
            major = ticks
            let between = pixels / Double(step.divisions)
            if between >= Self.minorGap, first <= last + 1 {
                let numbers = Int((first - 1) * Double(step.divisions))...Int((last + 1) * Double(step.divisions))
                minor = numbers.filter { $0 % step.divisions != 0 }
                    .map { (Double($0) / Double(step.divisions) * step.seconds - start) / seconds * width }
                    .filter { $0 >= 0 && $0 <= width }
            }
            return
        }
    }

    /// An easily read distance between labels.
    struct Step: Equatable {
        /// The step as a multiple of the `decimals`th decimal place.
        let units: Int
        let decimals: Int
        /// The number of smaller marks' intervals in a step.
        let divisions: Int

        var seconds: Double { Double(units) / pow(10, Double(decimals)) }

        /// From a microsecond on: 1, 2, 5, 10, 15 and 30 seconds and minutes, and so on.
        static let all: [Step] = {
            var steps: [Step] = []
            for decimals in stride(from: 6, through: 1, by: -1) {
                steps += [(1, 5), (2, 4), (5, 5)].map { Step(units: $0, decimals: decimals, divisions: $1) }
            }
            for unit in [1, 60] {
                steps += [(1, unit == 1 ? 5 : 6), (2, 4), (5, 5), (10, 5), (15, 3), (30, 6)]
                    .map { Step(units: $0 * unit, decimals: 0, divisions: $1) }
            }
            steps += [(1, 6), (2, 4), (3, 3), (6, 6), (12, 6)]
                .map { Step(units: $0 * 3600, decimals: 0, divisions: $1) }
            var days = 1
            while days < 10_000_000_000 {
                steps += [(1, 4), (2, 4), (5, 5)].map { Step(units: days * $0 * 86_400, decimals: 0, divisions: $1) }
                days *= 10
            }
            return steps
        }()

        /// Returns the label of the `number`th mark.
        func label(_ number: Int) -> String { TimeTicks.text(units: number * units, decimals: decimals) }
    }

    /// Returns a time as m:ss or h:mm:ss, with the given number of decimal places.
    static func text(units: Int, decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1) { product, _ in product * 10 }
        let (seconds, fraction) = abs(units).quotientAndRemainder(dividingBy: scale)
        let (hours, rest) = seconds.quotientAndRemainder(dividingBy: 3600)
        let sign = units < 0 ? "\u{2212}" : ""
        let clock =
            hours > 0
            ? "\(hours):\(zeroPadded(rest / 60, to: 2)):\(zeroPadded(rest % 60, to: 2))"
            : "\(rest / 60):\(zeroPadded(rest % 60, to: 2))"
        return sign + clock + (decimals > 0 ? "." + zeroPadded(fraction, to: decimals) : "")
    }
}
