// Converts pixels to the characters of a terminal.
internal import DSP

/// Characters for drawing.
package enum WaveStyle: String, CaseIterable, Sendable {
    /// Two pixels per character, stacked.
    case half
    /// Two by four pixels per character.
    case braille
    /// Characters available on every terminal.
    case ascii

    /// Number of pixels in a character.
    package var pixels: (columns: Int, rows: Int) {
        switch self {
        case .half: (1, 2)
        case .braille: (2, 4)
        case .ascii: (1, 1)
        }
    }
}

/// A character with its colours.
struct WaveCell: Equatable {
    var glyph: Character = " "
    var ink: WaveInk?
    var ground: WaveInk?
}

/// Converts pixels to lines of characters, with or without colour; without colour, only the hue is lost.
package struct WaveCells {
    private let style: WaveStyle
    private let colour: WaveColour
    private let depth: ColourDepth

    package init(style: WaveStyle, colour: WaveColour, depth: ColourDepth) {
        (self.style, self.colour, self.depth) = (style, colour, depth)
    }

    /// Returns a line of text for each row of characters, from the top. Each line is `columns / style.pixels.columns`
    /// characters wide.
    package func lines(_ pixels: WavePixels) -> [String] {
        let (across, down) = style.pixels
        let inks = pixels.columns.map { WaveInk($0.tone, colour: colour) }
        return (0..<(pixels.rows + down - 1) / down).map { row in
            let cells = (0..<(pixels.columns.count + across - 1) / across).map { column in
                cell(pixels, row: row * down, column: column * across, ink: inks[column * across])
            }
            return text(cells)
        }
    }

    private func cell(_ pixels: WavePixels, row: Int, column: Int, ink: WaveInk) -> WaveCell {
        let (across, down) = style.pixels
        var isClipped = false
        for x in 0..<across { for y in 0..<down { isClipped = isClipped || pixels.isClipped(row + y, column + x) } }
        if isClipped && depth == .none { return WaveCell(glyph: "!") }
        let ink = isClipped ? .clipping : ink
        switch style {
        case .half: return half(pixels[row, column], pixels[row + 1, column], ink)
        case .ascii:
            switch pixels[row, column] {
            case .nothing: return WaveCell()
            case .peak: return WaveCell(glyph: ":", ink: ink.faint)
            case .body: return WaveCell(glyph: "#", ink: ink)
            }
        case .braille: return braille(pixels, row: row, column: column, ink)
        }
    }

    private func half(_ top: WavePixels.Mark, _ bottom: WavePixels.Mark, _ ink: WaveInk) -> WaveCell {
        if depth == .none {
            let glyph: Character =
                switch (top, bottom) {
                case (.nothing, .nothing): " "
                case (.body, .body): "█"
                case (.body, _): "▀"
                case (_, .body): "▄"
                case (.peak, .peak): "░"
                case (.peak, .nothing): "▔"
                case (.nothing, .peak): "▁"
                }
            return WaveCell(glyph: glyph)
        }
        func shade(_ mark: WavePixels.Mark) -> WaveInk { mark == .body ? ink : ink.faint }
        switch (top, bottom) {
        case (.nothing, .nothing): return WaveCell()
        case (.nothing, _): return WaveCell(glyph: "▄", ink: shade(bottom))
        case (_, .nothing): return WaveCell(glyph: "▀", ink: shade(top))
        case _ where top == bottom: return WaveCell(glyph: "█", ink: shade(top))
        default: return WaveCell(glyph: "▀", ink: shade(top), ground: shade(bottom))
        }
    }

    /// Draws the level solid. Without colour, the extremes get every second dot.
    private func braille(_ pixels: WavePixels, row: Int, column: Int, _ ink: WaveInk) -> WaveCell {
        // Dots of a cell in the order of their bits: down the left side, down the right side, and then the lowest row.
        let dots = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1)]
        var (bits, hasBody) = (UInt32(0), false)
        for (bit, (y, x)) in dots.enumerated() {
            let mark = pixels[row + y, column + x]
            hasBody = hasBody || mark == .body
            let isShown = mark == .body || (mark == .peak && (depth != .none || (row + y + column + x) % 2 == 0))
            if isShown { bits |= 1 << UInt32(bit) }
        }
        guard bits > 0, let scalar = Unicode.Scalar(0x2800 + bits) else { return WaveCell() }
        return WaveCell(glyph: Character(scalar), ink: hasBody ? ink : ink.faint)
    }

    /// Returns the characters, with an escape sequence at each change of colour.
    private func text(_ cells: [WaveCell]) -> String {
        var text = ""
        var (ink, ground): (WaveInk?, WaveInk?) = (nil, nil)
        for cell in cells {
            if depth != .none, cell.glyph != " " || cell.ground != nil || ground != nil,
                cell.ink != ink || cell.ground != ground
            {
                var codes: [String] = []
                if ground != nil && cell.ground == nil || cell.ink == nil { codes.append("0") }
                if let ink = cell.ink { codes.append(ink.code(depth, isBackground: false)) }
                if let ground = cell.ground { codes.append(ground.code(depth, isBackground: true)) }
                text += "\u{1B}[\(codes.joined(separator: ";"))m"
                (ink, ground) = (cell.ink, cell.ground)
            }
            text.append(cell.glyph)
        }
        if ink != nil || ground != nil { text += "\u{1B}[0m" }
        return text
    }
}
