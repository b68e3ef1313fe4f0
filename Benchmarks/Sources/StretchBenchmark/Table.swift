// A table: a row for each measurement, a column for each contender, and Woodshed's relation to the best peer.
import BenchmarkRows
import Glibc

/// A measured quantity, and the direction in which it improves.
struct Quantity: Sendable {
    enum Aim: Sendable {
        /// Amounts, compared best as a ratio, and levels in dB, compared best as a difference.
        case lower, higher, least
        /// The nearer to this value the better.
        case near(Double)
    }

    let name: String
    let key: String
    let decimals: Int
    let better: Aim

    /// The badness of a value; only to find the best.
    func badness(_ value: Double) -> Double {
        switch better {
        case .lower, .least: value
        case .higher: -value
        case .near(let ideal): abs(value - ideal)
        }
    }
}

/// Rows of figures.
struct Table {
    private static let nameWidth = 38

    let title: String
    let benchmark: String
    let speed: Double
    /// In Hz; nil where the benchmark has one rate only.
    let sampleRate: Int?
    private var rows: [(Quantity, [(Contender, Double)])] = []

    init(title: String, benchmark: String, speed: Double, sampleRate: Int? = nil) {
        self.title = title
        self.benchmark = benchmark
        self.speed = speed
        self.sampleRate = sampleRate
    }

    /// Adds a row; contenders without a value are left out.
    mutating func add(_ quantity: Quantity, _ values: [(Contender, Double)]) {
        rows.append((quantity, values))
        let better: Better =
            switch quantity.better {
            case .lower, .least: .lower
            case .higher: .higher
            case .near: .neither
            }
        let rate = sampleRate.map { ", \($0) Hz" } ?? ""
        for (contender, value) in values {
            record(
                benchmark, "\(contender.rawValue), \(quantity.name), \(Int((100 * speed).rounded())) %\(rate)",
                unit: "", better, [value])
        }
    }

    func print(asJSON: Bool) {
        if asJSON { return rows.forEach { Swift.print(json($0, $1)) } }
        let columns = Contender.allCases.filter { contender in
            rows.contains { $0.1.contains { $0.0 == contender } }
        }
        Swift.print("\n" + title)
        Swift.print(
            padded("", Self.nameWidth) + columns.map { leading($0.rawValue, 15) }.joined()
                + leading("ours : best peer", 18))
        for (quantity, values) in rows {
            let cells = columns.map { contender in
                let value = values.first { $0.0 == contender }?.1
                return leading(value.map { text($0, decimals: quantity.decimals) } ?? "–", 15)
            }
            let name = padded(quantity.name, Self.nameWidth)
            Swift.print(name + cells.joined() + leading(comparison(quantity, values), 18))
        }
    }

    /// Woodshed's relation to the best peer: a ratio for quantities that are better when small, otherwise a difference.
    private func comparison(_ quantity: Quantity, _ values: [(Contender, Double)]) -> String {
        guard let ours = values.first(where: { $0.0 == .ours })?.1, let best = best(quantity, values) else { return "" }
        switch quantity.better {
        case .lower where best > 0:
            return "× " + text(ours / best, decimals: 2)
        default:
            let difference = ours - best
            return (difference >= 0 ? "+" : "") + text(difference, decimals: quantity.decimals)
        }
    }

    private func best(_ quantity: Quantity, _ values: [(Contender, Double)]) -> Double? {
        values.filter { $0.0 != .ours && $0.1.isFinite }.map(\.1)
            .min { quantity.badness($0) < quantity.badness($1) }
    }

    private func json(_ quantity: Quantity, _ values: [(Contender, Double)]) -> String {
        let fields = values.map { contender, value in
            "\"\(contender.key)\":\(value.isFinite ? text(value, decimals: quantity.decimals + 2) : "null")"
        }
        let rate = sampleRate.map { ",\"rate\":\($0)" } ?? ""
        return "{\"v\":1,\"benchmark\":\"\(benchmark)\",\"speed\":\(speed)\(rate),\"quantity\":\"\(quantity.key)\","
            + fields.joined(separator: ",") + "}"
    }
}

/// A number with so many decimals.
func text(_ number: Double, decimals: Int) -> String {
    guard number.isFinite else { return "–" }
    let scale = pow(10, Double(decimals))
    let rounded = (number * scale).rounded() / scale
    guard decimals > 0, abs(rounded) < 1e12 else { return String(Int64(rounded)) }
    let parts = String(abs(rounded)).split(separator: ".")
    let fraction = parts.count > 1 ? String(parts[1]) : ""
    let digits = fraction.prefix(decimals) + String(repeating: "0", count: max(0, decimals - fraction.count))
    return (rounded < 0 ? "-" : "") + (parts.first ?? "0") + "." + digits
}

private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

private func leading(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
}
