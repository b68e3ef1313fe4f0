// A recording, readable from any frame: the centre of this module.
public import AudioFiles
package import Realtime

/// A recording, decoded in pages around its play positions, at one sample rate.
///
/// A page still to be decoded is silence for a render thread, which never waits. Several players may play the same
/// clip. Frames count from 0 at the clip's rate, which may differ from the file's:
///
///     let clip = try Clip(path: "take5.flac", sampleRate: 48_000)
///     let bridge = clip.frame(forFileFrame: 3_528_000)..<clip.frame(forFileFrame: 4_410_000)
///
/// Threads: any. Real-time safe: no, except for the constants ``sampleRate``, ``channelCount`` and ``frameCount``.
public final class Clip: Sendable {
    /// The description of the file, with its own rate and number of frames.
    public let info: AudioFileInfo
    /// Frames per second of everything read from this clip, in Hz.
    public let sampleRate: Int
    /// Channels, 1...64.
    public let channelCount: Int
    /// Frames at `sampleRate`: the file's frames times the ratio of the rates, rounded to the nearest.
    public let frameCount: Int64

    private let core: ClipCore
    private let thread: PlainThread?
    private let ratio: RateRatio

    /// Opens a recording by its content, whatever its name.
    ///
    /// Returns after the length is verified and decoding of the first pages has begun. Formats supported only by the
    /// `ffmpeg` program are decoded completely before this returns.
    ///
    /// - Parameters:
    ///   - path: a regular file.
    ///   - sampleRate: the rate to read at, 1...768000 Hz; nil for the file's own.
    ///   - memoryBudget: bytes for decoded pages; the clip keeps at least sixteen pages in any case.
    /// - Throws: the reason why the file cannot be played.
    ///
    /// Real-time safe: no.
    public convenience init(
        path: String, sampleRate: Int? = nil, memoryBudget: Int = 64 << 20
    ) throws(AudioFileError) {
        if let sampleRate, !FileLimits.sampleRates.contains(sampleRate) { throw .invalidRate(path, sampleRate) }
        try self.init(openDecoder(path: path), sampleRate: sampleRate, memoryBudget: memoryBudget)
    }

    /// Reads the output of a decoder, on the clip's own thread; `sampleRate` nil means the decoder's own rate.
    package init(
        _ decoder: any AudioDecoder, sampleRate: Int? = nil, memoryBudget: Int
    ) throws(AudioFileError) {
        info = decoder.info
        channelCount = info.channelCount
        self.sampleRate = sampleRate ?? info.sampleRate
        ratio = RateRatio(sourceRate: info.sampleRate, outputRate: self.sampleRate)
        frameCount = max(1, ratio.outputFrame(nearest: info.frameCount))
        if frameCount > FileLimits.maximumFrameCount { throw .tooLong(info.path) }
        let geometry = PageGeometry(channelCount: channelCount, frameCount: frameCount)
        let maker = try PageMaker(decoder, geometry: geometry, sampleRate: self.sampleRate)
        guard let store = PublishedStore(count: geometry.pageCount) else { throw .tooLong(info.path) }
        let core = ClipCore(
            maker, store: store, sampleRate: self.sampleRate, memoryBudget: memoryBudget, path: info.path)
        guard let thread = PlainThread(name: "clip-decode", { core.run() }) else { throw .noThread(info.path) }
        self.core = core
        self.thread = thread
    }

    deinit {
        core.stop()
        thread?.join()
    }

    // MARK: - Positions

    /// Returns the frame of this clip nearest to a frame of the file; halves go up.
    ///
    /// - Parameter fileFrame: a frame beyond ±2^42 counts as ±2^42.
    public func frame(forFileFrame fileFrame: Int64) -> Int64 { ratio.outputFrame(nearest: fileFrame) }

    /// Returns the frame of the file nearest to a frame of this clip; halves go up.
    ///
    /// - Parameter frame: a frame beyond ±2^42 counts as ±2^42.
    public func fileFrame(forFrame frame: Int64) -> Int64 { ratio.sourceFrame(nearest: frame) }

    // MARK: - Readers

    /// Makes a reader for one render thread; return the reader with `release(_:)`.
    ///
    /// - Parameter waitsForPages: true for a thread under a virtual clock: reads then wait for missing pages. Such a
    ///   reader is not real-time safe, and must not be used on a render thread.
    ///
    /// Real-time safe: no (allocates, locks).
    package func makeReader(waitsForPages: Bool = false) -> ClipReader {
        makeReader(waitsForPages: waitsForPages, epoch: ReadEpoch())
    }

    /// Makes a reader whose epoch is shared with other readers of the same thread. While the reader waits for a page,
    /// it holds no pages of the other readers either.
    package func makeReader(waitsForPages: Bool, epoch: ReadEpoch) -> ClipReader {
        core.makeReader(waitsForPages: waitsForPages, epoch: epoch)
    }

    /// Frames of one page, the clip's unit of decoding.
    package var pageFrames: Int { core.geometry.pageFrames }

    /// Releases a reader: no thread may use the reader, or a copy of the reader, any more.
    ///
    /// Real-time safe: no (frees, locks).
    package func release(_ reader: ClipReader) { core.release(reader) }

    // MARK: - Loading

    /// Requests loading of ranges, and keeps the ranges for a reader until the reader is released; replaces its earlier
    /// request.
    ///
    /// The ranges of the readers' hints and of waiting callers come first; then the most urgent range of each reader,
    /// in turn. Ranges beyond the memory budget are left out.
    ///
    /// Real-time safe: no (locks).
    package func request(_ wanted: ClipDemand, for reader: ClipReader) {
        core.request(wanted.ranges.map(core.geometry.pages(of:)), for: reader)
    }

    /// Waits until the ranges are loaded; frames outside the clip count as loaded.
    ///
    /// The decode thread then reads ahead of the first range, so a caller that advances block by block rarely waits.
    ///
    /// - Parameter ranges: frames, together at most half of the memory budget.
    /// - Throws: the reason why a page cannot be decoded (the file was changed, the disk failed), after several
    ///   attempts in three quarters of a second; or an error if the ranges are too long.
    ///
    /// Real-time safe: no (waits).
    package func waitUntilLoaded(_ ranges: [Range<Int64>]) throws(AudioFileError) {
        try core.waitUntilLoaded(ranges.map(core.geometry.pages(of:)))
    }

    /// Waits for a reader until the ranges are loaded; throws also after ``endWaits(of:)``.
    package func waitUntilLoaded(_ ranges: [Range<Int64>], for reader: ClipReader) throws(AudioFileError) {
        try core.waitUntilLoaded(ranges.map(core.geometry.pages(of:)), for: reader)
    }

    /// Ends every wait of a reader, now and later. The reader then reads missing pages as silence, and its output must
    /// not be played.
    package func endWaits(of reader: ClipReader) { core.endWaits(of: reader) }

    /// The reason why decoding failed; nil without an error, and again after a successful retry.
    ///
    /// A failed page is silent, and the clip retries; `failure` reports the error only after three quarters of a
    /// second. While the page is wanted, the clip then retries every two seconds.
    ///
    /// Real-time safe: no (locks).
    public var failure: AudioFileError? { core.failure }
}

/// Ranges of a clip to load, most urgent first.
package struct ClipDemand: Sendable, Equatable {
    /// Frames at the clip's rate; parts outside the clip are ignored.
    package var ranges: [Range<Int64>]

    /// Makes a demand for these ranges, most urgent first.
    package init(_ ranges: [Range<Int64>]) { self.ranges = ranges }
}

extension AudioFileError {
    static func invalidRate(_ path: String, _ rate: Int) -> AudioFileError {
        AudioFileError(
            .invalidRequest, path: path, "\(path): cannot be played at \(rate) Hz",
            remedy: "Ask for a sample rate from 1 to 768000 Hz.")
    }
}

extension Clip {
    /// Loads every page; only for a memory budget which holds all pages.
    func loadAll() throws(AudioFileError) {
        // In runs, because the wait looks through all its pages before each page.
        let count = core.geometry.pageCount
        for first in stride(from: 0, to: count, by: 64) {
            try core.waitUntilLoaded([first..<min(first + 64, count)])
        }
    }
}
