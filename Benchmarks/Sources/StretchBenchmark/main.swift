// The stretcher beside librubberband (both engines, real-time mode), libsoundtouch and libsonic, on the same sounds in
// one run: cost and measurable sound quality. All sounds are generated. Woodshed is measured as a player renders it,
// from the score to the block; the peers are the libraries alone. Processor figures are the thread's own time.
//
//   StretchBenchmark [--json] [--runs N] [--cost-only | --sound-only | --voices-only | --modulations-only]
//                    [--rates HZ,… | --rates all] [--speeds PERCENT,…] [--draws N] [--seed N]
//
// Rates (48000), speeds (75,50), draws (50) and the seed of the draws (1) are those of the modulations; the other parts
// have rates and speeds of their own.
//
//   StretchBenchmark --write FOLDER      the sounds of the spectrograms in docs/stretching.md
import Glibc
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
    let only = ["--cost-only", "--sound-only", "--voices-only", "--modulations-only"].first { arguments.contains($0) }
    guard
        let modulations = ModulationOptions(
            sampleRates: value(of: "--rates"), speeds: value(of: "--speeds"), draws: value(of: "--draws"),
            seed: value(of: "--seed"))
    else {
        print("StretchBenchmark: --rates 8000 to 192000 or all, --speeds 25 to 400, --draws 1 to 10000, --seed N")
        exit(64)
    }
    if only == nil || only == "--cost-only" {
        try report.costs(runs: max(1, value(of: "--runs").flatMap { Int($0) } ?? 3))
    }
    if only == nil || only == "--sound-only" {
        try report.sounds()
        try report.changes()
        try report.formants()
    }
    if only == nil || only == "--sound-only" || only == "--voices-only" { try report.voices() }
    if only == nil || only == "--modulations-only" { try report.modulations(modulations) }
}
