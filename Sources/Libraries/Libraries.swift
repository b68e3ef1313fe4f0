// Libraries: shared libraries that are loaded when something first needs them.
//
// A program that links a library loads it at each start, with all that the library needs itself, whatever it was started for.
// What one verb of the command needs is loaded by that verb: a C target names the functions (`CLibraryTable.h`), and the module
// that uses them keeps one `LibraryFunctions` in a `static let`. This module knows no library, and never unloads one.
package import CLibraryTable
internal import Explanations
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
        // Per thread, and of the call that failed last.
        let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
        message = "The library \(library) cannot be loaded (\(reason))"
        remedy = unsafe "Install it with: sudo apt-get install \(String(cString: description.package))"
    }
}

/// The functions of a library that is loaded, as a table in C.
///
/// The library stays loaded until the process ends; so does the table, which anybody may read.
///
/// Real-time safe: no; calling a function of the table costs what the function does.
@safe
package struct LibraryFunctions<Table: BitwiseCopyable>: @unchecked Sendable {
    /// The functions, none of them missing.
    package let table: UnsafePointer<Table>

    /// Loads a library and looks its functions up.
    ///
    /// Kept in a `static let` it happens once, in whichever thread comes first. A failure is final: a program that catches it can
    /// try anew by another call.
    ///
    /// - Parameter description: Names as many functions as the table has fields, in their order.
    /// - Throws: A `LibraryError` when the library, one that it needs or one of the functions is missing.
    package init(_ description: LibraryDescription) throws(LibraryError) {
        let count = unsafe description.count
        precondition(
            MemoryLayout<Table>.size == count * MemoryLayout<Int>.size,
            "A table has another number of functions than there are names.")
        // Bound at once: a function that is missing further below is told here, and not where it is first called.
        guard let library = unsafe dlopen(description.soname, RTLD_NOW | RTLD_LOCAL) else {
            throw unsafe LibraryError(description)
        }
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
}
