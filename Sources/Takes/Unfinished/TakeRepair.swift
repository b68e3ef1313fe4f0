internal import AudioFiles
internal import Files
internal import Glibc

/// The repair of an unfinished take.
///
/// The length of the file determines the number of frames: samples written after the last checkpoint are good, although
/// the header does not count them. If the end had begun, the entry states the number of frames, because chunks may
/// follow the samples. After a restart of the system, only frames certainly on the disk are good.
struct TakeRepair {
    /// Number of frames after the repair.
    let frameCount: Int64
    private let description: TakeDescription
    private let storage: TakeStorage
    private let fileBytes: Int64
    /// True for a finished take, which needs no repair.
    private let isWhole: Bool

    /// Examines the file.
    ///
    /// Throws `.notFound` or `.changed` if the file is no longer the recorded take. Throws the reason if opening the
    /// file for writing fails.
    init(_ description: TakeDescription, calls: any FileCalls) throws(AudioFileError) {
        let path = description.path
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { throw .reading(path, errno: errno) }
            throw .writing(path, errno: errno, creating: false)
        }
        storage = TakeStorage(adopting: descriptor, path: path, calls: calls)
        self.description = description
        let format = description.format
        guard FileIdentity(descriptor: descriptor)?.mayBe(description.identity) == true,
            let header = FoundHeader(descriptor, format)
        else { throw .changedTake(path) }
        fileBytes = Int64(lseek(descriptor, 0, SEEK_END))
        let reliable = description.reliableFrameCount
        if header.frameCount <= reliable, header.hasChunks(descriptor, description) {
            (frameCount, isWhole) = (header.frameCount, true)
        } else {
            let inFile = min(format.frameCount(fileBytes: fileBytes), reliable)
            (frameCount, isWhole) = (min(inFile, description.finalFrameCount ?? inFile), false)
        }
    }

    /// Corrects the header, writes the marks, and waits for the disk. Returns the number of frames.
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

/// A header of ours found in a file.
private struct FoundHeader {
    let frameCount: Int64
    let trailingBytes: Int64

    /// Reads the header; nil if the file begins with other bytes. A power loss may leave a header of zeros, which
    /// counts no frames.
    init?(_ descriptor: Int32, _ format: TakeFormat) {
        guard let found = try? FileBytes.bytes(of: descriptor, at: 0, count: format.headerBytes) else { return nil }
        let isWhole = found.count == format.headerBytes
        if found.isEmpty || isWhole && found.allSatisfy({ $0 == 0 }) {
            (frameCount, trailingBytes) = (0, 0)
            return
        }
        guard isWhole, let told = format.lengths(inHeader: found) else { return nil }
        (frameCount, trailingBytes) = told
        // The two lengths determine the rest of the header.
        guard format.header(frameCount: frameCount, trailingBytes: Int(trailingBytes)) == found else { return nil }
    }

    /// Returns true if the marks are correctly stored after the samples.
    func hasChunks(_ descriptor: Int32, _ description: TakeDescription) -> Bool {
        let format = description.format
        let expected = format.chunks(for: description.marks, frameCount: frameCount)
        if format.container == .wav, trailingBytes == 0 { return false }
        // After a kill, the chunks counted by the header are intact, even if a mark is missing from the entry. After a
        // power loss they may be damaged.
        if format.container == .wav, description.reliableFrameCount == .max { return true }
        if expected.isEmpty { return false }
        let end = format.fileEnd(frameCount)
        return (try? FileBytes.bytes(of: descriptor, at: end, count: expected.count + 1)) == expected
    }
}
