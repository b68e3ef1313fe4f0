/// The undamaged pages of an Ogg file, in order. Damaged pages are skipped.
///
/// Complexity: as long as reading the whole file.
struct OggPages {
    private let source: ByteSource
    private let checksum: ([UInt8]) -> UInt32
    private var start: Int64? = 0
    private var patience = OggPage.mostReread
    /// True if the pages end early: damaged pages lie within each other for more than `OggPage.mostReread` bytes, as in
    /// a file of nothing but marks. A library that searches such a file computes the checksum of each byte thousands of
    /// times.
    private(set) var hasTooManyMarks = false

    /// - Parameter checksum: Computes the checksum of a page; tests count the bytes.
    init(_ source: ByteSource, checksum: @escaping ([UInt8]) -> UInt32) {
        (self.source, self.checksum) = (source, checksum)
    }

    /// Returns the next page and its bytes; nil at the end.
    mutating func next() -> (page: OggPage, bytes: [UInt8])? {
        while let place = start {
            guard let page = OggPage(source, at: place) else {
                start = OggPage.place(in: source, from: place + 1)
                continue
            }
            let end = page.bytes.upperBound
            let bytes = source.bytes(at: place, count: page.bytes.count)
            if bytes.count == page.bytes.count,
                bytes.little(UInt32.self, at: OggPage.checksumOffset) == checksum(bytes)
            {
                start = end < source.count ? end : nil
                return (page, bytes)
            }
            // The next page may begin inside the range claimed by the damaged page.
            start = OggPage.place(in: source, from: place + 1)
            if let next = start, next < end { patience -= bytes.count }
            if patience < 0 { (start, hasTooManyMarks) = (nil, true) }
        }
        return nil
    }
}
