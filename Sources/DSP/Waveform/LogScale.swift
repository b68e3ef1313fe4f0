internal import Glibc

/// Which of 256 equal steps of a logarithmic scale a value is nearest to: what `round(log(value))` says, in a tenth of its time.
struct LogScale {
    /// Steps of a doubling.
    private let stepsPerOctave: Double
    /// The step of 1, which need not be a whole one.
    private let stepOfOne: Double
    /// The least value of each step.
    private let edges: [Double]

    init(stepsPerOctave: Double, stepOfOne: Double) {
        (self.stepsPerOctave, self.stepOfOne) = (stepsPerOctave, stepOfOne)
        edges = (0..<256).map { exp2((Double($0) - 0.5 - stepOfOne) / stepsPerOctave) }
    }

    /// The step of a value above 0; the first or the last one for what lies beyond.
    func step(_ value: Double) -> UInt8 {
        // A number's bits are its logarithm with straight lines from power to power of two, at most .09 octaves below it and never
        // above: what it lies on is at most a few steps too low.
        let octaves = Double(Int64(bitPattern: value.bitPattern)) * 0x1p-52 - 1023
        var step = Int(min(255, max(0, octaves * stepsPerOctave + stepOfOne)))
        while step < 255 && value >= edges[step + 1] { step += 1 }
        return UInt8(step)
    }
}
