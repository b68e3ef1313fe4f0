internal import Files

/// The content of a take's file, and the order of its writes.
///
/// Samples come first. The header counting them follows in a single write within a page of memory, which a kill does
/// not split. Between any two system calls the header therefore counts only samples in the file. Uncounted samples
/// behind them are harmless: readers take the end of the samples from the header.
final class TakeContent {
    let format: TakeFormat
    let storage: TakeStorage
    /// Number of frames of the take. Silence at the end may be missing from the file until `tell()`.
    private(set) var storedFrames: Int64
    /// Number of frames counted by the header, all of them in the file.
    private(set) var toldFrames: Int64
    /// Length of the file, in bytes.
    private var storedBytes: Int64

    /// Size of the page shared by the header and the first frames: no system splits a write within a page.
    private static let pageBytes = 4096

    /// Creates the content of a file whose header counts `frameCount` frames, and that ends with these frames.
    init(_ storage: TakeStorage, format: TakeFormat, frameCount: Int64) {
        self.storage = storage
        self.format = format
        (storedFrames, toldFrames) = (frameCount, frameCount)
        storedBytes = format.fileEnd(frameCount)
    }

    /// Creates the content of a file of `fileBytes` bytes with `frameCount` frames, whatever its header counts.
    /// `keepWholeFrames()` corrects the header.
    init(_ storage: TakeStorage, format: TakeFormat, frameCount: Int64, fileBytes: Int64) {
        self.storage = storage
        self.format = format
        (storedFrames, toldFrames, storedBytes) = (frameCount, frameCount, fileBytes)
    }

    /// Appends `frameCount` frames. The header does not count them yet.
    ///
    /// - Parameter frames: Bytes of the frames, and a spare byte, which may be overwritten.
    func append(_ frames: UnsafeMutableRawBufferPointer, frameCount: Int) throws(FileFault) {
        if frameCount == 0 { return }
        let first = try toldFrames == 0 ? unsafe writeFirstPage(frames, frameCount) : 0
        if first == frameCount { return }
        let total = storedFrames + Int64(frameCount - first)
        let padBytes = Int(format.fileEnd(total) - format.dataEnd(total))
        let end = frameCount * format.frameBytes
        if padBytes > 0 { unsafe frames[end] = 0 }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: frames[first * format.frameBytes..<end + padBytes])
        let offset = format.dataEnd(storedFrames)
        do throws(FileFault) {
            try unsafe storage.write(bytes, at: offset)
        } catch {
            // The write makes the hole before it, so without a written byte there is no hole.
            if error.doneBytes > 0 { storedBytes = max(storedBytes, offset + Int64(error.doneBytes)) }
            storedFrames += Int64(min(error.doneBytes / format.frameBytes, frameCount - first))
            throw error
        }
        storedFrames = total
        storedBytes = format.fileEnd(total)
    }

    /// Writes the header and as many frames as fit into its page, in a single write. Returns the number of these
    /// frames. Samples must never follow a header that counts no frames: some readers then read to the end of the file,
    /// others do not.
    private func writeFirstPage(_ frames: UnsafeMutableRawBufferPointer, _ frameCount: Int) throws(FileFault) -> Int {
        let room = Self.pageBytes - format.headerBytes - 1
        let count = min(frameCount, room / format.frameBytes)
        var page = format.header(frameCount: Int64(count))
        unsafe page.append(contentsOf: frames[..<(count * format.frameBytes)])
        if format.fileEnd(Int64(count)) > format.dataEnd(Int64(count)) { page.append(0) }
        do throws(FileFault) {
            try storage.write(page, at: 0)
        } catch {
            storedBytes = max(storedBytes, Int64(error.doneBytes))
            storedFrames = min(Int64(count), format.frameCount(fileBytes: Int64(error.doneBytes)))
            throw error
        }
        (storedFrames, toldFrames) = (Int64(count), Int64(count))
        storedBytes = format.fileEnd(Int64(count))
        return count
    }

    /// Appends silence after at least one frame, as a hole made by the next write or by `tell()`.
    func appendSilence(frameCount: Int64) { storedFrames += frameCount }

    /// Makes the header count all frames.
    func tell() throws(FileFault) {
        let end = format.fileEnd(storedFrames)
        if storedBytes < end {
            try storage.setLength(end)
            storedBytes = end
        }
        if toldFrames == storedFrames { return }
        try storage.write(format.header(frameCount: storedFrames), at: 0)
        toldFrames = storedFrames
    }

    /// Repairs the file after a fault: keeps the complete frames, counts them in the header, and cuts off the rest.
    ///
    /// Returns the fault if the repair fails; the header is then unchanged, and still correct.
    func keepWholeFrames() -> FileFault? {
        var frames = storedFrames
        if storedBytes < format.dataEnd(frames) {
            let end = format.fileEnd(frames)
            if FileFault.thrown(by: { () throws(FileFault) in try storage.setLength(end) }) == nil {
                storedBytes = end
            } else {
                frames = format.frameCount(fileBytes: storedBytes)
            }
        }
        if storedBytes < format.fileEnd(frames) {
            // If there is no space for the padding byte, give up the last frame, which has an odd number of bytes.
            let offset = format.dataEnd(frames)
            let fault = FileFault.thrown { () throws(FileFault) in try storage.write([0], at: offset) }
            if fault == nil { storedBytes = offset + 1 } else { frames -= 1 }
        }
        let header = format.header(frameCount: frames)
        if let fault = FileFault.thrown(by: { () throws(FileFault) in try storage.write(header, at: 0) }) {
            return fault
        }
        (storedFrames, toldFrames) = (frames, frames)
        // Bytes beyond the end stay uncounted if they cannot be cut off.
        let end = format.fileEnd(frames)
        if FileFault.thrown(by: { () throws(FileFault) in try storage.setLength(end) }) == nil { storedBytes = end }
        return nil
    }

    /// Writes the marks within the take after its samples, sorted by frame. The header must count all frames.
    ///
    /// Until the header of a WAV file counts the marks, they are bytes behind the end of the file's last chunk, which
    /// readers ignore. The marks reach the disk before the header: after a loss of power, no header counts missing
    /// marks. After a fault the file is unchanged.
    func writeMarks(_ marks: [TakeMark]) throws(FileFault) {
        let chunks = format.chunks(for: marks, frameCount: toldFrames)
        if chunks.isEmpty { return }
        let end = format.fileEnd(toldFrames)
        do throws(FileFault) {
            try storage.write(chunks, at: end)
            if format.container == .wav { try storage.synchroniseData() }
            try storage.write(format.header(frameCount: toldFrames, trailingBytes: chunks.count), at: 0)
        } catch {
            _ = keepWholeFrames()
            throw error
        }
    }
}
