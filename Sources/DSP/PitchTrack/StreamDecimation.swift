internal import Samples
internal import Transforms

/// Decimates a recording which arrives in blocks: a low-pass filter, then every `factor`th sample.
///
/// Sample `m` stands at source frame `m × factor`; the filter is symmetric, so no delay arises. The block size does not
/// change the samples. Used samples can be dropped, so memory stays bounded. NaN, infinite samples and samples beyond
/// ±2^20 become silence here. Outside the recording there is silence.
///
/// Real-time safe: no.
struct StreamDecimation: ~Copyable {
    /// Source frames for each sample.
    let factor: Int
    /// Samples a second, in Hz.
    let rate: Double
    /// The samples kept, from number ``first`` on.
    private(set) var samples: [Float] = []
    /// The number of the first kept sample.
    private(set) var first = 0
    /// Source frames so far.
    private(set) var frameCount: Int64 = 0

    private let filter: [Float]
    private let half: Int
    /// Source frames from `first + samples.count` times `factor`, less `half`, on.
    private var pending: [Float]

    /// Frames that an owner appends at once, from a block of any size: a block as long as a recording would need
    /// several times the recording's memory.
    static let pieceFrames = 65_536

    /// Number of the next sample.
    var end: Int { first + samples.count }

    /// - Parameters:
    ///   - sampleRate: 8000 to 768000 Hz.
    ///   - lowestRate: The rate stays at or above this, in Hz, unless the source has less.
    ///   - highest: Frequencies up to this value pass, in Hz; frequencies which would fold onto the passband are down
    ///     by 60 dB.
    init(sampleRate: Int, lowestRate: Double, highest: Double) {
        factor = max(1, Int(Double(sampleRate) / lowestRate))
        rate = Double(sampleRate) / Double(factor)
        // The transition band reaches from the highest frequency to the lowest frequency which folds onto the passband.
        let stop = min(rate - highest, 1.5 * highest)
        if stop > highest, highest < 0.45 * Double(sampleRate) {
            let width = (stop - highest) / Double(sampleRate)
            // Kaiser's estimate of the length for 60 dB.
            half = Int(0.5 * 52 / (2.285 * 2 * .pi * width)) + 1
            filter = Self.lowPass(half: half, cutoff: 0.5 * (stop + highest) / Double(sampleRate))
        } else {
            half = 0
            filter = [1]
        }
        pending = [Float](repeating: 0, count: half)
    }

    /// Appends the next frames of the recording.
    mutating func append(_ source: Span<Float>) {
        frameCount += Int64(source.count)
        pending.reserveCapacity(pending.count + source.count)
        for index in source.indices { pending.append(abs(source[index]) <= Float(1 << 20) ? source[index] : 0) }
        take()
    }

    /// Adds silence until sample `last` is known.
    mutating func extend(through last: Int) {
        while end <= last {
            pending += [Float](repeating: 0, count: max(1, (last + 1 - end) * factor + 2 * half + 1 - pending.count))
            take()
        }
    }

    /// Drops the samples before number `begin`.
    mutating func drop(before begin: Int) {
        // Moving the rest costs time, so samples are dropped seldom.
        guard begin - first > max(8192, samples.count / 2) else { return }
        let count = min(begin - first, samples.count)
        samples.removeFirst(count)
        first += count
    }

    private mutating func take() {
        guard pending.count >= filter.count else { return }
        let count = (pending.count - filter.count) / factor + 1
        samples += pending.decimated(from: 0, by: factor, filter: filter, count: count)
        pending.removeFirst(min(pending.count, count * factor))
    }

    private static func lowPass(half: Int, cutoff: Double) -> [Float] {
        let window = KaiserWindow.values(count: 2 * half + 1, beta: 5.65)
        let taps = window.indices.map { index in
            let place = Double(index - half)
            return window[index] * (place == 0 ? 2 * cutoff : sine(2 * .pi * cutoff * place) / (.pi * place))
        }
        let sum = taps.reduce(0, +)
        return taps.map { Float($0 / sum) }
    }
}
