internal import Explanations
internal import Files
internal import Glibc
internal import TextFormats

/// A catalogue in a regular file. The descriptor must stay open while this value is in use. Memory use does not depend
/// on the size of the file.
struct CatalogueFile: CatalogueSource {
    private let descriptor: Int32
    private let offset: Int64
    private let state: FileState
    let byteCount: Int

    /// Starts at the descriptor's position; nil if the file is not regular.
    ///
    /// - Parameter byteCount: Length of the catalogue in bytes; nil for everything up to the end of the file.
    init?(_ descriptor: Int32, byteCount: Int64? = nil) {
        let offset = Int64(lseek(descriptor, 0, SEEK_CUR))
        guard let state = FileState(descriptor: descriptor), offset >= 0 else { return nil }
        (self.descriptor, self.offset, self.state) = (descriptor, offset, state)
        self.byteCount = Int(byteCount ?? max(0, state.byteCount - offset))
    }

    /// True if the file reaches to the end of the catalogue.
    var isWhole: Bool { Int64(byteCount) <= state.byteCount - offset }

    func bytes(in range: Range<Int>) throws(CatalogueError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try FileBytes.bytes(of: descriptor, at: offset + Int64(range.lowerBound), count: range.count)
        } catch { throw .unreadable(systemText(error.code)) }
        // The catalogue is checked as a whole, and then read again part by part. A file changed in between would give
        // parts that were never checked.
        let now = FileState(descriptor: descriptor)
        guard bytes.count == range.count, now?.modified == state.modified, now?.byteCount == state.byteCount else {
            throw .changed
        }
        return bytes
    }
}
