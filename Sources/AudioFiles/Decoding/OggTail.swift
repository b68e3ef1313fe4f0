/// The last two pages of an Ogg file's stream with the end of a packet.
struct OggTail {
    /// Length of the stream up to the end of each page, in units of its codec, from an origin that may differ from 0.
    let positionBefore, lastPosition: Int64

    /// Reads the end of the file, as long as the last pages can be. Returns nil if the two pages are not found.
    ///
    /// - Parameter pageAt: Reads the header of a page; tests count the calls.
    init?(_ file: ByteSource, pageAt: (ByteSource, Int64) -> OggPage? = { OggPage($0, at: $1) }) {
        let length = min(file.count, Int64(3 * OggPage.longest))
        let bytes = file.bytes(at: file.count - length, count: Int(length))
        let (tail, mark) = (ByteSource(bytes), Array("OggS".utf8))
        // The bytes at the start of a page can also occur inside a page, but only a real page is followed by the next.
        // The search goes backwards from the end and reads each page once, until two positions follow from a page.
        var runs: [Int64: Run] = [:]
        var found: Run?
        for start in bytes.indices.reversed() where bytes[start] == mark[0] && bytes[start...].starts(with: mark) {
            guard let page = pageAt(tail, Int64(start)), page.bytes.upperBound <= tail.count else { continue }
            let run = Run(page, followedBy: runs[page.bytes.upperBound])
            runs[Int64(start)] = run
            if run.before != nil { found = run }
        }
        guard let last = found?.last, let before = found?.before else { return nil }
        (positionBefore, lastPosition) = (before, last)
    }

    /// Consecutive whole pages of the same stream.
    private struct Run {
        let serial: UInt32
        /// Positions of the last two pages with the end of a packet; nil if there are fewer.
        private(set) var (last, before): (Int64?, Int64?)

        init(_ page: OggPage, followedBy next: Run?) {
            serial = page.serial
            let own = page.position >= 0 ? page.position : nil
            guard let next, next.serial == serial, let last = next.last else {
                (last, before) = (own, nil)
                return
            }
            (self.last, before) = (last, next.before ?? own)
        }
    }
}
