// Places and labels the marks of a time axis.

/// A time axis under a picture.
package struct TimeAxis {
    private let start: Double
    private let length: Double

    /// - Parameters:
    ///   - start: The first second shown.
    ///   - length: The seconds of the whole width.
    package init(start: Double, length: Double) { (self.start, self.length) = (start, length) }

    /// Steps between marks, in seconds: round numbers in the usual units, from a millisecond to a day.
    private static let steps: [Double] = [
        0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600,
        7200,
        14_400, 21_600, 43_200, 86_400,
    ]

    /// Returns a line of marks and labels for a width in characters; empty without time to show.
    package func line(cells: Int, glyphs: Glyphs) -> String {
        guard length > 0, cells > 0 else { return "" }
        let mark: Character = glyphs == .unicode ? "╵" : "|"
        // Chooses the finest step that leaves a gap between labels.
        for step in Self.steps {
            let decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3
            let widest = clockText(start + length, decimals: decimals).count
            if step / length * Double(cells) < Double(widest + 3) { continue }
            return line(cells: cells, step: step, decimals: decimals, mark: mark)
        }
        return line(cells: cells, step: length, decimals: 0, mark: mark)
    }

    private func line(cells: Int, step: Double, decimals: Int, mark: Character) -> String {
        var line: [Character] = Array(repeating: " ", count: cells)
        var index = (start / step - 1e-9).rounded(.up)
        while index * step < start + length {
            let cell = Int((index * step - start) / length * Double(cells) + 1e-9)
            // Adds a thousandth of the last decimal, so a rounding error cannot show the previous value.
            let label = Array(String(mark) + clockText(index * step + 1e-6, decimals: decimals))
            if cell >= 0 && cell + label.count <= cells {
                line.replaceSubrange(cell..<cell + label.count, with: label)
            } else if cell >= 0 && cell < cells {
                line[cell] = mark
            }
            index += 1
        }
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
