// Reads a whole recording once, on all processors, to make its waveform.
public import AudioFiles
public import DSP
internal import Glibc
internal import Realtime
internal import Synchronization

/// Makes the waveform of a recording.
///
/// The maker distributes the parts of the recording to threads with a decoder each. The result is the same, byte for
/// byte, for any number of threads. Memory is bounded by the waveform and some hundred kilobytes per thread, for any
/// length of recording.
///
/// Real-time safe: no. Threads: any; one caller of ``make()`` at a time.
public final class WaveformMaker: Sendable {
    /// The file's format and length.
    public let info: AudioFileInfo

    private let decoder: any FileDecoder
    private let hasTones: Bool
    private let threadCount: Int
    private let done = Atomic<Int64>(0)
    private let isCancelled = Atomic<Bool>(false)

    /// Opens a recording by its content, whatever its name, and verifies its length.
    ///
    /// - Parameters:
    ///   - path: A regular file.
    ///   - tones: True to compute the colour of the sound, too.
    ///   - threadCount: The number of threads, 1 to 64; `nil` for one per processor.
    /// - Throws: An error if the file cannot be read, for any reason.
    public init(path: String, tones: Bool = true, threadCount: Int? = nil) throws(AudioFileError) {
        decoder = try openDecoder(path: path)
        info = decoder.info
        hasTones = tones
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        self.threadCount = min(64, max(1, threadCount ?? processors))
    }

    /// The number of frames read, of `info.frameCount`.
    public var framesDone: Int64 { done.load(ordering: .relaxed) }

    /// Ends ``make()`` within a block's time, from any thread; ``make()`` throws `.cancelled`.
    public func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        decoder.cancel()
    }

    /// Reads the recording and returns its waveform.
    ///
    /// - Throws: An error if the file changed, cannot be read any more, or ``cancel()`` was called.
    public func make() throws(AudioFileError) -> Waveform {
        done.store(0, ordering: .relaxed)
        let results = PartResults(info: info, tones: hasTones, threadCount: threadCount)
        var helpers: [PlainThread] = []
        while helpers.count + 1 < min(threadCount, results.partCount) {
            // Without this decoder there are fewer threads; the only effect is a longer time.
            guard let decoder = try? decoder.another(),
                let thread = PlainThread(name: "waveform", { self.work(on: results, with: decoder) })
            else { break }
            helpers.append(thread)
        }
        work(on: results, with: decoder)
        for helper in helpers { helper.join() }
        return try results.result()
    }

    /// Reads the whole recording, on this thread, into a builder of peak files for other programs.
    ///
    /// - Throws: As ``make()``.
    package func feed(_ builder: inout PeakFileBuilder) throws(AudioFileError) {
        done.store(0, ordering: .relaxed)
        let reader = BlockReader(decoder)
        var frame: Int64 = 0
        while frame < info.frameCount {
            if isCancelled.load(ordering: .relaxed) { throw .stopped(info.path) }
            let end = min(info.frameCount, frame + reader.blockFrames)
            try reader.load(frame..<end)
            builder.take(from: reader)
            frame = end
            done.store(frame, ordering: .relaxed)
        }
    }

    private func work(on results: PartResults, with decoder: any FileDecoder) {
        let reader = BlockReader(decoder)
        while let run = results.nextRun() {
            do throws(AudioFileError) {
                try make(run, with: reader, for: results)
            } catch {
                results.fail(error)
            }
        }
    }

    /// Makes consecutive parts. Each frame is read once, although the parts overlap, because seeking back even a little
    /// is expensive in most codecs.
    private func make(_ run: Range<Int>, with reader: BlockReader, for results: PartResults) throws(AudioFileError) {
        let partFrames = WaveformBuilder.partFrames
        let wanted = Int64(run.lowerBound) * partFrames..<Int64(run.upperBound) * partFrames
        var builder = builder(of: run.lowerBound)
        for part in run {
            var next = part + 1 < run.upperBound ? self.builder(of: part + 1) : nil
            while builder.position < builder.input.upperBound {
                if isCancelled.load(ordering: .relaxed) { throw .stopped(info.path) }
                let start = builder.position
                var end = min(builder.input.upperBound, start + reader.blockFrames)
                if let shared = next?.input.lowerBound, start < shared { end = min(end, shared) }
                try reader.load(start..<end)
                builder.take(from: reader)
                if start == next?.position { next?.take(from: reader) }
                // Frames read by two threads count once, so the sum equals the length.
                done.add(Int64((start..<end).clamped(to: wanted).count), ordering: .relaxed)
            }
            results.take(FinishedPart(builder), as: part)
            guard let following = next.take() else { return }
            builder = following
        }
    }

    private func builder(of part: Int) -> WaveformBuilder {
        WaveformBuilder(
            sampleRate: info.sampleRate, channelCount: info.channelCount, part: part, ofFrames: info.frameCount,
            tones: hasTones)
    }
}

/// A builder passed from one thread to another.
private final class FinishedPart: @unchecked Sendable {
    private var builder: WaveformBuilder?

    init(_ builder: consuming WaveformBuilder) { self.builder = consume builder }

    func take() -> WaveformBuilder? { builder.take() }
}

/// The state shared by the threads: the next part, and the finished parts in order.
private final class PartResults: Sendable {
    let partCount: Int
    private let path: String
    private let threadCount: Int

    private struct State: ~Copyable {
        var next = 0
        var whole: WaveformBuilder
        var taken = 0
        /// Finished parts waiting for an earlier part.
        var waiting: [Int: FinishedPart] = [:]
        var error: AudioFileError?
    }
    private let state: Mutex<State>

    /// The most parts taken by a thread at once; the number of waiting parts of other threads grows in proportion.
    private static let longestRun = 8

    init(info: AudioFileInfo, tones: Bool, threadCount: Int) {
        path = info.path
        self.threadCount = threadCount
        partCount = WaveformBuilder.partCount(frames: info.frameCount)
        state = Mutex(
            State(whole: WaveformBuilder(sampleRate: info.sampleRate, channelCount: info.channelCount, tones: tones)))
    }

    /// Returns the next parts to make; nil if none are left, or a part has failed. Runs get shorter towards the end, so
    /// no thread has many left when the other threads are done. A single thread gets all parts at once, and never has
    /// to seek back.
    func nextRun() -> Range<Int>? {
        state.withLock { state in
            let left = partCount - state.next
            if state.error != nil || left == 0 { return nil }
            let count = threadCount == 1 ? left : min(Self.longestRun, max(1, left / (2 * threadCount)))
            state.next += count
            return state.next - count..<state.next
        }
    }

    func take(_ part: FinishedPart, as index: Int) {
        state.withLock { state in
            state.waiting[index] = part
            while let builder = state.waiting.removeValue(forKey: state.taken)?.take() {
                state.whole.append(builder)
                state.taken += 1
            }
        }
    }

    func fail(_ error: AudioFileError) {
        state.withLock { state in
            // The first error is the cause of the later errors.
            if state.error == nil { state.error = error }
        }
    }

    func result() throws(AudioFileError) -> Waveform {
        let result: Result<Waveform, AudioFileError> = state.withLock { state in
            state.error.map { .failure($0) } ?? .success(state.whole.waveform())
        }
        return try result.get()
    }
}

extension AudioFileError {
    fileprivate static func stopped(_ path: String) -> AudioFileError {
        AudioFileError(
            .cancelled, path: path, "\(path): the waveform was cancelled before it was complete",
            remedy: "Make the waveform again; no incomplete waveform is kept.")
    }
}
