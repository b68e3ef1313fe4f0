// A recording read through once, on as many processors as there are, for what it looks like.
public import AudioFiles
public import DSP
internal import Glibc
internal import Realtime
internal import Synchronization

/// Makes the waveform of a recording.
///
/// The recording is shared out in parts among threads with a decoder each; what they make of it is the same, byte for byte, for
/// any number of threads. Memory is bounded by the waveform and some hundred kilobytes a thread, however long the recording.
///
/// Real-time safe: no. Threads: any; one caller of ``make()`` at a time.
public final class WaveformMaker: Sendable {
    /// What the file is.
    public let info: AudioFileInfo

    private let decoder: any FileDecoder
    private let hasTones: Bool
    private let threadCount: Int
    private let done = Atomic<Int64>(0)
    private let isCancelled = Atomic<Bool>(false)

    /// Opens a recording by its content, whatever its name, and proves its length.
    ///
    /// - Parameters:
    ///   - path: A regular file.
    ///   - tones: Whether the colour of the sound is wanted, too.
    ///   - threadCount: How many threads work on it, 1 to 64; `nil` for one a processor.
    /// - Throws: Every reason why the file cannot be read.
    public init(path: String, tones: Bool = true, threadCount: Int? = nil) throws(AudioFileError) {
        decoder = try openDecoder(path: path)
        info = decoder.info
        hasTones = tones
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        self.threadCount = min(64, max(1, threadCount ?? processors))
    }

    /// Frames that are read, of `info.frameCount`.
    public var framesDone: Int64 { done.load(ordering: .relaxed) }

    /// Ends ``make()`` within a block's time, from any thread; it throws `.cancelled`.
    public func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        decoder.cancel()
    }

    /// Reads the recording and returns its waveform.
    ///
    /// - Throws: That the file changed or cannot be read any more, or that it was cancelled.
    public func make() throws(AudioFileError) -> Waveform {
        done.store(0, ordering: .relaxed)
        let results = PartResults(info: info, tones: hasTones, threadCount: threadCount)
        var helpers: [PlainThread] = []
        while helpers.count + 1 < min(threadCount, results.partCount) {
            // With fewer threads it takes longer, and that is all.
            guard let decoder = try? decoder.another(),
                let thread = PlainThread(name: "waveform", { self.work(on: results, with: decoder) })
            else { break }
            helpers.append(thread)
        }
        work(on: results, with: decoder)
        for helper in helpers { helper.join() }
        return try results.result()
    }

    /// Reads the recording from its first frame to its last into a builder of files for other programs, on this thread.
    ///
    /// - Throws: As ``make()``.
    public func feed(_ builder: inout PeakFileBuilder) throws(AudioFileError) {
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

    /// Makes parts that follow each other, reading every frame once though the parts reach into each other: going back even a
    /// little is dear in most codings.
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
                // What two threads read of each other's runs counts once, so that all comes to the length.
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

/// A builder on its way from one thread to another.
private final class FinishedPart: @unchecked Sendable {
    private var builder: WaveformBuilder?

    init(_ builder: consuming WaveformBuilder) { self.builder = consume builder }

    func take() -> WaveformBuilder? { builder.take() }
}

/// What the threads share: which part is next, and the parts in their order.
private final class PartResults: Sendable {
    let partCount: Int
    private let path: String
    private let threadCount: Int

    private struct State: ~Copyable {
        var next = 0
        var whole: WaveformBuilder
        var taken = 0
        /// Parts that came before one in front of them.
        var waiting: [Int: FinishedPart] = [:]
        var error: AudioFileError?
    }
    private let state: Mutex<State>

    /// Parts that one thread makes before it asks again, at most: the others' parts that wait for it are that many times as many.
    private static let longestRun = 8

    init(info: AudioFileInfo, tones: Bool, threadCount: Int) {
        path = info.path
        self.threadCount = threadCount
        partCount = WaveformBuilder.partCount(frames: info.frameCount)
        state = Mutex(
            State(whole: WaveformBuilder(sampleRate: info.sampleRate, channelCount: info.channelCount, tones: tones)))
    }

    /// The next parts to be made, the fewer the nearer the end is, so that no thread is left alone with many; nil when there
    /// are none, or one has failed. A single thread gets all at once, and never has to go back.
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
            // Of several the first is the cause.
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
            .cancelled, path: path, "\(path): its waveform was cancelled before it was whole",
            remedy: "Ask for it again; nothing is kept of a part.")
    }
}
