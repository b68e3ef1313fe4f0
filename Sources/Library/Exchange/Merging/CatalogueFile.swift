internal import Explanations
internal import Files
internal import Glibc
internal import TextFormats

/// A catalogue in a regular file, which stays open as long as this is used. Memory does not grow with it.
struct CatalogueFile: CatalogueSource {
    private let descriptor: Int32
    private let offset: Int64
    private let state: FileState
    let byteCount: Int

    /// From the place of the descriptor on; nil if the file is not regular.
    ///
    /// - Parameter byteCount: Nil for all up to the end.
    init?(_ descriptor: Int32, byteCount: Int64? = nil) {
        let offset = Int64(lseek(descriptor, 0, SEEK_CUR))
        guard let state = FileState(descriptor: descriptor), offset >= 0 else { return nil }
        (self.descriptor, self.offset, self.state) = (descriptor, offset, state)
        self.byteCount = Int(byteCount ?? max(0, state.byteCount - offset))
    }

    /// Whether the file goes as far as the catalogue.
    var isWhole: Bool { Int64(byteCount) <= state.byteCount - offset }

    func bytes(in range: Range<Int>) throws(CatalogueError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try FileBytes.bytes(of: descriptor, at: offset + Int64(range.lowerBound), count: range.count)
        } catch { throw .unreadable(systemText(error.code)) }
        // The second reading of a file that was changed would say something else than the first.
        let now = FileState(descriptor: descriptor)
        guard bytes.count == range.count, now?.modified == state.modified, now?.byteCount == state.byteCount else {
            throw .changed
        }
        return bytes
    }
}
