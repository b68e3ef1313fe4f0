// Reads files for libmpg123. The library's own reader makes three system calls for each MPEG frame: finding all frames
// would take six times as long, and decoding a twentieth longer.
internal import CMPG123
internal import Glibc

/// Reads a file in blocks from a given offset on, with a separate file position.
@safe
final class MPEGInput {
    let file: OpenedFile
    /// Offset in the file of the first byte visible to the library.
    let start: Int64
    /// Position from the beginning of the file.
    private var position: Int64 = 0
    private let block: UnsafeMutableRawBufferPointer
    /// Range of the file held by the block.
    private var held: Range<Int64> = 0..<0

    private static let blockBytes = 64 << 10

    init(_ file: OpenedFile, from start: Int64) {
        self.file = file
        self.start = start
        unsafe block = .allocate(byteCount: Self.blockBytes, alignment: 64)
    }

    deinit { unsafe block.deallocate() }

    /// Makes the library read the file through this object, from the start. The object must outlive the handle. Returns
    /// false if the library refuses.
    func open(_ handle: OpaquePointer) -> Bool {
        position = start
        let read: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int) -> Int = {
            input, target, count in
            guard let input = unsafe input, let target = unsafe target else { return -1 }
            return unsafe Unmanaged<MPEGInput>.fromOpaque(input).takeUnretainedValue().read(
                UnsafeMutableRawBufferPointer(start: target, count: count))
        }
        let seek: @convention(c) (UnsafeMutableRawPointer?, off_t, Int32) -> off_t = { input, offset, origin in
            guard let input = unsafe input else { return -1 }
            return unsafe off_t(
                Unmanaged<MPEGInput>.fromOpaque(input).takeUnretainedValue().seek(Int64(offset), from: origin))
        }
        guard unsafe mpg123_replace_reader_handle(handle, read, seek, nil) == MPG123_OK.rawValue else { return false }
        return unsafe mpg123_open_handle(handle, Unmanaged.passUnretained(self).toOpaque()) == MPG123_OK.rawValue
    }

    /// Fills `target` with the bytes at the position; fewer at the end of the file or after a read error.
    private func read(_ target: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        while done < target.count {
            if !held.contains(position) {
                let count = unsafe file.read(at: position, into: block)
                held = position..<position + Int64(count)
                if count == 0 { break }
            }
            let place = Int(position - held.lowerBound)
            let count = min(target.count - done, held.count - place)
            unsafe UnsafeMutableRawBufferPointer(rebasing: target[done...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: block[place..<place + count]))
            done += count
            position += Int64(count)
        }
        return done
    }

    private func seek(_ offset: Int64, from origin: Int32) -> Int64 {
        let base: Int64
        switch origin {
        case SEEK_SET: base = start
        case SEEK_CUR: base = position
        case SEEK_END: base = file.byteCount
        default: return -1
        }
        let (target, isTooFar) = base.addingReportingOverflow(offset)
        if isTooFar || target < start { return -1 }
        position = target
        return target - start
    }
}
