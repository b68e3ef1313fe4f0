// The cost of a waveform: making a waveform, beside decoding alone; drawing it; its memory; one transform beside FFTW's
// own.
//
//   WaveformBenchmark FILE...       files of the same recording, WAV, FLAC, MP3, Ogg
import BenchmarkRows
@_spi(Benchmarks) import DSP
import DecodePeers
import Glibc
@_spi(Benchmarks) import Transforms
import Woodshed

/// Processor seconds of this process, all threads.
func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
}

func wallTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
}

/// Medians of processor and wall time, in ms; compared operations run in turns. The names, if any, are those under
/// which all times are recorded.
func medians(
    _ runs: Int, names: [String] = [], _ works: [() throws -> Void]
) throws -> [(processor: Double, wall: Double)] {
    var times = works.map { _ in [(Double, Double)]() }
    for _ in 0..<runs {
        for (index, work) in works.enumerated() {
            let (processor, wall) = (processorTime(), wallTime())
            try work()
            times[index].append((processorTime() - processor, wallTime() - wall))
        }
    }
    for (name, times) in zip(names, times) {
        record("waveform", "\(name), processor", unit: "ms", .lower, times.map { 1000 * $0.0 })
        record("waveform", "\(name), wall", unit: "ms", .lower, times.map { 1000 * $0.1 })
    }
    return times.map { times in
        (1000 * times.map(\.0).sorted()[runs / 2], 1000 * times.map(\.1).sorted()[runs / 2])
    }
}

func text(_ value: Double, _ decimals: Int = 1) -> String {
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let number = String(Double((value * scale).rounded()) / scale)
    return String(repeating: " ", count: max(0, 9 - number.count)) + number
}

func row(_ name: String, _ values: String) {
    print("  " + name + String(repeating: " ", count: max(0, 46 - name.count)) + values)
}

func compare(_ path: String) throws {
    let runs = 5
    let isMP3 = path.hasSuffix(".mp3")
    let names = [
        "decoding alone", "extremes and level, 1 thread", "with colour, 1 thread", "extremes and level, all",
        "with colour, all",
    ]
    let results = try medians(
        runs, names: names.map { "\(path), \($0)" },
        [
            { _ = unsafe isMP3 ? decode_with_mpg123(path) : decode_with_sndfile(path, 0) },
            { _ = try WaveformMaker(path: path, tones: false, threadCount: 1).make() },
            { _ = try WaveformMaker(path: path, threadCount: 1).make() },
            { _ = try WaveformMaker(path: path, tones: false).make() },
            { _ = try WaveformMaker(path: path).make() },
        ])
    print(path)
    for (name, result) in zip(names, results) {
        row(
            name,
            "\(text(result.processor)) ms processor \(text(result.processor / results[0].processor, 2)) x   \(text(result.wall)) ms wall \(text(result.wall / results[0].wall, 2)) x"
        )
    }
}

func look() throws {
    // Ten hours of stereo; the content does not affect the time.
    var builder = WaveformBuilder(sampleRate: 44_100, channelCount: 2)
    var state: UInt32 = 1
    let block = (0..<1 << 18).map { _ -> Int16 in
        state = state &* 1_664_525 &+ 1_013_904_223
        return Int16(truncatingIfNeeded: state >> 18)
    }
    while builder.position < 10 * 3600 * 44_100 { builder.append(interleaved: block.span) }
    let waveform = builder.waveform()
    print("ten hours, 4096 columns")
    for (name, frames) in [
        ("all of it", 0..<waveform.frameCount), ("an hour from an odd frame", 12_345_677..<12_345_677 + 3600 * 44_100),
        ("a minute", 99_999_999..<99_999_999 + 60 * 44_100),
    ] {
        let one = try medians(
            21, names: ["4096 columns, \(name)"], [{ _ = waveform.summary(frames: frames, columns: 4096, channel: 0) }])[
                0]
        let both = try medians(21, [{ _ = waveform.summary(frames: frames, columns: 4096) }])[0]
        row(name, "\(text(one.processor, 2)) ms one channel \(text(both.processor, 2)) ms both mixed")
    }
    let share = Double(waveform.storedByteCount) / Double(4 * waveform.frameCount)
    row("bytes, of those of its 16-bit samples", text(100 * share, 2) + " %")
}

func transforms() {
    print("one transform of 1024")
    var ours = RealFourierTransform(size: 1024)
    for index in 0..<1024 { unsafe ours.frames[index] = Float(index % 17) / 17 }
    var ratios: [Double] = []
    var last = (0.0, 0.0)
    for _ in 0..<9 {
        let start = processorTime()
        for _ in 0..<20_000 { ours.forward() }
        last = ((processorTime() - start) / 20_000, fftw_measured_seconds(1024, 20_000))
        ratios.append(last.0 / last.1)
    }
    record("transform", "ours to FFTW's measured plan", unit: "x", .lower, ratios)
    row(
        "ours; FFTW's measured plan, in C",
        "\(text(1e9 * last.0, 0)) ns \(text(1e9 * last.1, 0)) ns \(text(ratios.sorted()[4], 3)) x")
}

for path in CommandLine.arguments.dropFirst() { try compare(path) }
try look()
transforms()
