// The cost of comparing a take with a model, and the accuracy of pitch tracking, beside aubio where installed.
//
//   CompareBenchmark                        prints the tables
//   CompareBenchmark --track LOW HIGH FILE… writes the pitch of raw 32-bit floats at 44.1 kHz to FILE.ours, for
//                                           Benchmarks/Pitch
import BenchmarkRows
@_spi(Benchmarks) import DSP
import Glibc
import PitchPeers
import SoundMeasures

/// Processor time, which the machine's other work does not change.
func milliseconds(_ body: () -> Void) -> Double {
    let begin = clock()
    body()
    return Double(clock() - begin) * 1000 / Double(CLOCKS_PER_SEC)
}

let sampleRate = TestSignals.sampleRate
let hop = sampleRate / 100

if CommandLine.arguments.count > 4, CommandLine.arguments[1] == "--track",
    let low = Double(CommandLine.arguments[2]), let high = Double(CommandLine.arguments[3]), low < high
{
    let time = milliseconds {
        for path in CommandLine.arguments[4...] {
            guard let file = unsafe fopen(path, "r"), let output = unsafe fopen(path + ".ours", "w") else { continue }
            unsafe fseek(file, 0, SEEK_END)
            var samples = [Float](repeating: 0, count: unsafe ftell(file) / 4)
            unsafe rewind(file)
            let count = unsafe fread(&samples, 4, samples.count, file)
            let contour = ComparisonTrial.contour(
                of: [Float](samples.prefix(count)), sampleRate: sampleRate, range: low...high)
            unsafe fwrite(contour.hertz, 4, contour.count, output)
            unsafe fclose(file)
            unsafe fclose(output)
        }
    }
    print("  \(time) ms of processor time")
    exit(0)
}

/// A tracker and its interface: samples to values every 10 ms.
struct Tracker {
    let name: String
    let track: ([Float]) -> [Float]
}

/// aubio looks back, so its values are moved by half a window less one hop; zeros follow the input until the last value
/// is known.
func peer(_ method: String, window: Int, confidence: Float) -> Tracker {
    Tracker(name: "aubio \(method), \(window) frames, confidence \(max(0, confidence))") { samples in
        let count = (samples.count + hop - 1) / hop
        let late = (window / 2 + hop / 2) / hop - 1
        var values = [Float](repeating: 0, count: count + late)
        let made = unsafe pitch_peer_track(
            method, samples, samples.count, UInt32(sampleRate), UInt32(hop), UInt32(window), confidence, &values,
            values.count)
        return [Float](values[0..<made].dropFirst(late)).map { (40...2100).contains($0) ? $0 : 0 }
    }
}

var trackers = [Tracker(name: "Woodshed") { ComparisonTrial.contour(of: $0, sampleRate: sampleRate).hertz }]
if pitch_peer_is_there() {
    trackers += [
        peer("yinfast", window: 2048, confidence: 0.8), peer("yinfast", window: 2048, confidence: 0.5),
        peer("yinfft", window: 2048, confidence: -1), peer("yinfft", window: 4096, confidence: -1),
    ]
} else {
    print("  aubio is not installed (libaubio5); it is left out")
}

func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
}

let sounds = PitchedSound.examples()
for (condition, decibels) in [("clean", nil), ("10 dB", 10.0)] as [(String, Double?)] {
    print("\n  \(condition): gross (> 20 %), > 50 cents, missed, invented, fine, ms for each second")
    let inputs = sounds.enumerated().map { number, entry in
        decibels.map { entry.sound.noisy(decibels: $0, seed: 33 + UInt64(number)) } ?? entry.sound.samples
    }
    let seconds = Double(inputs.reduce(0) { $0 + $1.count }) / Double(sampleRate)
    for (number, tracker) in trackers.enumerated() {
        var (errors, times): ([PitchErrors], [Double]) = ([], [])
        for _ in 0..<3 {
            errors = []
            times.append(
                milliseconds {
                    for (input, entry) in zip(inputs, sounds) {
                        errors.append(PitchErrors(tracker.track(input), against: entry.sound))
                    }
                } / seconds)
        }
        func mean(_ value: (PitchErrors) -> Double) -> Double {
            let known = errors.map(value).filter(\.isFinite)
            return known.reduce(0, +) / Double(max(1, known.count))
        }
        let time = times.sorted()[1]
        print(
            "  \(tracker.name): \(percent(mean(\.gross))), \(percent(mean(\.beyondFiftyCents))), \(percent(mean(\.missed))), "
                + "\(percent(mean(\.invented))), \((mean(\.fineCents) * 100).rounded() / 100) cents, \((time * 100).rounded() / 100) ms"
        )
        guard number == 0 else { continue }
        record("Compare", "gross pitch errors, \(condition)", unit: "%", .lower, [100 * mean(\.gross)])
        record("Compare", "fine pitch error, \(condition)", unit: "cents", .lower, [mean(\.fineCents)])
        record("Compare", "pitch, for each second, \(condition)", unit: "ms", .lower, times)
    }
}

print("\n  comparing 30 s with 30 s, processor time")
var (model, take): ([Float], [Float]) = ([], [])
for number in 0..<4 {
    model += MadeTake { $0.seed = UInt64(number) }.samples()
    take += MadeTake {
        $0.seed = UInt64(number + 10)
        $0.lengthRatio = 1.03
        $0.wobbleSeconds = 0.05
    }.samples()
}
let rate = MadeTake.sampleRate
let (modelFeatures, takeFeatures) = (
    ComparisonTrial.Features(model, sampleRate: rate), ComparisonTrial.Features(take, sampleRate: rate)
)
let featureTimes = (0..<5).map { _ in milliseconds { _ = ComparisonTrial.Features(take, sampleRate: rate) } }
let alignmentTimes = (0..<5).map { _ in
    milliseconds { _ = ComparisonTrial.alignmentCount(model: modelFeatures, take: takeFeatures) }
}
let wholeTimes = (0..<5).map { _ in
    milliseconds { _ = ComparisonTrial.comparison(of: take, with: model, sampleRate: rate) }
}
for (name, times) in [
    ("features of 30 s", featureTimes), ("alignment of 30 s with 30 s", alignmentTimes),
    ("comparison of 30 s with 30 s, from samples", wholeTimes),
] {
    print("  \(name): \((times.sorted()[2] * 10).rounded() / 10) ms")
    record("Compare", name, unit: "ms", .lower, times)
}
