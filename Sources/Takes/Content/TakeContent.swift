internal import Files

/// What is in a take's file, and in which order it gets there.
///
/// Samples first, then the header that tells of them, in one write within a page of memory, which a kill does not cut in two. So
/// between any two system calls the header tells of samples that are there; what lies behind them is not told of, and harmless:
/// readers take the end of the samples from the header.
final class TakeContent {
    let format: TakeFormat
    let storage: TakeStorage
    /// Frames that belong to the take; silence among them may reach beyond the file's end until `tell()`.
    private(set) var storedFrames: Int64
    /// Frames that the header tells of, all of them in the file.
    private(set) var toldFrames: Int64
    /// How far the file reaches, in bytes.
    private var storedBytes: Int64

    /// What the header and the first frames share: the least that no system cuts in two.
    private static let pageBytes = 4096

    /// The content of a file that tells of `frameCount` frames and ends with them.
    init(_ storage: TakeStorage, format: TakeFormat, frameCount: Int64) {
        self.storage = storage
        self.format = format
        (storedFrames, toldFrames) = (frameCount, frameCount)
        storedBytes = format.fileEnd(frameCount)
    }

    /// The content of a file of `fileBytes` bytes that has `frameCount` frames, whatever its header says; `keepWholeFrames()`
    /// makes it true.
    init(_ storage: TakeStorage, format: TakeFormat, frameCount: Int64, fileBytes: Int64) {
        self.storage = storage
        self.format = format
        (storedFrames, toldFrames, storedBytes) = (frameCount, frameCount, fileBytes)
    }

    /// Puts `frameCount` frames behind those that are there; the header does not tell of them yet.
    ///
    /// - Parameter frames: their bytes, and one more, which may be overwritten.
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
            storedBytes = max(storedBytes, offset + Int64(error.doneBytes))
            storedFrames += Int64(min(error.doneBytes / format.frameBytes, frameCount - first))
            throw error
        }
        storedFrames = total
        storedBytes = format.fileEnd(total)
    }

    /// Writes the header and as many frames as share its page, in one go. A header that tells of no frame must never stand in
    /// front of samples: some readers take it for that of a broken recording and count to the file's end, others do not.
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

    /// Puts silence behind what is there, which must be a frame at least: a hole, made by the next write or by `tell()`.
    func appendSilence(frameCount: Int64) { storedFrames += frameCount }

    /// Makes the header tell of all frames.
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

    /// After a fault: keeps the whole frames that got to the file, tells of them, and cuts off what is no whole frame.
    ///
    /// Returns what went wrong; the header is then as of before, and as true.
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
            // The byte that makes the samples even has no room: a frame of an odd number of bytes gives it.
            let offset = format.dataEnd(frames)
            let fault = FileFault.thrown { () throws(FileFault) in try storage.write([0], at: offset) }
            if fault == nil { storedBytes = offset + 1 } else { frames -= 1 }
        }
        let header = format.header(frameCount: frames)
        if let fault = FileFault.thrown(by: { () throws(FileFault) in try storage.write(header, at: 0) }) {
            return fault
        }
        (storedFrames, toldFrames) = (frames, frames)
        // What cannot be cut off is not told of.
        let end = format.fileEnd(frames)
        if FileFault.thrown(by: { () throws(FileFault) in try storage.setLength(end) }) == nil { storedBytes = end }
        return nil
    }

    /// Writes the marks that lie within the take behind its samples, by frame; all frames are told of.
    ///
    /// After a fault the file is as it was before.
    func writeMarks(_ marks: [TakeMark]) throws(FileFault) {
        let chunks = format.chunks(for: marks, frameCount: toldFrames)
        if chunks.isEmpty { return }
        let end = format.fileEnd(toldFrames)
        do throws(FileFault) {
            try storage.write(chunks, at: end)
            try storage.write(format.header(frameCount: toldFrames, trailingBytes: chunks.count), at: 0)
        } catch {
            _ = keepWholeFrames()
            throw error
        }
    }
}
