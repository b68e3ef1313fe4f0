/// The chunks of a RIFF, AIFF or CAF file, with the range of each chunk's content. The ranges are usable even if a size
/// field is wrong.
struct ChunkList {
    /// The encoding of a chunk's header.
    enum Form {
        /// 32-bit sizes, lowest byte first; chunks begin at even offsets.
        case riff
        /// 32-bit sizes, highest byte first; chunks begin at even offsets. AIFF, and RIFX, the big-endian RIFF.
        case aiff
        /// 64-bit sizes, highest byte first.
        case caf

        fileprivate var headBytes: Int64 { self == .caf ? 12 : 8 }
    }

    struct Chunk {
        let name: String
        let content: ByteSource
        /// Size stated by the file; nil if there is none. The content may be shorter.
        let statedSize: Int64?
    }

    private(set) var chunks: [Chunk] = []

    /// Largest number of chunks; a valid file never has as many. The limit bounds the time for a file of nothing but
    /// empty chunks.
    private static let mostChunks = 16_384

    /// Finds the chunks with the given names.
    ///
    /// - Parameters:
    ///   - start: The offset of the first chunk's header.
    ///   - longSizes: The sizes, in bytes, of chunks whose size field refers to a size stored elsewhere (RF64).
    init(
        in source: ByteSource, from start: Int64, _ form: Form, named names: Set<String>,
        longSizes: [String: Int64] = [:]
    ) {
        var place = start
        for _ in 0..<Self.mostChunks {
            guard let (name, told) = Self.head(source, at: place, form) else { return }
            place += form.headBytes
            let stated = told ?? longSizes[name]
            let size = stated ?? .max
            // After a chunk whose size exceeds the file, no further chunk can be found.
            let end = size < source.count - place ? place + size : source.count
            if names.contains(name) {
                chunks.append(Chunk(name: name, content: source.slice(place..<end), statedSize: stated))
            }
            place = form == .caf || end == source.count ? end : end + (size & 1)
        }
    }

    /// Returns a chunk's name and size. The size is nil if the content reaches to the end, or if the size is stored
    /// elsewhere.
    private static func head(_ source: ByteSource, at place: Int64, _ form: Form) -> (name: String, size: Int64?)? {
        let head = source.bytes(at: place, count: Int(form.headBytes))
        if head.count < Int(form.headBytes) { return nil }
        let name = String(decoding: head[..<4], as: UTF8.self)
        switch form {
        case .riff, .aiff:
            let size: UInt32 = form == .riff ? head.little(at: 4) : head.big(at: 4)
            return (name, size == .max ? nil : Int64(size))
        case .caf: return (name, head.big(at: 4, in: 0...(.max)))
        }
    }
}
