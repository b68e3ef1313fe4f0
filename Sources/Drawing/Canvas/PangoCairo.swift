// The drawing libraries, cairo and Pango: loaded when the first picture is drawn, because no other verb needs them.
internal import CPangoCairo
internal import Explanations
internal import Libraries

/// The drawing libraries.
package enum PictureLibraries {
    /// Loads the libraries if they are not loaded yet.
    ///
    /// Drawing also loads the libraries. Call this function first to detect missing libraries before reading a long
    /// recording.
    ///
    /// Takes some milliseconds the first time. Real-time safe: no.
    ///
    /// - Throws: A `PictureError` of the kind `libraryMissing`, on every call.
    package static func load() throws(PictureError) { _ = try PangoCairo.functions() }
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
