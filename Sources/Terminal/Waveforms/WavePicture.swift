// The complete picture on a terminal: a line of facts, the channels, the sections, the time axis.
package import DSP

/// The contents of a picture.
package struct WaveView {
    package struct Channel {
        /// `L`, `R`, a number, or empty for a mix of all channels.
        var name: String
        /// Columns, as many as ``WavePicture/columnCount(names:)`` returns.
        var columns: [WaveformColumn]

        package init(name: String, columns: [WaveformColumn]) {
            (self.name, self.columns) = (name, columns)
        }
    }

    var title: String
    /// The shown range, in seconds.
    var start: Double
    var length: Double
    var channels: [Channel]
    /// The visible sections; others may be included.
    var sections: [SectionBand]

    package init(title: String, start: Double, length: Double, channels: [Channel], sections: [SectionBand] = []) {
        self.title = title
        (self.start, self.length) = (start, length)
        self.channels = channels
        self.sections = sections
    }
}

/// Lays a waveform out for a width and a height in characters.
package struct WavePicture {
    package let width: Int
    /// The height of all channels together, without the lines for facts, sections and time.
    let height: Int
    let style: WaveStyle
    let colour: WaveColour
    /// True to replace missing colour by a line of letters.
    let tellsBands: Bool
    let scale: WaveScale
    let depth: ColourDepth

    package init(
        width: Int, height: Int, style: WaveStyle, colour: WaveColour, tellsBands: Bool = false, scale: WaveScale,
        depth: ColourDepth
    ) {
        (self.width, self.height) = (width, height)
        (self.style, self.colour, self.tellsBands) = (style, colour, tellsBands)
        (self.scale, self.depth) = (scale, depth)
    }

    private var glyphs: Glyphs { style == .ascii ? .ascii : .unicode }

    /// Returns the number of columns to request: the width without the names of the channels.
    package func columnCount(names: [String]) -> Int { cells(names) * style.pixels.columns }

    private func cells(_ names: [String]) -> Int { max(1, width - margin(names)) }

    private func margin(_ names: [String]) -> Int {
        let widest = names.map(displayWidth).max() ?? 0
        return widest > 0 ? widest + 1 : 0
    }

    /// Returns the lines from the top, none wider than ``width``.
    package func lines(_ view: WaveView) -> [String] {
        let names = view.channels.map(\.name)
        let indent = String(repeating: " ", count: margin(names))
        let rows = max(1, height / max(1, view.channels.count))
        let cells = WaveCells(style: style, colour: colour, depth: depth)
        var lines = [fitted(view.title, cells: width, ellipsis: glyphs == .unicode ? "…" : "~")]
        for channel in view.channels {
            let pixels = WavePixels(channel.columns, rows: rows * style.pixels.rows, scale: scale)
            for (row, line) in cells.lines(pixels).enumerated() {
                let name = row == rows / 2 ? channel.name : ""
                lines.append(name + indent.dropFirst(displayWidth(name)) + line)
            }
        }
        if tellsBands, depth == .none, let hints = hints(view.channels) { lines.append(indent + hints) }
        let bands = SectionBands(start: view.start, length: view.length)
        lines += bands.lines(view.sections, cells: self.cells(names), glyphs: glyphs, depth: depth).map { indent + $0 }
        let axis = TimeAxis(start: view.start, length: view.length).line(cells: self.cells(names), glyphs: glyphs)
        if !axis.isEmpty { lines.append(indent + axis) }
        return lines
    }

    /// Returns the colours as letters: l, m or h for the band with the highest level.
    private func hints(_ channels: [WaveView.Channel]) -> String? {
        guard let columns = channels.first?.columns, columns.contains(where: { $0.tone != nil }) else { return nil }
        let letters = stride(from: 0, to: columns.count, by: style.pixels.columns).map { index -> Character in
            guard let tone = columns[index].tone else { return " " }
            let strongest = max(tone.low, tone.mid, tone.high)
            return strongest == 0 ? " " : strongest == tone.mid ? "m" : strongest == tone.low ? "l" : "h"
        }
        return String(letters)
    }
}
