internal import Samples

/// The windows of one band for the render thread, in one form or in two: a stretcher with one band needs narrower main
/// lobes than a stretcher that processes the bass separately. All stretchers of a rate read the same memory.
///
/// Real-time safe: creation no, reading the memory yes.
final class WindowForms: Sendable {
    /// At least one shape; the shapes differ only in the form of the window.
    let shapes: [VocoderShape]
    fileprivate let analysis: FloatStorage
    fileprivate let synthesis: FloatStorage
    fileprivate let later: FloatStorage
    fileprivate let fill: FloatStorage
    fileprivate let shares: FloatStorage
    fileprivate let curvatures: FloatStorage

    init(_ shapes: [VocoderShape]) {
        self.shapes = shapes
        analysis = FloatStorage(shapes.flatMap(\.analysis))
        synthesis = FloatStorage(shapes.flatMap(\.synthesis))
        later = FloatStorage(shapes.flatMap(\.later))
        fill = FloatStorage(shapes.flatMap(\.fill))
        shares = FloatStorage(shapes.flatMap(\.shares))
        curvatures = FloatStorage(shapes.map(\.curvature))
    }
}

/// The windows of one band and their weights, in the selected form.
///
/// Must not outlive the forms. Real-time safe: all but `init`.
@safe
struct BandWindows: ~Copyable {
    // Views, because the render thread must not count references.
    private let analysisWindows: Floats
    private let synthesisWindows: Floats
    private let laterShares: Floats
    private let fills: Floats
    private let overlapShares: Floats
    private let curvatures: Floats
    private let count: Int
    private var selected = 0

    init(_ forms: WindowForms) {
        count = forms.shapes.count
        analysisWindows = forms.analysis.view
        synthesisWindows = forms.synthesis.view
        laterShares = forms.later.view
        fills = forms.fill.view
        overlapShares = forms.shares.view
        curvatures = forms.curvatures.view
    }

    /// Selects another shape, between two starts; an index past the end selects the last.
    mutating func select(_ index: Int) { selected = min(index, count - 1) }

    /// See ``VocoderShape``.
    var analysis: Floats { part(analysisWindows) }
    var synthesis: Floats { part(synthesisWindows) }
    var later: Floats { part(laterShares) }
    var fill: Floats { part(fills) }
    var shares: Floats { part(overlapShares) }
    var curvature: Float { curvatures[selected] }

    @inline(__always)
    private func part(_ whole: Floats) -> Floats {
        let length = whole.count / count
        return whole.part(from: selected * length, count: length)
    }
}
