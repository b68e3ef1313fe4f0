import Testing

/// The entry point of the tests. Without this file SwiftPM looks for tests of XCTest in an index of every test module,
/// and an index takes an eighth of a module's compile time.
@main
struct XCTMain {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
