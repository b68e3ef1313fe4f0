internal import DSP
internal import Glibc

/// The shapes of one row's columns, in pixels.
struct WaveformShape {
    struct Bar {
        var (x, width) = (0.0, 0.0)
        /// The edges of the range between the extremes.
        var (top, bottom) = (0.0, 0.0)
        /// The edges of the range between plus and minus the RMS.
        var (strongTop, strongBottom) = (0.0, 0.0)
        var (clipsAbove, clipsBelow) = (false, false)
        var tone: WaveformTone?
    }

    /// From left to right; columns without sound have no bar.
    private(set) var bars: [Bar] = []

    init(_ columns: [WaveformColumn], scale: WaveformPicture.Scale, in row: Rectangle) {
        let pixels = Int(row.width)
        let columns = Self.fitted(columns, pixels: pixels)
        bars.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() where !column.isEmpty {
            let left = (index * pixels) / columns.count
            let right = ((index + 1) * pixels) / columns.count
            var bar = Bar()
            (bar.x, bar.width) = (row.x + Double(left), Double(right - left))
            func y(_ value: Float) -> Double { row.middle - Self.place(Double(value), scale) * row.height / 2 }
            (bar.top, bar.bottom) = (y(column.maximum), y(column.minimum))
            let strong = (y(column.rms), y(-column.rms))
            bar.strongTop = min(max(strong.0, bar.top), bar.bottom)
            bar.strongBottom = max(min(strong.1, bar.bottom), bar.top)
            let isAbove = column.maximum >= Self.fullScale
            bar.clipsAbove = column.isClipped && (isAbove || -column.minimum <= column.maximum)
            bar.clipsBelow = column.isClipped && (column.minimum <= -Self.fullScale || -column.minimum > column.maximum)
            bar.tone = column.tone
            bars.append(bar)
        }
        join()
        for index in bars.indices { bars[index].thicken(in: row) }
    }

    /// The greatest 16-bit sample; lower samples are not at full scale.
    private static let fullScale: Float = 32767 / 32768

    /// Returns the position of a sample between -1 and 1.
    static func place(_ value: Double, _ scale: WaveformPicture.Scale) -> Double {
        switch scale {
        case .linear: return min(max(value, -1), 1)
        case .decibels(let floor):
            let level = 20 * log10(max(abs(value), 1e-12))
            let place = min(max(1 - level / floor, 0), 1)
            return value < 0 ? -place : place
        }
    }

    /// Extends adjacent columns with a gap between them to the middle of the gap, so a wave in close view is a line.
    private mutating func join() {
        for index in bars.indices.dropFirst() where bars[index - 1].x + bars[index - 1].width == bars[index].x {
            if bars[index].top > bars[index - 1].bottom {
                let middle = (bars[index].top + bars[index - 1].bottom) / 2
                (bars[index].top, bars[index - 1].bottom) = (middle, middle)
            } else if bars[index].bottom < bars[index - 1].top {
                let middle = (bars[index].bottom + bars[index - 1].top) / 2
                (bars[index].bottom, bars[index - 1].top) = (middle, middle)
            }
        }
    }

    // MARK: - More columns than pixels

    /// Returns at most one column per pixel; columns with values that are not finite become empty.
    private static func fitted(_ columns: [WaveformColumn], pixels: Int) -> [WaveformColumn] {
        let columns = columns.map { column in
            column.minimum.isFinite && column.maximum.isFinite && column.rms.isFinite ? column : .empty
        }
        if columns.count <= pixels { return columns }
        return (0..<pixels).map { pixel in
            let part = pixel * columns.count / pixels..<(pixel + 1) * columns.count / pixels
            return columns[part].dropFirst().reduce(columns[part.lowerBound], merged)
        }
    }

    private static func merged(_ left: WaveformColumn, _ right: WaveformColumn) -> WaveformColumn {
        if left.isEmpty || right.isEmpty { return left.isEmpty ? right : left }
        return WaveformColumn(
            minimum: min(left.minimum, right.minimum), maximum: max(left.maximum, right.maximum),
            rms: ((left.rms * left.rms + right.rms * right.rms) / 2).squareRoot(),
            isClipped: left.isClipped || right.isClipped, tone: right.rms > left.rms ? right.tone : left.tone)
    }
}

extension WaveformShape.Bar {
    /// Makes a bar high enough to be visible, inside the row: silence is a line.
    fileprivate mutating func thicken(in row: Rectangle) {
        let least = min(1.5, row.height)
        if bottom - top < least {
            let middle = min(max((top + bottom) / 2, row.y + least / 2), row.bottom - least / 2)
            (top, bottom) = (middle - least / 2, middle + least / 2)
        }
        if strongBottom - strongTop < least {
            let middle = min(max((strongTop + strongBottom) / 2, top + least / 2), bottom - least / 2)
            (strongTop, strongBottom) = (middle - least / 2, middle + least / 2)
        }
    }
}
