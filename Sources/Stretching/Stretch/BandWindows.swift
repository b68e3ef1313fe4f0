internal import Samples

/// The windows of one band and their weights, for one of several window shapes: a stretcher with one band needs narrower
/// main lobes than one that processes the bass separately.
///
/// Real-time safe: all but `init`.
@safe
struct BandWindows: ~Copyable {
    private let analysisWindows: FloatStorage
    private let synthesisWindows: FloatStorage
    private let laterShares: FloatStorage
    private let fills: FloatStorage
    private let overlapShares: FloatStorage
    private let count: Int
    private var selected = 0

    /// - Parameter shapes: One or more, which differ only in the form of the window.
    init(_ shapes: [VocoderShape]) {
        count = shapes.count
        analysisWindows = FloatStorage(shapes.flatMap(\.analysis))
        synthesisWindows = FloatStorage(shapes.flatMap(\.synthesis))
        laterShares = FloatStorage(shapes.flatMap(\.later))
        fills = FloatStorage(shapes.flatMap(\.fill))
        overlapShares = FloatStorage(shapes.flatMap(\.shares))
    }

    /// Selects another shape, between two starts; an index past the end selects the last.
    mutating func select(_ index: Int) { selected = min(index, count - 1) }

    /// See ``VocoderShape``.
    var analysis: Floats { part(analysisWindows) }
    var synthesis: Floats { part(synthesisWindows) }
    var later: Floats { part(laterShares) }
    var fill: Floats { part(fills) }
    var shares: Floats { part(overlapShares) }

    @inline(__always)
    private func part(_ storage: borrowing FloatStorage) -> Floats {
        let length = storage.view.count / count
        return storage.view.part(from: selected * length, count: length)
    }
}
