internal import CCairo

/// How a text looks.
struct TextStyle: Sendable {
    /// In pixels.
    var size: Double
    var weight = FontStack.Weight.regular
    var colour: Colour
}

extension Canvas {
    enum Alignment { case left, middle, right }

    /// The width of a text in pixels.
    ///
    /// Without fonts a guess, so that what is left out for want of room is about the same.
    func width(of text: String, _ style: TextStyle) -> Double {
        if !fonts.isUsable { return 0.6 * style.size * Double(text.count) }
        return fonts.runs(of: printable(text), weight: style.weight).reduce(0) { $0 + advance(of: $1, style) }
    }

    /// How far the middle of a digit lies above the line the letters stand on, in pixels.
    static func digitMiddle(_ style: TextStyle) -> Double { 0.365 * style.size }

    /// Draws a text.
    ///
    /// - Parameters:
    ///   - x: Where its left end, its middle or its right end is.
    ///   - baseline: The line the letters stand on.
    func text(_ text: String, x: Double, baseline: Double, _ style: TextStyle, _ alignment: Alignment = .left) {
        let runs = fonts.runs(of: printable(text), weight: style.weight)
        let widths = runs.map { advance(of: $0, style) }
        let whole = widths.reduce(0, +)
        var place =
            switch alignment {
            case .left: x
            case .middle: x - whole / 2
            case .right: x - whole
            }
        unsafe cairo_set_source_rgba(
            context, style.colour.red, style.colour.green, style.colour.blue, style.colour.opacity)
        for (run, width) in zip(runs, widths) {
            unsafe cairo_set_font_face(context, run.face)
            unsafe cairo_set_font_size(context, style.size)
            unsafe cairo_move_to(context, place, baseline)
            unsafe cairo_show_text(context, run.text)
            place += width
        }
        // What was shown leaves a point behind, from which a later shape would begin.
        unsafe cairo_new_path(context)
    }

    /// As much of a text as fits into a width, with an ellipsis where something is left out; empty where nothing fits.
    func fitted(_ text: String, _ style: TextStyle, width limit: Double) -> String {
        let text = printable(text)
        if width(of: text, style) <= limit { return text }
        let characters = Array(text)
        func cut(_ count: Int) -> String {
            var kept = characters[..<count]
            while kept.last == " " { kept.removeLast() }
            return String(kept) + "…"
        }
        var (fits, tooMany) = (0, characters.count)
        while fits + 1 < tooMany {
            let count = (fits + tooMany) / 2
            if width(of: cut(count), style) <= limit { fits = count } else { tooMany = count }
        }
        return fits == 0 ? "" : cut(fits)
    }

    private func advance(of run: FontStack.Run, _ style: TextStyle) -> Double {
        var extents = cairo_text_extents_t()
        unsafe cairo_set_font_face(context, run.face)
        unsafe cairo_set_font_size(context, style.size)
        unsafe cairo_text_extents(context, run.text, &extents)
        return extents.x_advance
    }
}
