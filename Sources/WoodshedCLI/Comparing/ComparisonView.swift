// A comparison drawn with characters: the levels of model and take, their pitches in the same rows, and markers for
// early and late places.
import Terminal
import Woodshed

/// The lines of a comparison in a terminal.
struct ComparisonView {
    let comparison: Comparison
    let glyphs: Glyphs
    /// The columns of the terminal.
    let columns: Int

    private static let nameWidth = 6
    private static let pitchRows = 7
    /// The softest visible level, in dB.
    private static let floor: Float = -54

    /// Number of columns for the curves.
    private var width: Int { max(8, min(columns - 1, 100) - Self.nameWidth) }

    /// The lines, each narrower than the terminal; empty without curves or without enough columns.
    var lines: [String] {
        let curves = comparison.curves
        guard !curves.modelDecibels.isEmpty, columns >= 30 else { return [] }
        var lines = [
            named("model", levels(curves.modelDecibels)), named("take", levels(curves.takeDecibels)),
        ]
        lines += pitches(curves)
        let late = spread(curves.lateSeconds).map { value -> Character in
            guard let value, abs(value) >= 0.05 else { return " " }
            return value > 0 ? (glyphs == .unicode ? "▸" : ">") : (glyphs == .unicode ? "◂" : "<")
        }
        if late.contains(where: { $0 != " " }) { lines.append(named("", late)) }
        return lines.map { line in
            var line = line
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }

    private func named(_ name: String, _ cells: [Character]) -> String {
        name + String(repeating: " ", count: max(0, Self.nameWidth - name.count)) + String(cells)
    }

    /// Returns a value for each column: the mean of the column's numbers; nil without a number.
    private func spread(_ values: [Float]) -> [Float?] {
        (0..<width).map { column in
            let first = column * values.count / width
            let end = max(first + 1, (column + 1) * values.count / width)
            let known = values[min(first, values.count)..<min(end, values.count)].filter { !$0.isNaN }
            return known.isEmpty ? nil : known.reduce(0, +) / Float(known.count)
        }
    }

    private func levels(_ decibels: [Float]) -> [Character] {
        let steps = Array(glyphs == .unicode ? " ▁▂▃▄▅▆▇█" : " .:-=+*#@")
        return spread(decibels).map { level in
            guard let level else { return " " }
            let share = min(max(1 - level / Self.floor, 0), 1)
            return steps[Int((share * Float(steps.count - 1)).rounded())]
        }
    }

    /// Draws the pitches, the highest in the first line. The take's pitches are shifted by the median difference. A
    /// heavier character marks a cell with both pitches.
    private func pitches(_ curves: Comparison.Curves) -> [String] {
        let offset = Float(comparison.pitchOffsetCents ?? 0)
        let (model, take) = (spread(curves.modelCents), spread(curves.takeCents.map { $0 - offset }))
        let known = (model + take).compactMap { $0 }
        guard let low = known.min(), let high = known.max() else { return [] }
        let middle = (low + high) / 2
        let reach = max((high - low) / 2, 150)
        func row(_ cents: Float?) -> Int? {
            guard let cents else { return nil }
            let place = (cents - middle + reach) / (2 * reach)
            return Self.pitchRows - 1 - Int((place * Float(Self.pitchRows - 1)).rounded())
        }
        let (one, other, both): (Character, Character, Character) =
            glyphs == .unicode ? ("─", "•", "●") : ("-", "o", "@")
        return (0..<Self.pitchRows).map { line in
            let cells = zip(model, take).map { model, take -> Character in
                switch (row(model) == line, row(take) == line) {
                case (true, true): both
                case (true, false): one
                case (false, true): other
                case (false, false): " "
                }
            }
            return named(line == Self.pitchRows / 2 ? "pitch" : "", cells)
        }
    }
}
