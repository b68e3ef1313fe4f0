// The readers of all outside input, each called as in the product. Two programs share this folder: the test that
// replays the corpus, and the fuzzer (scripts/soak/fuzz.sh). The decoders of sound are libraries with fuzzers of their
// own, and are not included.

/// A reader, under the name of its folder in the corpus.
struct FuzzedReader: Sendable, CustomStringConvertible {
    let name: String
    /// Reads bytes; false if the reader refuses them. Throws a `BrokenPromise`, and nothing else.
    let accepts: @Sendable ([UInt8]) throws -> Bool

    var description: String { name }

    static let all: [FuzzedReader] = [
        FuzzedReader(name: "bundle", accepts: FileReaders.bundle),
        FuzzedReader(name: "catalogue", accepts: TextReaders.catalogue),
        FuzzedReader(name: "control", accepts: ControlReaders.control),
        FuzzedReader(name: "feed", accepts: TextReaders.feed),
        FuzzedReader(name: "head", accepts: NetworkReaders.head),
        FuzzedReader(name: "links", accepts: NetworkReaders.links),
        FuzzedReader(name: "playlist", accepts: TextReaders.playlist),
        FuzzedReader(name: "sections", accepts: TextReaders.sections),
        FuzzedReader(name: "tags", accepts: FileReaders.tags),
    ]
}

/// A value from a reader breaks a promise of the value's type.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    static func check(_ isKept: Bool, _ promise: @autoclosure () -> String) throws {
        if !isKept { throw BrokenPromise(description: promise()) }
    }
}
