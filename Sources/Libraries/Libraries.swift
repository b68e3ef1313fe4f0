// Libraries: shared libraries loaded at the first use.
//
// A program loads every linked library at each start, with all dependencies, even if never used. So a library for a
// single verb of the command is loaded by the verb. A C target lists the functions (`CLibraryTable.h`), and the using
// module keeps one `LibraryFunctions` in a `static let`. This module knows no particular library, and never unloads
// libraries.
package import CLibraryTable
package import Explanations
internal import Glibc

/// The reason why a library is unusable.
package struct LibraryError: ExplainedError, Equatable {
    /// The library's name, with the version of its binary interface.
    package let library: String
    /// The cause, in one plain sentence, with the dynamic linker's own words.
    package let message: String
    /// The remedy, in one plain sentence.
    package let remedy: String

    init(_ description: LibraryDescription) {
        library = unsafe String(cString: description.soname)
        // Per thread, for the last failed call.
        let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
        message = "The library \(library) cannot be loaded (\(reason))"
        remedy = unsafe "Install it with: sudo apt-get install \(String(cString: description.package))"
    }
}

/// The functions of a loaded library, as a table in C.
///
/// The library and the table stay loaded until the process ends; any thread may read the table.
///
/// Real-time safe: no; a call of a function in the table has the cost of the function.
@safe
package struct LibraryFunctions<Table: BitwiseCopyable>: @unchecked Sendable {
    /// The functions, complete.
    package let table: UnsafePointer<Table>

    /// Loads a library and looks up its functions.
    ///
    /// In a `static let` this happens once, on the first thread that needs the library. A failure is final there; a
    /// program can try again by another call.
    ///
    /// - Parameter description: Lists as many functions as the table has fields, in the same order.
    /// - Throws: `LibraryError` if the library, a dependency or a function is missing.
    package init(_ description: LibraryDescription) throws(LibraryError) {
        let count = unsafe description.count
        precondition(
            MemoryLayout<Table>.size == count * MemoryLayout<Int>.size,
            "A table has another number of functions than there are names.")
        // Binds all functions at once, so that a function missing in a dependency fails here, not at the first call.
        let library = try unsafe Self.loaded(description)
        let functions = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: count)
        for index in 0..<count {
            guard let function = unsafe dlsym(library, description.names[index]) else {
                let error = unsafe LibraryError(description)
                unsafe functions.deallocate()
                throw error
            }
            unsafe (functions + index).initialize(to: function)
        }
        unsafe table = UnsafeRawPointer(functions).assumingMemoryBound(to: Table.self)
    }

    private static func loaded(_ description: LibraryDescription) throws(LibraryError) -> UnsafeMutableRawPointer {
        if let library = unsafe dlopen(description.soname, RTLD_NOW | RTLD_LOCAL) { return unsafe library }
        let error = unsafe LibraryError(description)
        guard let other = unsafe description.other_soname, let library = unsafe dlopen(other, RTLD_NOW | RTLD_LOCAL)
        else { throw error }
        return unsafe library
    }
}

extension LibraryError: CategorisedError {
    package var exitStatus: ExitStatus { .unavailable }
}
