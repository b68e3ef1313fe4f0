// The drawing surface for the rest of the module: cairo and Pango behind the few operations needed for pictures of
// sound.
internal import CPangoCairo
internal import Explanations
internal import Libraries

/// A picture being drawn, in pixels from the top left corner.
@safe
struct Canvas: ~Copyable {
    let width: Int
    let height: Int
    private let format: PictureFormat
    private let sink: ByteSink
    private let functions: LibraryFunctions<PangoCairoFunctions>
    private let surface: OpaquePointer
    let context: OpaquePointer
    /// Lays out one text at a time; nil without fonts.
    let layout: OpaquePointer?

    var cairo: PangoCairoFunctions { unsafe functions.table.pointee }

    init(width: Int, height: Int, format: PictureFormat, fonts: Fonts) throws(PictureError) {
        let (functions, sink) = (try PangoCairo.functions(), ByteSink())
        let cairo = unsafe functions.table.pointee
        let made =
            switch format {
            case .png: unsafe cairo.cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
            case .svg:
                unsafe cairo.cairo_svg_surface_create_for_stream(
                    writeToSink, Unmanaged.passUnretained(sink).toOpaque(), Double(width), Double(height))
            }
        // Cairo never returns nil. After a failure its surfaces and contexts are in an error state and ignore drawing.
        guard let surface = unsafe made, let context = unsafe cairo.cairo_create(surface) else {
            throw .drawing(CAIRO_STATUS_NO_MEMORY, functions)
        }
        (self.width, self.height, self.format) = (width, height, format)
        (self.functions, self.sink) = (functions, sink)
        unsafe self.surface = surface
        unsafe self.context = context
        if format == .svg { unsafe cairo.cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX) }
        let options = unsafe cairo.cairo_font_options_create()
        // Text looks the same with any desktop settings: no coloured fringes, no rounding to pixels.
        unsafe cairo.cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        unsafe cairo.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT)
        unsafe cairo.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        unsafe cairo.cairo_set_font_options(context, options)
        unsafe cairo.cairo_font_options_destroy(options)
        unsafe layout = Self.layout(on: context, fonts, cairo)
    }

    /// Returns a Pango layout; nil without fonts, because Pango would then write messages about fonts to standard
    /// error.
    private static func layout(
        on context: OpaquePointer, _ fonts: Fonts, _ cairo: PangoCairoFunctions
    ) -> OpaquePointer? {
        func count(_ set: FcSetName) -> Int32 { unsafe cairo.FcConfigGetFonts(nil, set)?.pointee.nfont ?? 0 }
        guard case .system = fonts, count(FcSetSystem) > 0 || count(FcSetApplication) > 0,
            let layout = unsafe cairo.pango_cairo_create_layout(context)
        else { return nil }
        unsafe cairo.pango_context_set_round_glyph_positions(cairo.pango_layout_get_context(layout), 0)
        unsafe cairo.pango_layout_context_changed(layout)
        unsafe cairo.pango_layout_set_single_paragraph_mode(layout, 1)
        return unsafe layout
    }

    deinit {
        let cairo = cairo
        if let layout = unsafe layout { unsafe cairo.g_object_unref(UnsafeMutableRawPointer(layout)) }
        unsafe cairo.cairo_destroy(context)
        // The SVG surface writes its last bytes to the sink here; then the sink is released.
        unsafe cairo.cairo_surface_destroy(surface)
    }

    /// Finishes the picture and returns the bytes of its file.
    consuming func encoded() throws(PictureError) -> [UInt8] {
        let drawn = unsafe cairo.cairo_status(context)
        if drawn != CAIRO_STATUS_SUCCESS { throw .drawing(drawn, functions) }
        var status = CAIRO_STATUS_SUCCESS
        switch format {
        case .png:
            status = unsafe cairo.cairo_surface_write_to_png_stream(
                surface, writeToSink, Unmanaged.passUnretained(sink).toOpaque())
        case .svg:
            unsafe cairo.cairo_surface_finish(surface)
            status = unsafe cairo.cairo_surface_status(surface)
        }
        if status != CAIRO_STATUS_SUCCESS { throw .drawing(status, functions) }
        return sink.bytes
    }

    // MARK: - Shapes

    /// Fills rectangles; edges may lie between pixels.
    func fill(_ rectangles: [Rectangle], _ colour: Colour) {
        if rectangles.isEmpty { return }
        for rectangle in rectangles {
            unsafe cairo.cairo_rectangle(context, rectangle.x, rectangle.y, rectangle.width, rectangle.height)
        }
        fillPath(colour)
    }

    func fill(_ rectangle: Rectangle, _ colour: Colour) { fill([rectangle], colour) }

    /// Fills a rectangle with rounded corners.
    func fill(_ rectangle: Rectangle, radius: Double, _ colour: Colour) {
        let radius = min(radius, rectangle.width / 2, rectangle.height / 2)
        let quarter = Double.pi / 2
        let (left, right) = (rectangle.x + radius, rectangle.right - radius)
        let (top, bottom) = (rectangle.y + radius, rectangle.bottom - radius)
        unsafe cairo.cairo_new_sub_path(context)
        unsafe cairo.cairo_arc(context, right, top, radius, -quarter, 0)
        unsafe cairo.cairo_arc(context, right, bottom, radius, 0, quarter)
        unsafe cairo.cairo_arc(context, left, bottom, radius, quarter, 2 * quarter)
        unsafe cairo.cairo_arc(context, left, top, radius, 2 * quarter, 3 * quarter)
        unsafe cairo.cairo_close_path(context)
        fillPath(colour)
    }

    private func fillPath(_ colour: Colour) {
        unsafe cairo.cairo_set_source_rgba(context, colour.red, colour.green, colour.blue, colour.opacity)
        unsafe cairo.cairo_fill(context)
    }

    /// Draws `columns` × `rows` pixels, the top row first, stretched to a rectangle without smoothing.
    func image(_ pixels: [UInt32], columns: Int, rows: Int, in target: Rectangle) throws(PictureError) {
        precondition(pixels.count == columns * rows, "An image has another number of pixels than it should.")
        if pixels.isEmpty { return }
        let made = unsafe cairo.cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(columns), Int32(rows))
        guard let image = unsafe made else { throw .drawing(CAIRO_STATUS_NO_MEMORY, functions) }
        defer { unsafe cairo.cairo_surface_destroy(image) }
        guard let bytes = unsafe cairo.cairo_image_surface_get_data(image) else {
            throw unsafe .drawing(cairo.cairo_surface_status(image), functions)
        }
        unsafe cairo.cairo_surface_flush(image)
        let stride = unsafe Int(cairo.cairo_image_surface_get_stride(image))
        unsafe pixels.withUnsafeBytes { source in
            guard let source = source.baseAddress else { return }
            for row in 0..<rows {
                unsafe UnsafeMutableRawPointer(bytes + row * stride).copyMemory(
                    from: source + row * columns * 4, byteCount: columns * 4)
            }
        }
        unsafe cairo.cairo_surface_mark_dirty(image)
        unsafe cairo.cairo_save(context)
        unsafe cairo.cairo_translate(context, target.x, target.y)
        unsafe cairo.cairo_scale(context, target.width / Double(columns), target.height / Double(rows))
        unsafe cairo.cairo_set_source_surface(context, image, 0, 0)
        unsafe cairo.cairo_pattern_set_filter(cairo.cairo_get_source(context), CAIRO_FILTER_NEAREST)
        unsafe cairo.cairo_rectangle(context, 0, 0, Double(columns), Double(rows))
        unsafe cairo.cairo_fill(context)
        unsafe cairo.cairo_restore(context)
    }
}

extension PictureError {
    static func drawing(
        _ status: cairo_status_t, _ functions: LibraryFunctions<PangoCairoFunctions>
    ) -> PictureError {
        if status == CAIRO_STATUS_NO_MEMORY {
            return PictureError(
                .outOfMemory, "There is not enough memory for a picture of this size",
                remedy: "Make the picture smaller.")
        }
        let text =
            unsafe functions.table.pointee.cairo_status_to_string(status).map { unsafe String(cString: $0) }
            ?? "\(status)"
        return PictureError(
            .drawingFailed, "The picture could not be drawn (\(text))",
            remedy: "Report this fault, with the values of the picture.")
    }
}

/// Receives the bytes written by cairo.
private final class ByteSink {
    var bytes: [UInt8] = []
}

private func writeToSink(
    _ sink: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<UInt8>?, _ count: UInt32
) -> cairo_status_t {
    guard let sink = unsafe sink else { return CAIRO_STATUS_WRITE_ERROR }
    unsafe Unmanaged<ByteSink>.fromOpaque(sink).takeUnretainedValue().bytes.append(
        contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
    return CAIRO_STATUS_SUCCESS
}
