/// The positions of the parts of a picture, in whole pixels.
///
/// Parts without room are left out: first the legend, then the numbers at the side, the title and the sections, and
/// last the times. The width of the plot depends only on the width of the sheet and on the presence of a colour scale.
/// So the width is known in advance.
struct Layout {
    /// The area of the sound.
    private(set) var plot = Rectangle(x: 0, y: 0, width: 0, height: 0)
    /// The line at the top, with title and legend.
    private(set) var header: Rectangle?
    /// The strips of sections, the topmost first, and the sections in each.
    private(set) var strips: [Rectangle] = []
    private(set) var sections: [(section: PictureSection, strip: Int)] = []
    private(set) var hasTimes = false
    /// The width of the numbers at the left; 0 without numbers.
    private(set) var numbersWidth = 0.0
    /// The space between and around the parts.
    private(set) var margin = 0.0
    /// The colour scale beside the plot.
    private(set) var scale: Rectangle?

    /// The largest number of strips; further overlapping sections share the last strip.
    private static let mostStrips = 3
    private static let (stripHeight, stripGap) = (17.0, 2.0)
    private static let (scaleWidth, scaleNumbers) = (10.0, 30.0)

    /// - Parameters:
    ///   - hasHeader: True if there is text above the plot.
    ///   - hasScale: True if there is a colour scale.
    init(_ sheet: PictureSheet, hasHeader: Bool, hasScale: Bool) {
        let (width, height) = (Double(sheet.width), Double(sheet.height))
        let across = Self.across(sheet.width, hasScale: hasScale)
        (margin, numbersWidth) = (across.margin, across.numbers)
        var top = height >= 60 ? margin : 0
        if hasHeader && height >= 100 && width >= 90 {
            header = Rectangle(x: margin, y: top, width: width - 2 * margin, height: 18)
            top += 18 + (height >= 160 ? 10 : 6)
        }
        sections = Self.stacked(sheet)
        let count = (sections.map(\.strip).max() ?? -1) + 1
        if Double(count) * (Self.stripHeight + Self.stripGap) <= 0.3 * height, across.plot >= 60 {
            for _ in 0..<count {
                strips.append(Rectangle(x: across.x, y: top, width: across.plot, height: Self.stripHeight))
                top += Self.stripHeight + Self.stripGap
            }
            if count > 0 { top += 3 }
        } else {
            sections = []
        }
        hasTimes = height >= 64 && width >= 60
        let bottom = hasTimes ? height - 24 : height >= 60 ? height - margin : height
        plot = Rectangle(x: across.x, y: top, width: across.plot, height: max(1, bottom - top))
        if across.hasScale {
            scale = Rectangle(x: plot.right + margin, y: top, width: Self.scaleWidth, height: plot.height)
        }
    }

    /// Returns the width of the plot in pixels.
    static func plotWidth(_ width: Int, hasScale: Bool) -> Int { Int(across(width, hasScale: hasScale).plot) }

    private static func across(
        _ width: Int, hasScale: Bool
    ) -> (margin: Double, numbers: Double, x: Double, plot: Double, hasScale: Bool) {
        let margin = width >= 400 ? 14.0 : width >= 160 ? 8 : width >= 60 ? 4 : 0
        let numbers = width >= 160 ? 34.0 : 0
        let hasScale = hasScale && width >= 320
        let left = numbers > 0 ? margin + numbers : margin
        let right = margin + (hasScale ? margin + scaleWidth + scaleNumbers : 0)
        return (margin, numbers, left, max(1, Double(width) - left - right), hasScale)
    }

    /// Returns the visible sections, each in the first strip without an overlap.
    private static func stacked(_ sheet: PictureSheet) -> [(section: PictureSection, strip: Int)] {
        var ends: [Int64] = []
        let seen = sheet.sections.filter { $0.frames.overlaps(sheet.frames) }
        return seen.sorted { $0.frames.lowerBound < $1.frames.lowerBound }.map { section in
            let free = ends.firstIndex { $0 <= section.frames.lowerBound }
            let strip = free ?? min(ends.count, mostStrips - 1)
            if strip == ends.count { ends.append(Int64.min) }
            ends[strip] = max(ends[strip], section.frames.upperBound)
            return (section, strip)
        }
    }

    /// Returns the position of an absolute frame, in pixels of the sheet; outside the plot for frames outside the range
    /// shown.
    func x(of frame: Int64, in frames: Range<Int64>) -> Double {
        if frames.isEmpty { return plot.x }
        // A section may lie anywhere; a sheet's own frames stay within an eighth of all numbers.
        let frame = min(max(frame, -(Int64.max / 2)), Int64.max / 2)
        return plot.x + Double(frame - frames.lowerBound) / Double(frames.count) * plot.width
    }
}
