// The stretcher beside librubberband (both engines, real-time mode), libsoundtouch and libsonic, on the same sounds in one
// run: cost, and what can be told of the sound. All sounds are made here. Ours is measured as a player renders it, from the
// score to the block; the peers are the libraries alone. Figures of the processor are the thread's own time.
//
//   StretchBenchmark [--json] [--runs N] [--cost-only | --sound-only]
//   StretchBenchmark --write FOLDER      the sounds of the spectrograms in docs/stretching.md
import SoundMeasures
import Woodshed

let arguments = CommandLine.arguments.dropFirst()

/// The word after an option.
func value(of option: String) -> String? {
    arguments.firstIndex(of: option).flatMap { arguments.dropFirst($0).first }
}

if let folder = value(of: "--write") {
    try Report.writeSounds(to: folder)
} else {
    let report = Report(isJSON: arguments.contains("--json"))
    if !arguments.contains("--sound-only") {
        try report.costs(runs: max(1, value(of: "--runs").flatMap { Int($0) } ?? 3))
    }
    if !arguments.contains("--cost-only") {
        try report.sounds()
        try report.changes()
    }
}
