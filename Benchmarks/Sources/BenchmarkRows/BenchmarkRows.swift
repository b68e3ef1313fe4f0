// What a benchmark measured, as lines of JSON beside the tables that it prints: scripts/bench.sh gathers them in one file with what
// is known of the machine, and scripts/bench-compare.py tells what changed between two such files.
internal import Glibc

/// Which way a figure gets better.
public enum Better: String, Sendable {
    /// A time, an amount.
    case lower
    /// A rate.
    case higher
    /// Neither: a figure to look at.
    case neither
}

/// Adds a figure to the file that WOODSHED_BENCH_ROWS names; does nothing where it names none.
///
/// - Parameters:
///   - benchmark: Of which it is a figure.
///   - name: What was measured, and on what; together with `benchmark` the same in every run, and no other figure's.
///   - unit: As it is printed.
///   - values: All that was measured, of which the median counts and the rest tells how far it strays; what is not finite is left out.
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
