// Writes WAV files. This is our own implementation for two reasons. The header must become RF64 in place and be valid
// in a pipe, and errors must have a type. libsndfile fixes the format at the start, and reports a full disk as an
// unspecified system error.
internal import Realtime

/// Writes planar samples to a WAV file. The file appears under its name only when finished.
///
/// Beyond 4 GiB the file becomes RF64. Without `finish()` no file remains, and an older file of this name is unchanged.
/// Threads: any, also several at once; calls are serialised.
@safe
package final class WaveWriter: @unchecked Sendable {
    /// Sample rate in Hz.
    package let sampleRate: Int
    /// Number of channels.
    package let channelCount: Int
    /// The sample format.
    package let format: WaveSampleFormat

    private let lock = ConditionLock()
    /// The lock guards the state.
    private var state: State

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - path: Path of the file. A pipe or device of this name is written directly, as a stream.
    ///   - sampleRate: 1...768000 Hz.
    ///   - channelCount: 1...64.
    ///   - format: The sample format.
    /// - Throws: `.isDirectory`, `.permissionDenied`, `.cannotCreate`, `.diskFull`, `.invalidRequest`.
    ///
    /// Real-time safe: no.
    package convenience init(
        path: String, sampleRate: Int, channelCount: Int, format: WaveSampleFormat = .float32
    ) throws(AudioFileError) {
        try self.init(
            sampleRate: sampleRate, channelCount: channelCount, format: format, path: path
        ) { () throws(AudioFileError) in try OutputFile(path: path) }
    }

    /// Writes to a descriptor, such as 1 for the standard output. The descriptor stays open.
    ///
    /// In a pipe, the length in the header is "unknown", which players treat as "to the end". In a regular file,
    /// `finish()` sets the length. If the reader of a pipe has gone, writing throws `.closedPipe`, provided that the
    /// program ignores the signal SIGPIPE.
    ///
    /// Real-time safe: no.
    package convenience init(
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

    /// Number of frames written so far.
    package var frameCount: Int64 { lock.withLock { state.frameCount } }

    /// Appends frames.
    ///
    /// After an error no further frames are written, and the file will not appear. Its partial content is removed at
    /// once.
    ///
    /// - Parameters:
    ///   - channels: `channelCount` pointers to `frameCount` samples each.
    ///   - frameCount: 0 or more.
    /// - Throws: `.diskFull`, `.closedPipe`, `.limitExceeded`, `.io`.
    ///
    /// Real-time safe: no (system calls).
    package func write(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
    ) throws(AudioFileError) {
        precondition(frameCount >= 0, "a negative number of frames")
        let error = lock.withLock { unsafe state.write(channels, frameCount: frameCount) }
        if let error { throw error }
    }

    /// Passes the buffered bytes on: to the reader of a pipe at once; in a regular file also with an updated header.
    ///
    /// A streaming recorder calls `flush` every 200 ms. Without `flush`, about 64 KiB are passed on at a time.
    /// - Throws: The errors of `write`.
    ///
    /// Real-time safe: no.
    package func flush() throws(AudioFileError) {
        if let error = lock.withLock({ state.handOn() }) { throw error }
    }

    /// Ends the file: sets the length in the header, and gives the file its final name. Further calls do nothing.
    ///
    /// - Throws: The first error that occurred, even if `write` has already thrown it.
    ///
    /// Real-time safe: no.
    package func finish() throws(AudioFileError) {
        if let error = lock.withLock({ state.finish() }) { throw error }
    }

    /// Removes the unfinished file at a path. Does nothing after `finish()`.
    ///
    /// Real-time safe: no.
    package func cancel() { lock.withLock { state.cancel() } }
}

/// The operations of a writer. Each call holds the lock. On release, `OutputFile` removes an unfinished file.
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
        // Buffer whole frames, about 64 KiB: few system calls, and small enough for the cache.
        let frames = max(1, (1 << 16) / header.frameBytes)
        unsafe buffer = .allocate(byteCount: max(frames * header.frameBytes, header.byteCount), alignment: 16)
        // The first samples carry a provisional header; finishing rewrites it if possible.
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
