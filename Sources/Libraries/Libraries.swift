// Libraries: shared libraries that are loaded when they are first needed.
//
// A program loads every linked library at each start, with all of its dependencies, whether it needs them or not.
// A library that only one verb of the command needs is loaded by that verb: a C target lists the functions (`CLibraryTable.h`), and the module
// that uses them keeps one `LibraryFunctions` in a `static let`. This module knows no particular library, and never unloads one.
package import CLibraryTable
package import Explanations
internal import Glibc

/// Why a library cannot be used.
package struct LibraryError: ExplainedError, Equatable {
    /// Its name, with the version of its binary interface.
    package let library: String
    /// The cause, in one plain sentence, with the dynamic linker's own words.
    package let message: String
    /// What to do about it, in one plain sentence.
    package let remedy: String

    init(_ description: LibraryDescription) {
        library = unsafe String(cString: description.soname)
        // Per thread, for the last call that failed.
        let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
        message = "The library \(library) cannot be loaded (\(reason))"
        remedy = unsafe "Install it with: sudo apt-get install \(String(cString: description.package))"
    }
}

/// The functions of a loaded library, as a table in C.
///
/// The library stays loaded until the process ends; so does the table, which any thread may read.
///
/// Real-time safe: no; calling a function of the table costs what the function does.
@safe
package struct LibraryFunctions<Table: BitwiseCopyable>: @unchecked Sendable {
    /// The functions; none is missing.
    package let table: UnsafePointer<Table>

    /// Loads a library and looks up its functions.
    ///
    /// In a `static let` this happens once, on the first thread that needs it. A failure is final there; a program can
    /// try again by another call.
    ///
    /// - Parameter description: Lists as many functions as the table has fields, in the same order.
    /// - Throws: A `LibraryError` if the library, one of its dependencies or one of the functions is missing.
    package init(_ description: LibraryDescription) throws(LibraryError) {
        let count = unsafe description.count
        precondition(
            MemoryLayout<Table>.size == count * MemoryLayout<Int>.size,
            "A table has another number of functions than there are names.")
        // Bound at once, so that a function missing in a dependency is reported here, not when it is first called.
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

extension LibraryError {
    /// What the command ends with. Real-time safe: yes.
    package var exitStatus: ExitStatus { .unavailable }
}
