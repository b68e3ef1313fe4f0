// Converts columns to pixels: between the extremes of the samples, and within their RMS level.
package import DSP
internal import Glibc

/// The conversion of amplitude to height.
package enum WaveScale: Equatable, Sendable {
    case linear
    /// Scale in dB, with silence in the middle and this level just above the middle.
    case decibels(floor: Double)

    /// Returns the height, -1 to 1, of an amplitude, -1 to 1.
    func height(_ amplitude: Float) -> Double {
        let value = Double(amplitude)
        switch self {
        case .linear: return value
        case .decibels(let floor):
            let share = value == 0 ? 0 : max(0, 1 - 20 * log10(abs(value)) / floor)
            return value < 0 ? -share : share
        }
    }
}

/// The picture of a channel, `rows` pixels high, with a pixel for the width of a column.
package struct WavePixels {
    /// The content of a pixel.
    enum Mark: UInt8 {
        case nothing
        /// Between the extremes.
        case peak
        /// Within the RMS on both sides of zero.
        case body
    }

    let rows: Int
    let columns: [WaveformColumn]
    private var marks: [Mark]

    /// - Parameter rows: 1 or more.
    package init(_ columns: [WaveformColumn], rows: Int, scale: WaveScale) {
        self.rows = rows
        self.columns = columns
        marks = Array(repeating: .nothing, count: rows * columns.count)
        var last: WaveformColumn?
        for (index, column) in columns.enumerated() {
            defer { last = column.isEmpty ? nil : column }
            if column.isEmpty { continue }
            // Joins neighbouring columns: a steep waveform with non-overlapping extremes would show a gap.
            let (low, high) =
                last.map { (min(column.minimum, $0.maximum), max(column.maximum, $0.minimum)) } ?? (
                    column.minimum, column.maximum
                )
            let peaks = Self.rows(scale.height(low), scale.height(high), of: rows)
            for row in peaks { marks[row * columns.count + index] = .peak }
            let level = scale.height(column.rms)
            // For a signal on one side of zero, its level on the other side would exceed the extremes.
            for row in Self.rows(-level, level, of: rows).clamped(to: peaks) where level > 0 {
                marks[row * columns.count + index] = .body
            }
        }
    }

    subscript(row: Int, column: Int) -> Mark {
        column < columns.count && row < rows ? marks[row * columns.count + column] : .nothing
    }

    /// Returns true for the outermost pixel of a column that clips on this side.
    func isClipped(_ row: Int, _ column: Int) -> Bool {
        guard column < columns.count, columns[column].isClipped else { return false }
        return (row == 0 && columns[column].maximum >= 32_767.0 / 32_768)
            || (row == rows - 1 && columns[column].minimum <= -1)
    }

    /// Returns the rows between the heights `low` and `high`, at least one row, counted from the top.
    private static func rows(_ low: Double, _ high: Double, of rows: Int) -> Range<Int> {
        let top = min(rows - 1, Int((1 - high) / 2 * Double(rows)))
        let bottom = Int(((1 - low) / 2 * Double(rows)).rounded(.up))
        return max(0, top)..<min(rows, max(bottom, top + 1))
    }
}
