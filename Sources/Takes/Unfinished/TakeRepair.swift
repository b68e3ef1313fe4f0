internal import AudioFiles
internal import Files
internal import Glibc

/// What is to be done to a take that was not finished.
///
/// Which frames it has is told by the length of its file: samples that got there after the last checkpoint are sound, though the
/// header does not tell of them. Only when the end had begun is it told by the entry, as chunks may follow the samples.
struct TakeRepair {
    /// Frames that the take will have.
    let frameCount: Int64
    private let description: TakeDescription
    private let storage: TakeStorage
    private let fileBytes: Int64
    /// Whether the end was reached, and there is nothing to do.
    private let isWhole: Bool

    /// Looks at the file.
    ///
    /// Throws `.notFound` or `.changed` where it is not the take any more that was recorded, and why it cannot be opened to be
    /// mended.
    init(_ description: TakeDescription) throws(AudioFileError) {
        let path = description.path
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { throw .reading(path, errno: errno) }
            throw .writing(path, errno: errno, creating: false)
        }
        storage = TakeStorage(adopting: descriptor, path: path, calls: SystemFileCalls())
        self.description = description
        let format = description.format
        guard FileIdentity(descriptor: descriptor)?.mayBe(description.identity) == true,
            let header = FoundHeader(descriptor, format)
        else { throw .changedTake(path) }
        fileBytes = Int64(lseek(descriptor, 0, SEEK_END))
        if header.hasChunks(descriptor, description) {
            (frameCount, isWhole) = (header.frameCount, true)
        } else {
            let inFile = format.frameCount(fileBytes: fileBytes)
            (frameCount, isWhole) = (min(inFile, description.finalFrameCount ?? inFile), false)
        }
    }

    /// Puts the header right, writes the marks, and waits for the disk. Returns the frames there are.
    func run() throws(AudioFileError) -> Int64 {
        if isWhole { return frameCount }
        let (path, rate) = (description.path, description.format.sampleRate)
        let content = TakeContent(storage, format: description.format, frameCount: frameCount, fileBytes: fileBytes)
        if let fault = content.keepWholeFrames() {
            throw .recording(path, errno: fault.code, keptFrames: frameCount, sampleRate: rate)
        }
        do throws(FileFault) {
            try content.writeMarks(description.marks)
            try storage.synchronise()
        } catch {
            throw .writingMarks(path, errno: error.code, frames: content.toldFrames, sampleRate: rate)
        }
        return content.toldFrames
    }
}

/// A header of ours as it was found in a file.
private struct FoundHeader {
    let frameCount: Int64
    let trailingBytes: Int64

    /// Reads it; nil where the file begins otherwise. One of zeros is what a power cut may leave: it tells of no frame.
    init?(_ descriptor: Int32, _ format: TakeFormat) {
        guard let found = try? FileBytes.bytes(of: descriptor, at: 0, count: format.headerBytes) else { return nil }
        let isWhole = found.count == format.headerBytes
        if found.isEmpty || isWhole && found.allSatisfy({ $0 == 0 }) {
            (frameCount, trailingBytes) = (0, 0)
            return
        }
        guard isWhole, let told = format.lengths(inHeader: found) else { return nil }
        (frameCount, trailingBytes) = told
        // All else in it is known.
        guard format.header(frameCount: frameCount, trailingBytes: Int(trailingBytes)) == found else { return nil }
    }

    /// Whether the marks stand behind the samples as they should.
    func hasChunks(_ descriptor: Int32, _ description: TakeDescription) -> Bool {
        let format = description.format
        let expected = format.chunks(for: description.marks, frameCount: frameCount)
        if format.container == .wav { return trailingBytes > 0 }
        if expected.isEmpty { return false }
        let end = format.fileEnd(frameCount)
        return (try? FileBytes.bytes(of: descriptor, at: end, count: expected.count + 1)) == expected
    }
}
