// The whole picture on a terminal: a line of facts, the channels, the sections, the time.
import Woodshed

/// What is to be drawn.
struct WaveView {
    struct Channel {
        /// `L`, `R`, a number, or nothing for all of them mixed.
        var name: String
        /// As many as ``WavePicture/columnCount(names:)`` says.
        var columns: [WaveformColumn]
    }

    var title: String
    /// What of the recording is shown, in seconds.
    var start: Double
    var length: Double
    var channels: [Channel]
    /// Those that are seen, or more.
    var sections: [SectionBand] = []
}

/// Lays a waveform out for a width and a height in characters.
struct WavePicture {
    let width: Int
    /// Of all channels together, without the lines of facts, sections and time.
    let height: Int
    let style: WaveStyle
    let colour: WaveColour
    /// Whether a line of letters stands in for colour where there is none.
    var tellsBands = false
    let scale: WaveScale
    let depth: ColourDepth

    private var glyphs: Glyphs { style == .ascii ? .ascii : .unicode }

    /// Columns to ask for: what is left beside the names of the channels.
    func columnCount(names: [String]) -> Int { cells(names) * style.pixels.columns }

    private func cells(_ names: [String]) -> Int { max(1, width - margin(names)) }

    private func margin(_ names: [String]) -> Int {
        let widest = names.map(displayWidth).max() ?? 0
        return widest > 0 ? widest + 1 : 0
    }

    /// The lines from the top, none wider than ``width``.
    func lines(_ view: WaveView) -> [String] {
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

    /// What the colour would have told, as letters: l, m or h for where most of the sound lies.
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
