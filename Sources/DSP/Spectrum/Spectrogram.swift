internal import Glibc

/// The levels of a sound by time and frequency, for display as colours.
///
/// Levels are calibrated to sines: a sine of amplitude 1 reads 0 dB with every window. (Its mean square, used by
/// ``WaveformTone``, is 3 dB lower.) A column averages the power of its windows. Windows lie half a window apart, or
/// are evenly spread if a column would need more than `Settings.windowsPerColumn`. A column shorter than half a
/// window has one window, at its middle. A row takes the loudest of its bins, so no tone is lost between rows. Rows
/// narrower than a bin are interpolated linearly, in dB, between the two nearest bins.
///
/// Memory: four bytes per cell, and a few windows, for any length of sound. Real-time safe: no.
public struct Spectrogram: Equatable, Sendable {
    /// The settings of the spectrogram.
    public let settings: Settings
    /// The range shown, in absolute frames.
    public let frames: Range<Int64>
    /// The number of columns, all of equal length.
    public let columnCount: Int
    /// The number of rows.
    public let rowCount: Int
    /// The levels in dB, not below `-settings.range`: column after column, each from the lowest row to the highest.
    public private(set) var levels: [Float]

    /// The largest number of columns, and of rows.
    package static let mostPlaces = 32_768

    /// Makes the spectrogram of a recording, and reads the recording as needed.
    ///
    /// - Parameters:
    ///   - frames: The range to show; may reach beyond the recording, where there is silence.
    ///   - columns: Number of columns, 0 to 32768.
    ///   - rows: Number of rows, 1 to 32768.
    ///   - frameCount: Frames of the whole recording.
    ///   - settings: The settings of the spectrogram.
    ///   - read: Writes the mono samples of `frames`, a range inside the recording, to `samples`, which has exactly as
    ///     many places. The ranges ascend, never repeat a frame, and have at most the length of one window; frames
    ///     between widely spaced windows of a column are skipped. Samples left unwritten stay silent, and samples that
    ///     are not finite count as silence. A thrown error ends the work; throw to cancel.
    public init<Failure: Error>(
        frames: Range<Int64>, columns: Int, rows: Int, frameCount: Int64, settings: Settings,
        read: (_ frames: Range<Int64>, _ samples: inout MutableSpan<Float>) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(
            (0...Self.mostPlaces).contains(columns) && (1...Self.mostPlaces).contains(rows) && frameCount >= 0,
            "A spectrogram has 0 to 32768 columns and 1 to 32768 rows.")
        let bound = Int64.max / 4
        precondition(
            frames.lowerBound >= -bound && frames.upperBound <= bound && frameCount <= bound,
            "Frames beyond 2^61 cannot be counted with.")
        (self.settings, self.frames, columnCount, rowCount) = (settings, frames, columns, rows)
        levels = []
        levels.reserveCapacity(columns * rows)
        var analyser = SpectrumAnalyser(settings)
        var source = WindowSource(size: settings.windowSize, recording: 0..<frameCount)
        let places = Self.rowPlaces(rows, settings, binCount: settings.windowSize / 2 + 1)
        let centres = WindowCentres(frames: frames, columns: columns, settings: settings)
        for column in 0..<columns {
            analyser.clear()
            for index in 0..<centres.perColumn {
                let start = centres.centre(column: column, index: index) - Int64(settings.windowSize / 2)
                guard source.moveTo(start) else { continue }
                try source.fill(read)
                analyser.add(source.samples)
            }
            let floor = Float(-settings.range)
            for place in places {
                levels.append(max(floor, analyser.level(place, windows: centres.perColumn)))
            }
        }
    }

    /// Returns the level of a cell in dB.
    ///
    /// - Parameters:
    ///   - column: From 0, the earliest.
    ///   - row: From 0, the lowest.
    public subscript(column: Int, row: Int) -> Float {
        precondition((0..<columnCount).contains(column) && (0..<rowCount).contains(row), "There is no such cell.")
        return levels[column * rowCount + row]
    }

    /// Returns the frequencies of a row, in Hz.
    public func frequencies(row: Int) -> Range<Double> {
        Self.edge(row, of: rowCount, settings)..<Self.edge(row + 1, of: rowCount, settings)
    }

    /// Returns the row of a frequency in Hz; `nil` for a frequency outside the rows.
    package func row(frequency: Double) -> Int? {
        guard frequency >= settings.lowest, frequency <= settings.highest else { return nil }
        let (low, high) = (settings.lowest, settings.highest)
        let place =
            switch settings.axis {
            case .linear: (frequency - low) / (high - low)
            case .logarithmic: log(frequency / low) / log(high / low)
            }
        return min(rowCount - 1, max(0, Int(place * Double(rowCount))))
    }

    // MARK: - Rows

    private static func edge(_ row: Int, of rows: Int, _ settings: Settings) -> Double {
        let place = Double(row) / Double(rows)
        switch settings.axis {
        case .linear: return settings.lowest + place * (settings.highest - settings.lowest)
        case .logarithmic: return settings.lowest * pow(settings.highest / settings.lowest, place)
        }
    }

    /// Returns the bins of each row.
    private static func rowPlaces(_ rows: Int, _ settings: Settings, binCount: Int) -> [SpectrumAnalyser.Place] {
        let width = Double(settings.sampleRate) / Double(settings.windowSize)
        // The last bin lies at half the sample rate and belongs to the highest row.
        return (0..<rows).map { row in
            let (low, high) = (edge(row, of: rows, settings) / width, edge(row + 1, of: rows, settings) / width)
            let first = Int(low.rounded(.up))
            let end = min(binCount, row == rows - 1 ? Int(high.rounded(.down)) + 1 : Int(high.rounded(.up)))
            if first < end { return .bins(first..<end) }
            let middle = min((low + high) / 2, Double(binCount - 1))
            let below = min(Int(middle), binCount - 2)
            return .between(below, fraction: Float(middle - Double(below)))
        }
    }
}

/// The positions of the windows in each column.
private struct WindowCentres {
    /// The number of windows in a column.
    let perColumn: Int
    private let start: Double
    private let framesPerWindow: Double

    init(frames: Range<Int64>, columns: Int, settings: Spectrogram.Settings) {
        let framesPerColumn = Double(frames.count) / Double(max(1, columns))
        let wanted = (framesPerColumn / Double(settings.windowSize / 2)).rounded()
        perColumn = Int(min(max(1, wanted), Double(settings.windowsPerColumn)))
        framesPerWindow = framesPerColumn / Double(perColumn)
        start = Double(frames.lowerBound)
    }

    /// Returns the frame at the middle of a window.
    func centre(column: Int, index: Int) -> Int64 {
        Int64((start + (Double(column * perColumn + index) + 0.5) * framesPerWindow).rounded(.down))
    }
}

/// The samples of successive windows, each read only once.
private struct WindowSource: ~Copyable {
    let size: Int
    /// The readable range.
    let recording: Range<Int64>
    private var start = Int64.min / 2
    /// Number of samples at the beginning which already belong to the current window.
    private var kept = 0
    private(set) var samples: [Float]
    /// Memory for the samples being read.
    private var fresh: [Float] = []

    init(size: Int, recording: Range<Int64>) {
        (self.size, self.recording) = (size, recording)
        samples = Array(repeating: 0, count: size)
    }

    /// Moves to a window which begins no earlier than the last; false if the whole window is outside the recording.
    mutating func moveTo(_ frame: Int64) -> Bool {
        guard frame < recording.upperBound, frame + Int64(size) > recording.lowerBound else { return false }
        let shift = min(Int64(size), frame - start)
        kept = size - Int(shift)
        if shift > 0 {
            for index in 0..<kept { samples[index] = samples[index + Int(shift)] }
            for index in kept..<size { samples[index] = 0 }
        }
        start = frame
        return true
    }

    /// Reads the missing part of the window.
    mutating func fill<Failure: Error>(
        _ read: (Range<Int64>, inout MutableSpan<Float>) throws(Failure) -> Void
    ) throws(Failure) {
        let wanted = (start + Int64(kept)..<start + Int64(size)).clamped(to: recording)
        if wanted.isEmpty { return }
        let first = Int(wanted.lowerBound - start)
        if fresh.count == wanted.count {
            for index in fresh.indices { fresh[index] = 0 }
        } else {
            fresh = Array(repeating: 0, count: wanted.count)
        }
        var span = fresh.mutableSpan
        try read(wanted, &span)
        for index in fresh.indices { samples[first + index] = fresh[index] }
    }
}
