// The meters beside libebur128 1.2, on the same sounds in one run: how many times faster than the sound they are, how
// far off the true peaks of EBU Tech 3341 they read, and what the meter of the capture thread costs. All sounds are
// made here. Figures are the thread's own processor time, medians of interleaved rounds. It does not show what decoding
// costs.
//
//   MeterBenchmark [--json] [--rounds N]
//   MeterBenchmark --plots FOLDER        draws the curves of docs/metering.md
import Glibc

let arguments = CommandLine.arguments.dropFirst()

/// The word after an option.
func value(of option: String) -> String? {
    arguments.firstIndex(of: option).flatMap { arguments.dropFirst($0).first }
}

if let folder = value(of: "--plots") {
    try Plots.write(to: folder)
} else {
    let report = Report(isJSON: arguments.contains("--json"))
    report.speeds(rounds: max(1, value(of: "--rounds").flatMap { Int($0) } ?? 5))
    report.truePeakErrors()
    report.captureThread()
}
