import CLibraryTable
internal import Glibc
import Libraries
import Testing

/// As many functions of the mathematics library as the tests need.
private struct TwoFunctions: BitwiseCopyable {
    var first: @convention(c) (Double) -> Double
    var second: @convention(c) (Double) -> Double
}

@Suite struct LibraryTests {
    /// Loads two functions of a library.
    private func load(
        _ library: String, _ first: String, _ second: String, other: String? = nil
    ) throws(LibraryError) -> LibraryFunctions<TwoFunctions> {
        // The description's texts live as long as the process, like the texts of a C target.
        func kept(_ text: String) -> UnsafePointer<CChar> { unsafe UnsafePointer(strdup(text)) }
        let names = UnsafeMutablePointer<UnsafePointer<CChar>>.allocate(capacity: 2)
        unsafe names.initialize(to: kept(first))
        unsafe (names + 1).initialize(to: kept(second))
        return try unsafe LibraryFunctions(
            LibraryDescription(
                soname: kept(library), package: kept("some-package"), names: names, count: 2,
                other_soname: other.map { unsafe kept($0) }))
    }

    @Test("a library's functions are found under their names, in the order of the table's fields")
    func found() throws {
        let functions = try load("libm.so.6", "floor", "ceil")
        #expect(unsafe functions.table.pointee.first(2.5) == 2)
        #expect(unsafe functions.table.pointee.second(2.5) == 3)
    }

    @Test("a missing library is reported by name, with the linker's message and its package")
    func missingLibrary() {
        let error = #expect(throws: LibraryError.self) { try load("libmissing-for-a-test.so.7", "floor", "ceil") }
        #expect(error?.library == "libmissing-for-a-test.so.7")
        #expect(error?.message.contains("libmissing-for-a-test.so.7") == true)
        #expect(error?.message.contains("No such file") == true)
        #expect(error?.remedy == "Install it with: sudo apt-get install some-package")
    }

    @Test("a library with another version of the interface loads, and the first is named if both miss")
    func otherVersion() throws {
        let functions = try load("libmissing-for-a-test.so.7", "floor", "ceil", other: "libm.so.6")
        #expect(unsafe functions.table.pointee.first(2.5) == 2)
        let error = #expect(throws: LibraryError.self) {
            try load("libmissing-for-a-test.so.7", "floor", "ceil", other: "libmissing-for-a-test.so.8")
        }
        #expect(error?.library == "libmissing-for-a-test.so.7")
        #expect(error?.message.contains("libmissing-for-a-test.so.8") == false)
    }

    @Test("a missing function is an error with the function's name, whichever it is")
    func missingFunction() {
        for names in [("floor", "missing_for_a_test"), ("missing_for_a_test", "floor")] {
            let error = #expect(throws: LibraryError.self) { try load("libm.so.6", names.0, names.1) }
            #expect(error?.message.contains("missing_for_a_test") == true)
        }
    }

    @Test("a failed library can be tried again, and a loaded library can be loaded again")
    func again() throws {
        for _ in 0..<3 {
            #expect(throws: LibraryError.self) { try load("libmissing-for-a-test.so.7", "floor", "ceil") }
            #expect(unsafe try load("libm.so.6", "floor", "ceil").table.pointee.first(2.5) == 2)
        }
    }
}
