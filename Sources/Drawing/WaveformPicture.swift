public import DSP
public import Explanations

/// A waveform as a picture: for each channel the extremes in a light tone, the RMS in a strong tone, and clipping in
/// red.
///
/// The picture needs one column for each pixel of the plot; ``plotWidth(on:)`` gives the number in advance. Fewer
/// columns are drawn wider; several columns on the same pixel are combined.
///
/// ```swift
/// let sheet = try PictureSheet(
///     width: 1600, height: 400, title: "Étude", sampleRate: wave.sampleRate, frames: 0..<wave.frameCount)
/// let columns = WaveformPicture.plotWidth(on: sheet)
/// let rows = (0..<wave.channelCount).map {
///     wave.summary(frames: sheet.frames, columns: columns, channel: $0)
/// }
/// try WaveformPicture(on: sheet, rows: rows, colouring: .bands).write(to: "etude.png", as: .png)
/// ```
///
/// Real-time safe: no.
public struct WaveformPicture: Picture, Equatable {
    /// The meaning of a column's height.
    public enum Scale: Equatable, Sendable {
        /// Samples from -1 to 1.
        case linear
        /// Levels in dB, from 0 at both edges down to `floor` in the middle; softer levels are raised to the floor.
        case decibels(floor: Double)
    }

    /// The meaning of a column's colour.
    public enum Colouring: String, Sendable, CaseIterable {
        /// The bands of the sound: orange is low, green-blue middle, violet high, and grey is all three.
        case bands
        /// The centroid of the spectrum, from red (100 Hz) to violet (8 kHz).
        case centroid
        /// None: one colour for all columns.
        case plain
    }

    /// The permitted floors of a scale in dB.
    package static let permittedFloors = -200.0 ... -6.0
    /// The largest number of rows in a picture.
    package static let mostRows = 64

    /// Size, title, sections and theme, and the range shown.
    public let sheet: PictureSheet
    /// The columns of each channel, or one row of all channels mixed; a row may be empty.
    package let rows: [[WaveformColumn]]
    /// The name of each row; empty for none.
    package let names: [String]
    /// The meaning of a column's height.
    package let scale: Scale
    /// The meaning of a column's colour.
    package let colouring: Colouring

    /// Checks the values and creates a picture.
    ///
    /// - Parameters:
    ///   - sheet: The size, and the part of a recording shown.
    ///   - rows: One row for each channel, or one row for all; 0 to 64.
    ///   - names: A name for each row; by default none for one row, L and R for two, and numbers beyond.
    ///   - scale: The meaning of a column's height.
    ///   - colouring: The meaning of a column's colour; columns without a tone are grey.
    /// - Throws: A `PictureError` of the kind `invalidRequest`.
    public init(
        on sheet: PictureSheet, rows: [[WaveformColumn]], names: [String]? = nil, scale: Scale = .linear,
        colouring: Colouring = .plain
    ) throws(PictureError) {
        if rows.count > Self.mostRows {
            throw .invalid("The number of rows", is: "\(rows.count)", permitted: "0 to \(Self.mostRows)")
        }
        if let names, names.count != rows.count {
            throw .invalid("The number of names", is: "\(names.count)", permitted: "one for each of \(rows.count) rows")
        }
        if case .decibels(let floor) = scale, !Self.permittedFloors.contains(floor) {
            throw .invalid("The floor", is: "\(floor) dB", permitted: "-200 to -6 dB")
        }
        (self.sheet, self.rows, self.scale, self.colouring) = (sheet, rows, scale, colouring)
        self.names = names ?? Self.usualNames(rows.count)
    }

    /// Returns the number of columns of a picture on this sheet, one for each pixel; 1 or more.
    public static func plotWidth(on sheet: PictureSheet) -> Int { Layout.plotWidth(sheet.width, hasScale: false) }

    /// Returns the bytes of the picture's file.
    public func encoded(as format: PictureFormat) throws(PictureError) -> [UInt8] {
        try encoded(as: format, fonts: .system)
    }

    func encoded(as format: PictureFormat, fonts: Fonts) throws(PictureError) -> [UInt8] {
        let canvas = try Canvas(width: sheet.width, height: sheet.height, format: format, fonts: fonts)
        WaveformDrawing(self).draw(on: canvas)
        let bytes = try canvas.encoded()
        return format == .svg ? SVGDocument.finished(bytes, title: sheet.title, description: summary) : bytes
    }

    private static func usualNames(_ count: Int) -> [String] {
        switch count {
        case 0...1: Array(repeating: "", count: count)
        case 2: ["L", "R"]
        default: (1...count).map(String.init)
        }
    }

    /// The picture in one sentence, for readers who cannot see it.
    private var summary: String {
        let what = rows.count == 1 ? "one row" : "\(rows.count) rows"
        return "Waveform in \(what), \(sheet.spokenTimes)"
    }
}
