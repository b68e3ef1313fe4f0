// A recording read through once, on as many processors as there are, for what it looks like.
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
        decoder = try openDecoder(path: path, jumps: false)
        info = decoder.info
        hasTones = tones
        // Where jumps are not exact, parts would depend on how they were reached.
        let isStraight = (decoder as? MPEGDecoder).map { !$0.jumpsAreExact } ?? false
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        self.threadCount = isStraight ? 1 : min(64, max(1, threadCount ?? processors))
    }

    /// Frames that are read, of `info.frameCount`.
    public var framesDone: Int64 { done.load(ordering: .relaxed) }

    /// Ends ``make()`` within a block's time, from any thread; it throws `.cancelled`.
    public func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Reads the recording and returns its waveform.
    ///
    /// - Throws: That the file changed or cannot be read any more, or that it was cancelled.
    public func make() throws(AudioFileError) -> Waveform {
        done.store(0, ordering: .relaxed)
        let board = PartBoard(info: info, tones: hasTones)
        var helpers: [PlainThread] = []
        while helpers.count + 1 < min(threadCount, board.partCount) {
            // With fewer threads it takes longer, and that is all.
            guard let decoder = try? decoder.another(),
                let thread = PlainThread(name: "waveform", { self.work(on: board, with: decoder) })
            else { break }
            helpers.append(thread)
        }
        work(on: board, with: decoder)
        for helper in helpers { helper.join() }
        return try board.result()
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
            try reader.read(frame..<end, into: &builder)
            frame = end
            done.store(frame, ordering: .relaxed)
        }
    }

    private func work(on board: PartBoard, with decoder: any FileDecoder) {
        let reader = BlockReader(decoder)
        while let part = board.nextPart() {
            do throws(AudioFileError) {
                board.take(try make(part, with: reader), as: part)
            } catch {
                board.fail(error)
            }
        }
    }

    private func make(_ part: Int, with reader: BlockReader) throws(AudioFileError) -> FinishedPart {
        var builder = WaveformBuilder(
            sampleRate: info.sampleRate, channelCount: info.channelCount, part: part, ofFrames: info.frameCount,
            tones: hasTones)
        while builder.position < builder.input.upperBound {
            if isCancelled.load(ordering: .relaxed) { throw .stopped(info.path) }
            let before = builder.position
            try reader.read(before..<min(builder.input.upperBound, before + reader.blockFrames), into: &builder)
            // What two parts read of each other counts once, so that all comes to the length.
            done.add(Int64((before..<builder.position).clamped(to: builder.part).count), ordering: .relaxed)
        }
        return FinishedPart(builder)
    }
}

/// A builder on its way from one thread to another.
private final class FinishedPart: @unchecked Sendable {
    private var builder: WaveformBuilder?

    init(_ builder: consuming WaveformBuilder) { self.builder = consume builder }

    func take() -> WaveformBuilder? { builder.take() }
}

/// What the threads share: which part is next, and the parts in their order.
private final class PartBoard: Sendable {
    let partCount: Int
    private let path: String

    private struct State: ~Copyable {
        var next = 0
        var whole: WaveformBuilder
        var taken = 0
        /// Parts that came before one in front of them.
        var waiting: [Int: FinishedPart] = [:]
        var error: AudioFileError?
    }
    private let state: Mutex<State>

    init(info: AudioFileInfo, tones: Bool) {
        path = info.path
        partCount = WaveformBuilder.partCount(frames: info.frameCount)
        state = Mutex(
            State(whole: WaveformBuilder(sampleRate: info.sampleRate, channelCount: info.channelCount, tones: tones)))
    }

    /// The next part to be made; nil when there is none, or one has failed.
    func nextPart() -> Int? {
        state.withLock { state in
            if state.error != nil || state.next == partCount { return nil }
            state.next += 1
            return state.next - 1
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
