// Writes FLAC, Opus, Ogg Vorbis and MP3 block by block, with the same encoders as in converting takes.
internal import Realtime

/// Encodes planar samples into a file. The file appears under its name only when complete and checked: the writer opens
/// it and compares its length with the input.
///
/// A FLAC file has the same samples as a WAV file of the same number of bits, including the dither. Calls are
/// serialised.
@safe
final class EncodedFileWriter: SoundWriter, @unchecked Sendable {
    // Unchecked because of the state; the lock guards the state.
    private let lock = ConditionLock()
    private var state: State

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - format: Any format with a number from `soundFileFormat`: all except `.m4a`.
    ///   - samples: 16 or 24 bits for a lossless format, otherwise nil.
    init(
        path: String, format: ExportFormat, samples: WaveSampleFormat?, sampleRate: Int, channelCount: Int
    ) throws(AudioFileError) {
        state = try State(
            OutputFile(path: path), format, samples, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// Writes to an output file created by the caller.
    init(
        _ output: OutputFile, format: ExportFormat, samples: WaveSampleFormat?, sampleRate: Int, channelCount: Int
    ) throws(AudioFileError) {
        state = try State(output, format, samples, sampleRate: sampleRate, channelCount: channelCount)
    }

    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError) {
        precondition(frameCount >= 0, "a negative number of frames")
        if let error = lock.withLock({ unsafe state.write(channels, frameCount: frameCount) }) { throw error }
    }

    func finish() throws(AudioFileError) {
        if let error = lock.withLock({ state.finish() }) { throw error }
    }

    func cancel() { lock.withLock { state.cancel() } }
}

/// The operations of a writer. Each call holds the lock.
@safe
private struct State: ~Copyable {
    /// Number of frames encoded at once.
    private static let capacity = 4096

    private let output: OutputFile
    private let sampleRate: Int
    private let channelCount: Int
    private var encoder: SoundFileEncoder?
    private var stored: StoredSamples?
    /// Samples in planar form, as the encoder expects them, and pointers to each channel.
    private let samples: UnsafeMutablePointer<Float>
    private let places: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private var frameCount: Int64 = 0
    private var failure: AudioFileError?

    init(
        _ output: OutputFile, _ format: ExportFormat, _ samples: WaveSampleFormat?, sampleRate: Int, channelCount: Int
    ) throws(AudioFileError) {
        guard output.canRewrite else {
            throw AudioFileError(
                .invalidRequest, path: output.path, "\(output.path): only WAV can be written to a pipe or a device",
                remedy: "Give the name of a file, or write WAV and encode the WAV data.")
        }
        guard let code = format.soundFileFormat(isSixteenBit: samples == .int16) else {
            preconditionFailure("a format that is made by a program")
        }
        let bits =
            switch samples {
            case .int16: 16
            case .int24: 24
            case .int32, .float32, nil: 0
            }
        encoder = try SoundFileEncoder(
            output.duplicate(), path: output.path, format: code, integerBits: bits, sampleRate: sampleRate,
            channelCount: channelCount, reservedComment: nil, frameCapacity: Self.capacity)
        stored = samples.map { StoredSamples($0) }
        (self.output, self.sampleRate, self.channelCount) = (output, sampleRate, channelCount)
        unsafe self.samples = .allocate(capacity: Self.capacity * channelCount)
        unsafe places = .allocate(capacity: channelCount)
        for channel in 0..<channelCount { unsafe places[channel] = unsafe self.samples + channel * Self.capacity }
    }

    deinit {
        unsafe samples.deallocate()
        unsafe places.deallocate()
    }

    mutating func write(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount count: Int
    ) -> AudioFileError? {
        guard let encoder else { return failure }
        var done = 0
        while done < count {
            let frames = min(Self.capacity, count - done)
            for channel in 0..<channelCount {
                let (source, target) = unsafe (channels[channel] + done, places[channel])
                unsafe target.update(from: source, count: frames)
                if stored == nil { unsafe Self.tame(target, frames) }
            }
            unsafe stored?.store(places, channelCount: channelCount, frameCount: frames)
            do throws(AudioFileError) {
                try unsafe encoder.write(samples, stride: Self.capacity, count: frames)
            } catch {
                return fail(error)
            }
            done += frames
            frameCount += Int64(frames)
        }
        return nil
    }

    /// Replaces NaN by zero and limits values to ±16. Lossy encoders compute with every value, and NaN and infinity can
    /// crash them.
    private static func tame(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
        for frame in 0..<count {
            unsafe samples[frame] = unsafe samples[frame].isNaN ? 0 : max(-16, min(16, samples[frame]))
        }
    }

    mutating func finish() -> AudioFileError? {
        guard let encoder else { return failure }
        do throws(AudioFileError) {
            try encoder.finish()
            if frameCount > 0 { try check() }
            try output.commit()
            self.encoder = nil
            return nil
        } catch {
            return fail(error)
        }
    }

    /// Throws if the length of the encoded file differs from the length of the input.
    private func check() throws(AudioFileError) {
        let found = try output.encodedFrames(channelCount: channelCount, sampleRate: sampleRate)
        if found != frameCount {
            throw .badEncoding(output.path, "has \(found) frames instead of \(frameCount)")
        }
    }

    mutating func cancel() {
        if encoder != nil { output.discard() }
        encoder = nil
    }

    /// Stores the first failure, and ends writing.
    private mutating func fail(_ error: AudioFileError) -> AudioFileError {
        failure = error
        encoder = nil
        output.discard()
        return error
    }
}
