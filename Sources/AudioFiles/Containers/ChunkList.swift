/// The chunks of a RIFF, AIFF or CAF file: where each one's content is, however wrong its size.
struct ChunkList {
    /// How such a file writes the head of a chunk.
    enum Form {
        /// A size of 32 bits, the lowest byte first; chunks begin at even bytes.
        case riff
        /// A size of 32 bits, the highest byte first; chunks begin at even bytes. AIFF, and RIFX, the other RIFF.
        case aiff
        /// A size of 64 bits, the highest byte first.
        case caf

        fileprivate var headBytes: Int64 { self == .caf ? 12 : 8 }
    }

    struct Chunk {
        let name: String
        let content: ByteSource
    }

    private(set) var chunks: [Chunk] = []

    /// What no honest file reaches; a file of nothing but empty chunks is left after as many.
    private static let mostChunks = 16_384

    /// The chunks of some names.
    ///
    /// - Parameters:
    ///   - start: Where the first one's head is.
    ///   - longSizes: In bytes, of chunks whose own size says that it is elsewhere (RF64).
    init(
        in source: ByteSource, from start: Int64, _ form: Form, named names: Set<String>,
        longSizes: [String: Int64] = [:]
    ) {
        var place = start
        for _ in 0..<Self.mostChunks {
            guard let (name, told) = Self.head(source, at: place, form) else { return }
            place += form.headBytes
            let size = told ?? longSizes[name] ?? .max
            // Behind a chunk that claims more than there is nothing more can be found.
            let end = size < source.count - place ? place + size : source.count
            if names.contains(name) { chunks.append(Chunk(name: name, content: source.slice(place..<end))) }
            place = form == .caf || end == source.count ? end : end + (size & 1)
        }
    }

    /// A chunk's name and size; no size where it says that its content reaches to the end, or is told elsewhere.
    private static func head(_ source: ByteSource, at place: Int64, _ form: Form) -> (name: String, size: Int64?)? {
        let head = source.bytes(at: place, count: Int(form.headBytes))
        if head.count < Int(form.headBytes) { return nil }
        let name = String(decoding: head[..<4], as: UTF8.self)
        switch form {
        case .riff, .aiff:
            let size: UInt32 = form == .riff ? head.little(at: 4) : head.big(at: 4)
            return (name, size == .max ? nil : Int64(size))
        case .caf:
            let size: Int64 = head.big(at: 4)
            return (name, size < 0 ? nil : size)
        }
    }
}
