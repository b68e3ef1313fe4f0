// A benchmark's measurements, as lines of JSON beside the tables that the benchmark prints. scripts/bench/bench.sh
// gathers these lines in one file with a description of the machine, and scripts/bench/bench-compare.py reports the
// differences between two such files.
internal import Glibc

/// The direction in which a figure improves.
public enum Better: String, Sendable {
    /// A time, an amount.
    case lower
    /// A rate.
    case higher
    /// Neither: a figure to look at.
    case neither
}

/// Adds a figure to the file named by WOODSHED_BENCH_ROWS; does nothing without that variable.
///
/// - Parameters:
///   - benchmark: The benchmark of the figure.
///   - name: The measured operation and its material; together with `benchmark`, unique, and the same in every run.
///   - unit: The unit, as printed.
///   - values: All measured values: the median counts and the rest shows the spread. Values that are not finite are
///     left out.
public func record(_ benchmark: String, _ name: String, unit: String, _ better: Better, _ values: [Double]) {
    guard let path = unsafe getenv("WOODSHED_BENCH_ROWS"), let file = unsafe fopen(path, "a") else { return }
    defer { unsafe fclose(file) }
    let numbers = values.filter(\.isFinite).map { "\($0)" }.joined(separator: ",")
    unsafe fputs(
        #"{"benchmark":"\#(escaped(benchmark))","name":"\#(escaped(name))","unit":"\#(escaped(unit))","#
            + #""better":"\#(better.rawValue)","values":[\#(numbers)]}"# + "\n", file)
}

/// For a string of JSON; names have no controls.
private func escaped(_ text: String) -> String {
    text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
}
