// The marks of vertical axes: amplitude, level and frequency.
internal import Glibc

/// A mark of a vertical axis.
struct ValueTick: Equatable {
    /// From 0, the axis's lower end, to 1, its upper end.
    let position: Double
    /// Empty for a line without a number.
    let label: String
}

/// Returns a number as printed at an axis, with a real minus sign and no unnecessary decimal places.
func axisNumber(_ value: Double) -> String {
    let hundredths = Int((abs(value) * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    let decimals = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
    return (value < 0 && hundredths > 0 ? "\u{2212}" : "") + "\(whole)\(decimals)"
}

/// Returns marks for amplitudes from -1 to 1 over `height` pixels, at least `gap` pixels apart.
func linearTicks(height: Double, gap: Double) -> [ValueTick] {
    guard let step = [0.1, 0.25, 0.5, 1].first(where: { $0 * height / 2 >= gap }) else {
        return [ValueTick(position: 0.5, label: height >= gap ? "0" : "")]
    }
    let count = Int((1 / step).rounded(.down))
    return (-count...count).map {
        ValueTick(position: 0.5 + Double($0) * step / 2, label: axisNumber(Double($0) * step))
    }
}

/// Returns marks for levels in dB: 0 at both ends, `floor` in the middle.
func mirroredLevelTicks(floor: Double, height: Double, gap: Double) -> [ValueTick] {
    let middle = ValueTick(position: 0.5, label: height >= 2.5 * gap ? axisNumber(floor) : "")
    let ticks = levelTicks(floor: floor, height: height / 2, gap: gap, keepsFloorClear: true)
    let upper = ticks.map { ValueTick(position: 0.5 + $0.position / 2, label: $0.label) }
    let lower = ticks.map { ValueTick(position: 0.5 - $0.position / 2, label: $0.label) }
    return upper + [middle] + lower.reversed()
}

/// Returns marks for levels from 0 down to `floor`, in dB.
func levelTicks(floor: Double, height: Double, gap: Double, keepsFloorClear: Bool = false) -> [ValueTick] {
    let steps = [1.0, 3, 6, 10, 20, 30, 60]
    guard height > 0, let step = steps.first(where: { $0 / -floor * height >= gap }) else { return [] }
    var ticks: [ValueTick] = []
    var level = 0.0
    while level > floor - 1e-9 {
        let position = 1 - level / floor
        if !keepsFloorClear || position * height >= gap {
            ticks.append(ValueTick(position: position, label: axisNumber(level)))
        }
        level -= step
    }
    return ticks
}

/// Returns marks for frequencies from `lowest` to `highest` Hz over `height` pixels.
func frequencyTicks(lowest: Double, highest: Double, isLogarithmic: Bool, height: Double, gap: Double) -> [ValueTick] {
    isLogarithmic
        ? logarithmicTicks(lowest: lowest, highest: highest, height: height, gap: gap)
        : evenTicks(lowest: lowest, highest: highest, height: height, gap: gap)
}

private func evenTicks(lowest: Double, highest: Double, height: Double, gap: Double) -> [ValueTick] {
    for exponent in 0..<12 {
        for digit in [1.0, 2, 5] {
            let step = digit * pow(10, Double(exponent))
            if step / (highest - lowest) * height < gap { continue }
            let (first, last) = (Int((lowest / step).rounded(.up)), Int((highest / step).rounded(.down)))
            if first > last { return [] }
            return (first...last).map {
                let frequency = Double($0) * step
                return ValueTick(position: (frequency - lowest) / (highest - lowest), label: frequencyLabel(frequency))
            }
        }
    }
    return []
}

private func logarithmicTicks(lowest: Double, highest: Double, height: Double, gap: Double) -> [ValueTick] {
    let octaves = log(highest / lowest)
    var taken: [Double] = []
    var ticks: [ValueTick] = []
    // Powers of ten first, so less important labels are omitted if there is no room.
    for digits in [[1.0], [2, 5], [3, 4, 6, 7, 8, 9]] {
        for exponent in -3..<9 {
            for digit in digits {
                let frequency = digit * pow(10, Double(exponent))
                if frequency < lowest * (1 - 1e-9) || frequency > highest * (1 + 1e-9) { continue }
                let position = log(frequency / lowest) / octaves
                let isClear = taken.allSatisfy { abs($0 - position) * height >= gap }
                let hasLabel = isClear && digits.count < 3
                if hasLabel { taken.append(position) }
                ticks.append(ValueTick(position: position, label: hasLabel ? frequencyLabel(frequency) : ""))
            }
        }
    }
    return ticks.sorted { $0.position < $1.position }
}

private func frequencyLabel(_ hertz: Double) -> String {
    hertz >= 1000 ? axisNumber(hertz / 1000) + "k" : axisNumber(hertz)
}
