// The curves of docs/metering.md, measured on the meters themselves.
@_spi(Benchmarks) import DSP
import Glibc
import SoundMeasures

enum Plots {
    /// Draws all plots.
    static func write(to folder: String) throws {
        for (name, plot) in [
            ("weighting", weighting()), ("true-peak", truePeak()), ("bursts", bursts()), ("needles", needles()),
        ] {
            let path = "\(folder)/meter-\(name).svg"
            guard let file = unsafe fopen(path, "w") else { throw PlotError(path: path) }
            defer { unsafe fclose(file) }
            unsafe fputs(plot.svg, file)
        }
    }

    private struct PlotError: Error { let path: String }

    /// `count` values between two limits, evenly in their logarithms.
    private static func steps(_ low: Double, _ high: Double, _ count: Int) -> [Double] {
        (0...count).map { low * pow(high / low, Double($0) / Double(count)) }
    }

    private static func sine(_ hertz: Double, rate: Int, seconds: Double) -> [Float] {
        (0..<Int(seconds * Double(rate))).map { Float(sin(2 * .pi * hertz * Double($0) / Double(rate))) }
    }

    private static func weighting() -> Plot {
        var plot = Plot(
            "K-weighting",
            across: Axis(
                title: "Hz", range: 10...20_000, ticks: [10, 30, 100, 300, 1000, 3000, 10_000], isLogarithmic: true),
            up: Axis(title: "dB", range: -25...10, ticks: [-25, -20, -15, -10, -5, 0, 5, 10]))
        for rate in [48_000, 8000] {
            let weighting = KWeighting(sampleRate: rate)
            let curve = steps(10, min(20_000, Double(rate) * 0.499), 80)
            plot.add("\(rate) Hz", curve.map { ($0, 20 * log10(weighting.gain(atHertz: $0))) })
        }
        return plot
    }

    /// The lowest and the highest reading of a full-scale tone at any phase.
    private static func truePeak() -> Plot {
        var plot = Plot(
            "True peak: readings of a full-scale tone at any phase",
            across: Axis(title: "frequency / rate", range: 0...0.5, ticks: [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
            up: Axis(title: "dB", range: -0.8...0.1, ticks: [-0.8, -0.6, -0.4, -0.2, 0]), namesCurvesBelow: true)
        let frequencies = (1...49).map { 0.01 * Double($0) }
        var (low, high): ([(Double, Double)], [(Double, Double)]) = ([], [])
        for frequency in frequencies {
            let readings = stride(from: 0.0, to: 180, by: 5).map { degrees in
                Sound(
                    "tone",
                    [TestSignals.fadedSine(cyclesPerFrame: frequency, amplitude: 1, degrees: degrees, frameCount: 500)],
                    sampleRate: 48_000
                ).truePeak()
            }
            low.append((frequency, readings.min() ?? 0))
            high.append((frequency, readings.max() ?? 0))
        }
        plot.add("lowest", low)
        plot.add("highest", high)
        for (name, steps) in [("the worst of 8 steps a frame", 8.0), ("the worst of 4 steps", 4)] {
            plot.add(name, frequencies.map { ($0, 20 * log10(cos(.pi * $0 / steps))) })
        }
        return plot
    }

    /// PPM readings of bursts, with the tolerances of IEC 60268-10.
    private static func bursts() -> Plot {
        var plot = Plot(
            "PPM: bursts of 5 kHz, with the tolerances of IEC 60268-10",
            across: Axis(
                title: "ms", range: 0.2...200, ticks: [0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200], isLogarithmic: true),
            up: Axis(title: "dB", range: -25...5, ticks: [-25, -20, -15, -10, -5, 0]))
        let types: [(String, PeakProgrammeMeter.Ballistics, [(Double, Double, Double)])] = [
            ("type I", .typeI, [(10, -1, 0.5), (5, -2, 1), (3, -4, 1), (0.4, -15, 4)]),
            ("type IIa", .typeIIa, [(100, 0, 0.5), (10, -2.5, 0.5), (5, -4, 0.75), (1.5, -9, 1), (0.5, -17, 2)]),
        ]
        for (name, ballistics, table) in types {
            let curve = steps(0.2, 200, 60).map { milliseconds -> (Double, Double) in
                let sound = Sound(
                    "burst", [sine(5000, rate: 192_000, seconds: milliseconds / 1000)], sampleRate: 192_000)
                var meter = PeakProgrammeMeter(ballistics, channelCount: 1, sampleRate: 192_000)
                unsafe sound.inBlocks { unsafe meter.process($0, frameCount: $1) }
                return (milliseconds, meter.maximumDecibels)
            }
            plot.add(name, curve)
            for (place, decibels, tolerance) in table {
                plot.add(tolerance: decibels - tolerance...decibels + tolerance, at: place)
            }
        }
        return plot
    }

    /// Each meter's reading of half a second of tone.
    private static func needles() -> Plot {
        let rate = 48_000
        var plot = Plot(
            "Half a second of a full-scale tone, and what follows",
            across: Axis(title: "s", range: 0...3, ticks: [0, 0.5, 1, 1.5, 2, 2.5, 3]),
            up: Axis(title: "dB", range: -40...2, ticks: [-40, -30, -20, -10, 0]))
        let tone = sine(997, rate: rate, seconds: 0.5) + [Float](repeating: 0, count: rate * 5 / 2)
        let sound = Sound("tone", [tone], sampleRate: rate)
        var (typeI, typeIIa) = (
            PeakProgrammeMeter(.typeI, channelCount: 1, sampleRate: rate),
            PeakProgrammeMeter(.typeIIa, channelCount: 1, sampleRate: rate)
        )
        var volume = VolumeUnitMeter(channelCount: 1, sampleRate: rate)
        var loudness = LoudnessMeter(.init(sampleRate: rate, channelCount: 1))
        var curves = [[(Double, Double)]](repeating: [], count: 4)
        var time = 0.0
        unsafe sound.inBlocks(of: rate / 100) {
            unsafe typeI.process($0, frameCount: $1)
            unsafe typeIIa.process($0, frameCount: $1)
            unsafe volume.process($0, frameCount: $1)
            unsafe loudness.process($0, frameCount: $1)
            time += 0.01
            // A single channel at full scale has -3.01 LUFS.
            let values = [
                typeI.decibels(channel: 0), typeIIa.decibels(channel: 0), volume.decibels(channel: 0),
                loudness.momentary + 3.01,
            ]
            for index in values.indices where values[index] > -45 { curves[index].append((time, values[index])) }
        }
        for (name, curve) in zip(["PPM, type I", "PPM, type IIa", "VU", "momentary loudness, + 3.01"], curves) {
            plot.add(name, curve)
        }
        return plot
    }
}
