import Glibc
internal import Samples
internal import Transforms

/// The windowed sinc for the interpolation in ``PitchInterpolator``: one half of the sinc, finely sampled.
///
/// A Kaiser window of beta 10.06 over 24 zero crossings per side. Beyond the transition, 0.068 of the rate to either
/// side of the cutoff, the response is 100 dB down. Linear interpolation between the table's values has an error of at
/// most (π²/3) / 8 / 512², 1.6e-6 or −116 dB. Kaiser, "Nonrecursive digital filter design using the I0-sinh window
/// function" (1974), for the window; Smith and Gossett, "A flexible sampling-rate conversion method" (1984), for one
/// table that serves every cutoff, read at a different pace.
struct SincTable: ~Copyable, Sendable {
    /// The table shared by all interpolators: computing the table takes longer than a player may take to start.
    static let shared = SincTable()

    /// Zero crossings on each side.
    static let crossings = 24
    /// Values from one zero crossing to the next.
    static let steps = 512
    /// The shape of the window, by Kaiser's formula for 100 dB.
    static let beta = 10.06

    /// Value `k` belongs to a distance of `k / steps` crossings. Zeros follow the last crossing, as many as a reader
    /// may overrun: a kernel filled up to a multiple of four taps, and one tap more.
    let values: FloatStorage

    /// Allocates and computes the table. Real-time safe: no.
    private init() {
        let count = SincTable.crossings * SincTable.steps
        let peak = KaiserWindow.besselI0(SincTable.beta)
        var table = [Float](repeating: 0, count: count + SincTable.steps * 6)
        table[0] = 1
        // The crossings stay exactly 0, so that a signal read at whole samples passes bit for bit.
        for index in 1..<count where index % SincTable.steps != 0 {
            let distance = Double(index) / Double(SincTable.steps)
            let edge = distance / Double(SincTable.crossings)
            let window = KaiserWindow.besselI0(SincTable.beta * (1 - edge * edge).squareRoot()) / peak
            table[index] = Float(sin(.pi * distance) / (.pi * distance) * window)
        }
        values = FloatStorage(table)
    }
}
