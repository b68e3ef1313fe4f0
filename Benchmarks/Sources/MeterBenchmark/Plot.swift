// A plot of curves as SVG, small and the same at every run.
import Glibc

/// An axis: its quantity, its range, and its grid lines.
struct Axis {
    let title: String
    let range: ClosedRange<Double>
    let ticks: [Double]
    var isLogarithmic = false

    /// Where a value lies, from 0 to 1.
    func place(_ value: Double) -> Double {
        func scaled(_ value: Double) -> Double { isLogarithmic ? log(value) : value }
        return (scaled(value) - scaled(range.lowerBound)) / (scaled(range.upperBound) - scaled(range.lowerBound))
    }
}

/// Curves and tolerances over one pair of axes.
struct Plot {
    let title: String
    let across: Axis
    let up: Axis
    /// Whether the legend is in the lower left corner, or in the upper right corner.
    let namesCurvesBelow: Bool
    private var body = ""
    private var curves = 0

    private static let (left, top, width, height) = (56.0, 34.0, 560.0, 240.0)
    private static let colours = ["#0b5fa5", "#c2410c", "#3f7d20", "#7a3ea1"]

    init(_ title: String, across: Axis, up: Axis, namesCurvesBelow: Bool = false) {
        (self.title, self.across, self.up, self.namesCurvesBelow) = (title, across, up, namesCurvesBelow)
    }

    private func x(_ value: Double) -> String { text(Plot.left + Plot.width * across.place(value), decimals: 1) }

    private func y(_ value: Double) -> String {
        text(Plot.top + Plot.height * (1 - min(1, max(0, up.place(value)))), decimals: 1)
    }

    /// Adds a curve, which is cut off at the plot's edges.
    mutating func add(_ name: String, _ points: [(Double, Double)]) {
        let colour = Plot.colours[curves % Plot.colours.count]
        let path = points.map { "\(x($0.0)),\(y($0.1))" }.joined(separator: " ")
        body += "<polyline fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.6\" points=\"\(path)\"/>\n"
        let line = namesCurvesBelow ? Plot.top + Plot.height - 60 : Plot.top + 16
        let (side, anchor) = namesCurvesBelow ? (Plot.left + 8, "start") : (Plot.left + Plot.width - 8, "end")
        body +=
            "<text x=\"\(side)\" y=\"\(line + 16 * Double(curves))\" text-anchor=\"\(anchor)\" fill=\"\(colour)\">"
            + "\(name)</text>\n"
        curves += 1
    }

    /// Adds an allowed range at a place, in the colour of the last curve.
    mutating func add(tolerance: ClosedRange<Double>, at place: Double) {
        let colour = Plot.colours[(curves - 1) % Plot.colours.count]
        body +=
            "<line x1=\"\(x(place))\" x2=\"\(x(place))\" y1=\"\(y(tolerance.lowerBound))\" y2=\"\(y(tolerance.upperBound))\" "
            + "stroke=\"\(colour)\" stroke-width=\"5\" stroke-opacity=\"0.3\"/>\n"
    }

    var svg: String {
        let (bottom, right) = (Plot.top + Plot.height, Plot.left + Plot.width)
        var grid = ""
        for tick in across.ticks {
            grid += "<line class=\"g\" x1=\"\(x(tick))\" x2=\"\(x(tick))\" y1=\"\(Plot.top)\" y2=\"\(bottom)\"/>"
            grid += "<text x=\"\(x(tick))\" y=\"\(bottom + 16)\" text-anchor=\"middle\">\(label(tick))</text>\n"
        }
        for tick in up.ticks {
            grid += "<line class=\"g\" x1=\"\(Plot.left)\" x2=\"\(right)\" y1=\"\(y(tick))\" y2=\"\(y(tick))\"/>"
            grid += "<text x=\"\(Plot.left - 6)\" y=\"\(y(tick))\" dy=\"4\" text-anchor=\"end\">\(label(tick))</text>\n"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 632 316" font-family="sans-serif" font-size="12">
            <style>.g{stroke:#ccc;stroke-width:.6}</style>
            <rect width="632" height="316" fill="#fff"/>
            <text x="\(Plot.left)" y="20" font-size="14">\(title)</text>
            \(grid)<text x="\(Plot.left + Plot.width / 2)" y="308" text-anchor="middle">\(across.title)</text>
            <text x="14" y="\(Plot.top + Plot.height / 2)" text-anchor="middle" \
            transform="rotate(-90 14 \(Plot.top + Plot.height / 2))">\(up.title)</text>
            \(body)</svg>

            """
    }

    private func label(_ value: Double) -> String {
        var digits = text(value, decimals: 2)
        while digits.contains("."), digits.hasSuffix("0") || digits.hasSuffix(".") { digits.removeLast() }
        return digits
    }
}
