// Text, laid out by Pango: Pango joins letters, supports scripts from right to left and combining marks, and finds a
// font for each character.
internal import CPangoCairo

/// The appearance of a text.
struct TextStyle: Sendable {
    enum Weight: Sendable { case regular, bold }

    /// In pixels.
    var size: Double
    var weight = Weight.regular
    var colour: Colour
}

/// The source of fonts.
enum Fonts: Sendable {
    /// The system's fonts, if there are any.
    case system
    /// No fonts: no text is drawn.
    case none
}

extension Canvas {
    enum Alignment { case left, middle, right }

    /// A longer text would not fit into the widest picture.
    private static let mostScalars = 10_000
    /// Pango's units per pixel.
    private static let unitsPerPixel = 1024.0

    /// Returns the width of a text in pixels; 0 if nothing of the text fits.
    ///
    /// Without fonts the width is an estimate, so about the same labels are left out for lack of room.
    ///
    /// - Parameter room: An ellipsis shortens a wider text.
    func width(of text: String, _ style: TextStyle, room: Double = .infinity) -> Double {
        guard let layout = unsafe layout else { return max(0, min(0.6 * style.size * Double(text.count), room)) }
        return unsafe layOut(text, style, room: room, in: layout)?.width ?? 0
    }

    /// Returns the height of a digit's middle above the baseline, in pixels.
    static func digitMiddle(_ style: TextStyle) -> Double { 0.365 * style.size }

    /// Draws a text.
    ///
    /// - Parameters:
    ///   - x: The position of the text's left end, middle or right end, in any direction of script.
    ///   - baseline: The position of the baseline.
    ///   - room: An ellipsis shortens a wider text; nothing is drawn if nothing fits.
    func text(
        _ text: String, x: Double, baseline: Double, _ style: TextStyle, _ alignment: Alignment = .left,
        room: Double = .infinity
    ) {
        guard let layout = unsafe layout, let place = unsafe layOut(text, style, room: room, in: layout) else { return }
        let left =
            switch alignment {
            case .left: x
            case .middle: x - place.width / 2
            case .right: x - place.width
            }
        let cairo = cairo
        unsafe cairo.cairo_save(context)
        // Any number of marks can be stacked over one letter; clip the marks where the neighbouring lines begin.
        if place.inkHeight > 2.5 * style.size {
            unsafe cairo.cairo_rectangle(
                context, left - style.size, baseline - 1.25 * style.size, place.width + 2 * style.size,
                1.75 * style.size)
            unsafe cairo.cairo_clip(context)
        }
        let colour = style.colour
        unsafe cairo.cairo_set_source_rgba(context, colour.red, colour.green, colour.blue, colour.opacity)
        unsafe cairo.cairo_move_to(context, left - place.left, baseline - place.baseline)
        unsafe cairo.pango_cairo_show_layout(context, layout)
        unsafe cairo.cairo_restore(context)
        // Showing text leaves a current point, and a later path would begin there.
        unsafe cairo.cairo_new_path(context)
    }

    /// Returns the characters of the texts for which there is no font, in the order of the texts, each once. Empty if
    /// there are no fonts at all.
    func missing(in texts: [String]) -> [Character] {
        guard let layout = unsafe layout else { return [] }
        let style = TextStyle(size: 10, colour: Colour(0))
        var seen: Set<Character> = []
        var missing: [Character] = []
        for text in texts.map(Self.drawable) where unsafe lacksCharacters(text, style, in: layout) {
            for character in text where seen.insert(character).inserted {
                if unsafe lacksCharacters(String(character), style, in: layout) { missing.append(character) }
            }
        }
        return missing
    }

    private func lacksCharacters(_ text: String, _ style: TextStyle, in layout: OpaquePointer) -> Bool {
        _ = unsafe layOut(text, style, room: .infinity, in: layout)
        return unsafe cairo.pango_layout_get_unknown_glyphs_count(layout) > 0
    }

    // MARK: - Layout

    /// The extents of the layout after ``layOut(_:_:room:in:)``, in pixels.
    private struct Place {
        /// The left edge of the text, from the layout's left edge.
        var left: Double
        var width: Double
        /// The baseline, from the layout's upper edge.
        var baseline: Double
        var inkHeight: Double
        var isCut: Bool
    }

    /// Puts a text into the layout; returns nil if nothing of the text fits.
    private func layOut(_ text: String, _ style: TextStyle, room: Double, in layout: OpaquePointer) -> Place? {
        if !(room > 0) { return nil }
        guard let font = unsafe cairo.pango_font_description_new() else { return nil }
        unsafe cairo.pango_font_description_set_family(font, "sans-serif")
        unsafe cairo.pango_font_description_set_weight(
            font, style.weight == .bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        unsafe cairo.pango_font_description_set_absolute_size(font, style.size * Self.unitsPerPixel)
        unsafe cairo.pango_layout_set_font_description(layout, font)
        unsafe cairo.pango_font_description_free(font)
        // Twice the widest picture; for Pango, a negative width means unlimited.
        let isBounded = room < 2 * Double(PictureSheet.permittedSides.upperBound)
        let place = unsafe place(
            Self.drawable(text), width: isBounded ? Int32(room * Self.unitsPerPixel) : -1, in: layout)
        if place.width > room { return nil }
        // An ellipsis alone is useless.
        if place.isCut {
            if unsafe place.width <= self.place("…", width: -1, in: layout).width { return nil }
            return unsafe self.place(Self.drawable(text), width: Int32(room * Self.unitsPerPixel), in: layout)
        }
        return place
    }

    private func place(_ text: String, width: Int32, in layout: OpaquePointer) -> Place {
        let cairo = cairo
        unsafe cairo.pango_layout_set_width(layout, width)
        unsafe cairo.pango_layout_set_ellipsize(layout, width < 0 ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END)
        unsafe cairo.pango_layout_set_text(layout, text, -1)
        var (ink, logical) = (PangoRectangle(), PangoRectangle())
        unsafe cairo.pango_layout_get_extents(layout, &ink, &logical)
        return unsafe Place(
            left: Double(logical.x) / Self.unitsPerPixel, width: Double(logical.width) / Self.unitsPerPixel,
            baseline: Double(cairo.pango_layout_get_baseline(layout)) / Self.unitsPerPixel,
            inkHeight: Double(ink.height) / Self.unitsPerPixel, isCut: cairo.pango_layout_is_ellipsized(layout) != 0)
    }

    private static func drawable(_ text: String) -> String {
        printable(String(String.UnicodeScalarView(text.unicodeScalars.prefix(mostScalars))))
    }
}
