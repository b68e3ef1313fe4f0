// The file of a recording, valid at every moment: after a crash every program can open the file.
//
// New samples go behind the counted samples. The header then follows in a single write, which a kill cannot split.
// Between any two system calls the header therefore counts only samples in the file. This file does not monitor the
// disk space, measure, or know any device.
package import AudioFiles
internal import Files
internal import Glibc
internal import UserState

/// A take being recorded: a file at its final path, which other programs can open while it grows.
///
/// Frames passed to `write` survive a crash of this process after the next `checkpoint()`, and a power loss after the
/// next `synchronise()`. A take released without `finish()` stays in the state of its last checkpoint.
///
/// Threads: a single thread at a time, the writer's. Real-time safe: no.
@safe
package final class TakeFile: @unchecked Sendable {
    /// Path of the file.
    package let path: String
    /// File format.
    package var container: TakeContainer { content.format.container }
    /// Sample rate in Hz.
    package var sampleRate: Int { content.format.sampleRate }
    /// Number of channels, 1...64.
    package var channelCount: Int { content.format.channelCount }
    /// Marks so far, in the order of their addition.
    package private(set) var marks: [TakeMark] = []
    /// Reason why `UnfinishedTakes` would not find this take, or one of its marks, after a crash. Nil if everything is
    /// registered, or without a registry.
    package private(set) var registryWarning: AudioFileError?

    private let content: TakeContent
    private var encoder: WaveSampleEncoder
    /// Encoded frames of the next write, and a spare byte.
    private let buffer: UnsafeMutableRawBufferPointer
    private let bufferFrames: Int
    private var bufferedFrames = 0
    private var entry: TakeEntry?
    private var failure: AudioFileError?
    private var nameIsSafe = false
    private var isOver = false

    /// Creates a file without frames. The file is already valid.
    ///
    /// - Parameters:
    ///   - path: Path of the file, which must not exist.
    ///   - container: File format.
    ///   - format: Sample format; 16 bits are dithered.
    ///   - sampleRate: 1...768000 Hz.
    ///   - channelCount: 1...64.
    ///   - registry: Registry that lists the take until its end. If writing the registry fails, the take is recorded
    ///     nevertheless: see `registryWarning`.
    ///   - attachment: Text returned with the take by a recovery; nil for none.
    /// - Throws: `.alreadyExists`, `.permissionDenied`, `.cannotCreate`, `.diskFull`, `.invalidRequest`.
    package convenience init(
        path: String, container: TakeContainer, format: WaveSampleFormat, sampleRate: Int, channelCount: Int,
        registry: UnfinishedTakes? = nil, attachment: String? = nil
    ) throws(AudioFileError) {
        try self.init(
            path: path,
            format: TakeFormat(
                container: container, samples: format, sampleRate: sampleRate, channelCount: channelCount),
            registry: registry, attachment: attachment, calls: SystemFileCalls())
    }

    init(
        path: String, format: TakeFormat, registry: UnfinishedTakes? = nil, attachment: String? = nil,
        calls: any FileCalls
    ) throws(AudioFileError) {
        guard FileLimits.sampleRates.contains(format.sampleRate), FileLimits.channelCounts.contains(format.channelCount)
        else {
            throw AudioFileError(
                .invalidRequest, path: path,
                "\(path): no take has \(format.channelCount) channels at \(format.sampleRate) Hz",
                remedy: "Ask for 1 to 64 channels and a rate of 1 to 768000 Hz.")
        }
        if path.isEmpty || path.utf8.contains(0) { throw .writing(path, errno: ENOENT, creating: true) }
        do throws(FileFault) {
            let storage = try TakeStorage(creating: path, header: format.header(frameCount: 0), calls: calls)
            content = TakeContent(storage, format: format, frameCount: 0)
        } catch {
            throw .creatingNew(path, errno: error.code)
        }
        self.path = path
        encoder = WaveSampleEncoder(format.samples)
        // Buffer about 128 KiB: few system calls, and still in the cache.
        bufferFrames = max(1, (1 << 17) / format.frameBytes)
        unsafe buffer = .allocate(byteCount: bufferFrames * format.frameBytes + 1, alignment: 16)
        if let registry { register(in: registry, attachment) }
    }

    deinit { unsafe buffer.deallocate() }

    /// Number of frames so far; after a failure or the end, number of frames in the file.
    package var frameCount: Int64 {
        isOver || failure != nil ? content.toldFrames : content.storedFrames + Int64(bufferedFrames)
    }

    /// Number of frames counted by the file's header, as visible to a program opening the file now.
    var checkpointedFrameCount: Int64 { content.toldFrames }

    // MARK: - Recording

    /// Appends frames. The frames may stay in memory until the next checkpoint.
    ///
    /// - Parameters:
    ///   - channels: `channelCount` pointers to `frameCount` samples each.
    ///   - frameCount: 0 or more.
    /// - Throws: `.diskFull`, `.permissionDenied`, `.limitExceeded`, `.io`. The take is then closed with everything on
    ///   the disk. The remedy states the kept length, and each further call throws the same error.
    package func write(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
    ) throws(AudioFileError) {
        precondition(frameCount >= 0, "a negative number of frames")
        try checkOpen(adding: Int64(frameCount))
        var done = 0
        while done < frameCount {
            let count = min(bufferFrames - bufferedFrames, frameCount - done)
            if let base = unsafe buffer.baseAddress {
                unsafe encoder.encode(
                    channels, channelCount: channelCount, from: done, frameCount: count,
                    into: base + bufferedFrames * frameBytes)
            }
            bufferedFrames += count
            done += count
            if bufferedFrames == bufferFrames { try orClose { () throws(FileFault) in try flush() } }
        }
    }

    /// Appends silence, for example for frames lost by a device. Silence takes no time, and no disk space if the file
    /// system supports holes.
    ///
    /// - Parameter frameCount: 0 or more.
    /// - Throws: The errors of `write`.
    package func writeSilence(frameCount: Int64) throws(AudioFileError) {
        precondition(frameCount >= 0, "a negative number of frames")
        try checkOpen(adding: frameCount)
        if frameCount == 0 { return }
        // A take does not begin with a hole: the first frame is written together with the header.
        let isFirst = content.storedFrames == 0 && bufferedFrames == 0
        if isFirst {
            for index in 0..<frameBytes { unsafe buffer[index] = 0 }
            bufferedFrames = 1
        }
        try orClose { () throws(FileFault) in try flush() }
        content.appendSilence(frameCount: frameCount - (isFirst ? 1 : 0))
    }

    /// Adds a mark. `finish` writes the marks behind the samples.
    ///
    /// - Parameters:
    ///   - name: Up to 4096 bytes of UTF-8 without a zero byte; may be empty.
    ///   - frame: 0 or more; less than 2^32 in a WAV file. A mark beyond the end of the take is dropped.
    /// - Throws: `.invalidRequest`; an earlier error of `write`.
    package func addMark(_ name: String, atFrame frame: Int64) throws(AudioFileError) {
        try checkOpen(adding: 0)
        if name.utf8.contains(0) { throw .badMark(path, "has a zero byte in its name") }
        if name.utf8.count > 4096 { throw .badMark(path, "has a name of more than 4096 bytes") }
        if frame < 0 { throw .badMark(path, "is before the first frame") }
        if frame > content.format.lastMarkFrame {
            throw .badMark(
                path, "is after frame \(content.format.lastMarkFrame), the last frame that the format can mark")
        }
        let mark = TakeMark(name: name, frame: frame)
        marks.append(mark)
        note(TakeDescription.line(mark))
    }

    /// Makes the header count all frames so far.
    ///
    /// The writer calls this function at least every 200 ms. Throws like `write`.
    package func checkpoint() throws(AudioFileError) {
        try checkOpen(adding: 0)
        try orClose { () throws(FileFault) in
            try flush()
            try content.tell()
        }
    }

    /// Waits until the frames of the last checkpoint are on the disk, safe from a power loss.
    ///
    /// The writer calls this function at least every second, directly after a checkpoint. Throws like `write`.
    package func synchronise() throws(AudioFileError) {
        try checkOpen(adding: 0)
        try orClose { () throws(FileFault) in
            try content.storage.synchroniseData()
            if !nameIsSafe { try content.storage.synchroniseName() }
            nameIsSafe = true
        }
        entry?.synchronise(safeFrameCount: content.toldFrames)
    }

    // MARK: - The end

    /// Ends the take: writes all frames, then the marks after them, and waits for the disk. Further calls do nothing.
    ///
    /// After a failure, the function tries once more to make the header count all frames in the file.
    /// - Throws: Errors of this call, not of earlier calls. The file is valid in any case.
    package func finish() throws(AudioFileError) {
        let (receipt, problem) = finishLeavingReceipt()
        receipt?.settle()
        if let problem { throw problem }
    }

    /// Ends the take like `finish`, but keeps the take registered until the caller has listed it elsewhere.
    ///
    /// - Returns: The receipt that ends the registration, even after a problem if the file is whole; nil if the take is
    ///   not registered, or stays registered. And the error that `finish` throws.
    package func finishLeavingReceipt() -> (receipt: TakeReceipt?, problem: AudioFileError?) {
        if isOver { return (nil, nil) }
        var problem: AudioFileError?
        var isWhole = true
        if failure == nil {
            do throws(AudioFileError) { try checkpoint() } catch { problem = error }
        }
        if failure != nil, let fault = content.keepWholeFrames() {
            isWhole = false
            problem = problem ?? closed(by: fault)
        }
        isOver = true
        let storage = content.storage
        if !marks.isEmpty { note(TakeDescription.line(finalFrameCount: frameCount)) }
        if let fault = FileFault.thrown(by: { () throws(FileFault) in try content.writeMarks(marks) }) {
            isWhole = false
            problem = problem ?? .writingMarks(path, errno: fault.code, frames: frameCount, sampleRate: sampleRate)
        }
        if let fault = FileFault.thrown(by: { () throws(FileFault) in try storage.synchronise() }) {
            problem = problem ?? closed(by: fault)
        } else {
            entry?.synchronise(safeFrameCount: frameCount)
        }
        // An incomplete take stays registered, so that the next start offers to recover it.
        defer { entry = nil }
        return (isWhole ? entry.map { TakeReceipt($0) } : nil, problem)
    }

    /// Removes the file. Does nothing after `finish()`.
    ///
    /// - Throws: `.permissionDenied`, `.io`: the file then still exists, in the state of its last checkpoint.
    package func discard() throws(AudioFileError) {
        if isOver { return }
        isOver = true
        let storage = content.storage
        if let fault = FileFault.thrown(by: { () throws(FileFault) in try storage.remove() }) {
            throw closed(by: fault)
        }
        entry?.remove()
        entry = nil
    }

    // MARK: - Within

    private var frameBytes: Int { content.format.frameBytes }

    /// Throws an earlier failure, or an error if the take would become too long.
    private func checkOpen(adding frameCount: Int64) throws(AudioFileError) {
        if let failure { throw failure }
        precondition(!isOver, "the take is over")
        if self.frameCount + frameCount > FileLimits.maximumFrameCount { throw .tooLong(path) }
    }

    private func register(in registry: UnfinishedTakes, _ attachment: String?) {
        guard let identity = FileIdentity(descriptor: content.storage.descriptor),
            let whole = FilePlace.resolved(path)
        else { return }
        let description = TakeDescription(
            path: whole, identity: identity, format: content.format, startTime: Int64(time(nil)),
            attachment: attachment)
        // Store the file's name first: an entry without a file would be reported as a missing take.
        nameIsSafe = FileFault.thrown(by: { () throws(FileFault) in try content.storage.synchroniseName() }) == nil
        do throws(AudioFileError) { entry = try registry.register(description) } catch { registryWarning = error }
    }

    /// Adds a line to the entry. Without an entry a mark stays only in memory until the end.
    private func note(_ line: String) {
        guard let entry else { return }
        do throws(StateFile.Fault) { try entry.append(line) } catch {
            registryWarning = .unregistered(entry.path, error)
        }
    }

    private func flush() throws(FileFault) {
        let count = bufferedFrames
        // Do not repeat a failed write: the storage knows the number of bytes in the file.
        bufferedFrames = 0
        try unsafe content.append(buffer, frameCount: count)
    }

    /// Runs an operation. On a fault, closes the take with everything on the disk.
    private func orClose(_ body: () throws(FileFault) -> Void) throws(AudioFileError) {
        guard let fault = FileFault.thrown(by: body) else { return }
        bufferedFrames = 0
        _ = content.keepWholeFrames()
        let error = closed(by: fault)
        failure = error
        throw error
    }

    private func closed(by fault: FileFault) -> AudioFileError {
        .recording(path, errno: fault.code, keptFrames: content.toldFrames, sampleRate: sampleRate)
    }
}
