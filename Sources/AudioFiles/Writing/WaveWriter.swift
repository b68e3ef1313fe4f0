// Writes WAV files. An implementation of our own, because the header must become RF64 in place and be valid in a pipe, and
// because errors must have a type: libsndfile fixes the format at the start, and reports a full disk as an unspecified system
// error.
internal import Realtime

/// Writes planar samples to a WAV file, which appears under its name only when it is finished.
///
/// Beyond 4 GiB the file becomes RF64. Without `finish()` nothing is left behind, and an older file of that name is unchanged.
/// Any thread, also several at once: calls are serialised.
@safe
public final class WaveWriter: @unchecked Sendable {
    /// Frames per second, in Hz.
    public let sampleRate: Int
    /// Channels of the file.
    public let channelCount: Int
    /// The sample format.
    public let format: WaveSampleFormat

    private let lock = ConditionLock()
    /// Guarded by `lock`.
    private var state: State

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - path: the path of the file. A pipe or device of that name is written directly, as a stream.
    ///   - sampleRate: 1...768000 Hz.
    ///   - channelCount: 1...64.
    ///   - format: the sample format.
    /// - Throws: `.isDirectory`, `.permissionDenied`, `.cannotCreate`, `.diskFull`, `.invalidRequest`.
    ///
    /// Real-time safe: no.
    public convenience init(
        path: String, sampleRate: Int, channelCount: Int, format: WaveSampleFormat = .float32
    ) throws(AudioFileError) {
        try self.init(
            sampleRate: sampleRate, channelCount: channelCount, format: format, path: path
        ) { () throws(AudioFileError) in try OutputFile(path: path) }
    }

    /// Writes to a descriptor, such as 1 for the standard output; it is not closed.
    ///
    /// In a pipe the length in the header is "unknown", which players take as "to the end"; in a regular file `finish()` sets
    /// it. If the reader of a pipe has gone, writing throws `.closedPipe`, provided that the program ignores the signal
    /// SIGPIPE.
    ///
    /// Real-time safe: no.
    public convenience init(
        fileDescriptor: Int32, sampleRate: Int, channelCount: Int, format: WaveSampleFormat = .float32
    ) throws(AudioFileError) {
        try self.init(
            sampleRate: sampleRate, channelCount: channelCount, format: format, path: "output"
        ) { () throws(AudioFileError) in OutputFile(descriptor: fileDescriptor, name: "output") }
    }

    init(
        sampleRate: Int, channelCount: Int, format: WaveSampleFormat, path: String,
        _ open: () throws(AudioFileError) -> OutputFile
    ) throws(AudioFileError) {
        guard FileLimits.sampleRates.contains(sampleRate), FileLimits.channelCounts.contains(channelCount) else {
            throw AudioFileError(
                .invalidRequest, path: path, "\(path): no WAV file has \(channelCount) channels at \(sampleRate) Hz",
                remedy: "Ask for 1 to 64 channels and a rate of 1 to 768000 Hz.")
        }
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.format = format
        let header = WaveHeader(sampleRate: sampleRate, channelCount: channelCount, format: format)
        state = State(file: try open(), header: header)
    }

    /// Frames written so far.
    public var frameCount: Int64 { lock.withLock { state.frameCount } }

    /// Appends frames.
    ///
    /// After an error nothing more is written, and the file will not appear; its partial content is removed at once.
    ///
    /// - Parameters:
    ///   - channels: `channelCount` pointers to `frameCount` samples each.
    ///   - frameCount: 0 or more.
    /// - Throws: `.diskFull`, `.closedPipe`, `.limitExceeded`, `.io`.
    ///
    /// Real-time safe: no (system calls).
    public func write(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
    ) throws(AudioFileError) {
        precondition(frameCount >= 0, "a negative number of frames")
        let error = lock.withLock { unsafe state.write(channels, frameCount: frameCount) }
        if let error { throw error }
    }

    /// Passes on what was written so far: to the reader of a pipe at once; in a regular file also with an updated header.
    ///
    /// A recorder that streams calls it every 200 ms; without it, about 64 KiB are passed on at a time.
    /// - Throws: as `write`.
    ///
    /// Real-time safe: no.
    public func flush() throws(AudioFileError) {
        if let error = lock.withLock({ state.handOn() }) { throw error }
    }

    /// Ends the file: the header gets its length, and the file its name. Further calls do nothing.
    ///
    /// - Throws: the first error that occurred, even if `write` has already thrown it.
    ///
    /// Real-time safe: no.
    public func finish() throws(AudioFileError) {
        if let error = lock.withLock({ state.finish() }) { throw error }
    }

    /// Gives up: removes what was written to a path. Does nothing after `finish()`.
    ///
    /// Real-time safe: no.
    public func cancel() { lock.withLock { state.cancel() } }
}

/// The operations of a writer, called under its lock. When it is released, `OutputFile` removes an unfinished file.
@safe
private struct State: ~Copyable {
    let file: OutputFile
    let header: WaveHeader
    var frameCount: Int64 = 0
    private var encoder: WaveSampleEncoder
    private let buffer: UnsafeMutableRawBufferPointer
    private var filled = 0
    private var failure: AudioFileError?
    private var isOver = false

    init(file: OutputFile, header: WaveHeader) {
        self.file = file
        self.header = header
        encoder = WaveSampleEncoder(header.format)
        // Whole frames, about 64 KiB: few system calls, and small enough for the cache.
        let frames = max(1, (1 << 16) / header.frameBytes)
        unsafe buffer = .allocate(byteCount: max(frames * header.frameBytes, header.byteCount), alignment: 16)
        // The header is written with the first samples; finishing rewrites it if that is possible.
        unsafe buffer.copyBytes(from: header.bytes(.unknown))
        filled = header.byteCount
    }

    deinit { unsafe buffer.deallocate() }

    mutating func write(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount count: Int
    ) -> AudioFileError? {
        if isOver { return failure }
        var done = 0
        while done < count {
            let room = unsafe (buffer.count - filled) / header.frameBytes
            if room == 0 {
                flush()
                if failure != nil { return failure }
                continue
            }
            let frames = min(room, count - done)
            if let base = unsafe buffer.baseAddress {
                unsafe encoder.encode(
                    channels, channelCount: header.channelCount, from: done, frameCount: frames, into: base + filled)
            }
            filled += frames * header.frameBytes
            done += frames
            frameCount += Int64(frames)
        }
        return nil
    }

    mutating func handOn() -> AudioFileError? {
        if isOver { return failure }
        flush()
        if failure == nil, file.canRewrite {
            do throws(AudioFileError) { try file.rewrite(header.bytes(.frames(frameCount)), at: 0) } catch {
                fail(error)
            }
        }
        return failure
    }

    mutating func finish() -> AudioFileError? {
        if isOver { return failure }
        flush()
        if failure == nil, frameCount * Int64(header.frameBytes) & 1 == 1 {
            unsafe buffer[0] = 0
            filled = 1
            flush()
        }
        if isOver { return failure }
        do throws(AudioFileError) {
            if file.canRewrite { try file.rewrite(header.bytes(.frames(frameCount)), at: 0) }
            try file.commit()
            isOver = true
        } catch {
            fail(error)
        }
        return failure
    }

    mutating func cancel() {
        if !isOver { file.discard() }
        isOver = true
    }

    private mutating func flush() {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<filled])
        filled = 0
        do throws(AudioFileError) { try unsafe file.append(bytes) } catch { fail(error) }
    }

    /// Stores the first failure, and ends writing.
    private mutating func fail(_ error: AudioFileError) {
        failure = error
        isOver = true
        file.discard()
    }
}
