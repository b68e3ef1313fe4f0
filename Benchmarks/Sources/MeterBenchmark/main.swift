// The meters beside libebur128 1.2, on the same sounds in one run: how many times faster than the sound they run, the
// error of the true peaks of EBU Tech 3341, and the cost of the meter of the capture thread. All sounds are generated.
// Figures are the thread's own processor time, medians of interleaved rounds. The cost of decoding is not included.
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
