// Gets a recording's waveform from the cache, or computes the waveform.
import Terminal
import Woodshed

/// A recording's waveform: immediately from the cache, otherwise computed on request.
final class WaveformSupply {
    let facts: RecordingFacts
    private let path: String
    private let cache: WaveformCache?
    private let lookup: WaveformCache.Lookup?
    private let maker: WaveformMaker?
    private var made: Waveform?

    /// Looks in the cache, and opens the recording if its waveform is missing there.
    init(path: String, usesCache: Bool, note: (String) -> Void = StandardStream.error.note) throws {
        self.path = path
        cache = usesCache ? WaveformCache() : nil
        lookup = cache?.lookup(path: path, tones: true)
        if let known = lookup?.waveform {
            (facts, maker) = (RecordingFacts(known, path: path), nil)
            return
        }
        let maker = try WaveformMaker(path: path)
        tellShortfall(maker.info, by: note)
        (facts, self.maker) = (RecordingFacts(maker.info, path: path), maker)
    }

    func waveform(draws: Bool) throws -> Waveform {
        if let waveform = lookup?.waveform ?? made { return waveform }
        guard let maker else { throw CommandFailure(.software, "\(path): has no waveform", remedy: "Try again.") }
        let waveform = try WaveformWork.waveform(maker, draws: draws)
        made = waveform
        return waveform
    }

    /// Stores a computed waveform in the cache. After a failure, the next run computes the waveform again.
    func keep() {
        if let made, let cache, let lookup { _ = cache.store(made, of: lookup, madeOf: maker?.info) }
    }
}
