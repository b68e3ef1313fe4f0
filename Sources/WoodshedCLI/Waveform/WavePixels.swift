// From columns to pixels: which of them lie within the extremes of the sound, and which within its level.
import Glibc
import Woodshed

/// How amplitude becomes height.
enum WaveScale: Equatable {
    case linear
    /// In dB, with silence at the middle and this level just above it.
    case decibels(floor: Double)

    /// -1 to 1, of an amplitude of -1 to 1.
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

/// One channel's picture, `rows` pixels high and a pixel a column wide.
struct WavePixels {
    /// What a pixel shows.
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
    init(_ columns: [WaveformColumn], rows: Int, scale: WaveScale) {
        self.rows = rows
        self.columns = columns
        marks = Array(repeating: .nothing, count: rows * columns.count)
        var last: WaveformColumn?
        for (index, column) in columns.enumerated() {
            defer { last = column.isEmpty ? nil : column }
            if column.isEmpty { continue }
            // A line that goes on is not torn where it is steeper than a column's own samples tell.
            let (low, high) =
                last.map { (min(column.minimum, $0.maximum), max(column.maximum, $0.minimum)) } ?? (
                    column.minimum, column.maximum
                )
            let peaks = Self.rows(scale.height(low), scale.height(high), of: rows)
            for row in peaks { marks[row * columns.count + index] = .peak }
            let level = scale.height(column.rms)
            // The level of a sound that keeps to one side of zero reaches beyond its extremes.
            for row in Self.rows(-level, level, of: rows).clamped(to: peaks) where level > 0 {
                marks[row * columns.count + index] = .body
            }
        }
    }

    subscript(row: Int, column: Int) -> Mark {
        column < columns.count && row < rows ? marks[row * columns.count + column] : .nothing
    }

    /// Whether the pixel is the outermost one of a column that clips on its side.
    func isClip(_ row: Int, _ column: Int) -> Bool {
        guard column < columns.count, columns[column].isClipped else { return false }
        return (row == 0 && columns[column].maximum >= 32_767.0 / 32_768)
            || (row == rows - 1 && columns[column].minimum <= -1)
    }

    /// The rows that heights from `low` to `high` touch, at least one, counted from the top.
    private static func rows(_ low: Double, _ high: Double, of rows: Int) -> Range<Int> {
        let top = min(rows - 1, Int((1 - high) / 2 * Double(rows)))
        let bottom = Int(((1 - low) / 2 * Double(rows)).rounded(.up))
        return max(0, top)..<min(rows, max(bottom, top + 1))
    }
}
