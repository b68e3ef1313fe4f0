// The libraries that draw, cairo and Pango: loaded when the first picture is drawn, as no other verb needs them.
internal import CPangoCairo
internal import Libraries

/// The libraries that draw.
public enum PictureLibraries {
    /// Loads them, unless they are loaded.
    ///
    /// Drawing does it anyway. Call this first to learn that they are missing before a long recording is read.
    ///
    /// Takes some milliseconds the first time. Real-time safe: no.
    ///
    /// - Throws: A `PictureError` of the kind `libraryMissing`, each time.
    public static func load() throws(PictureError) { _ = try PangoCairo.functions() }
}

enum PangoCairo {
    private static let loaded: Result<LibraryFunctions<PangoCairoFunctions>, LibraryError> = {
        do throws(LibraryError) {
            return .success(try unsafe LibraryFunctions(pango_cairo_description()))
        } catch {
            return .failure(error)
        }
    }()

    static func functions() throws(PictureError) -> LibraryFunctions<PangoCairoFunctions> {
        switch loaded {
        case .success(let functions): return functions
        case .failure(let error): throw PictureError(.libraryMissing, error.message, remedy: error.remedy)
        }
    }
}
