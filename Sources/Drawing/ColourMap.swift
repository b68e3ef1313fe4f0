/// The colours for levels, from the floor to 0 dB.
///
/// All maps get steadily lighter, or steadily darker, in perceived lightness (Oklab), so all maps also work in grey.
/// Each map uses a few points of our own along the course of the well-known map of the same name (van der Walt and
/// Smith, "A better default colormap for matplotlib", 2015).
public enum ColourMap: String, Sendable, CaseIterable {
    /// From dark violet through green-blue to yellow.
    case viridis
    /// From black through purple and orange to pale yellow.
    case magma
    /// From the background colour to the text colour: black to white on dark, white to black on light.
    case grey

    /// Returns the colours of 256 levels, the floor first.
    func colours(_ theme: PictureTheme) -> [Colour] {
        var points = points
        if self == .grey && theme == .light { points.reverse() }
        return (0..<256).map { index in
            let place = Double(index) / 255 * Double(points.count - 1)
            let below = min(points.count - 2, Int(place))
            let share = place - Double(below)
            return PerceivedColour.mixture([(points[below], 1 - share), (points[below + 1], share)]).colour
        }
    }

    /// Equally spaced points along the map.
    private var points: [PerceivedColour] {
        switch self {
        case .viridis:
            [
                (0.20, 300, 0.10), (0.33, 292, 0.14), (0.44, 262, 0.11), (0.54, 222, 0.09), (0.64, 182, 0.11),
                (0.75, 153, 0.16), (0.84, 126, 0.18), (0.93, 106, 0.18),
            ].map(PerceivedColour.init(lightness:hue:chroma:))
        case .magma:
            [
                (0.06, 290, 0.02), (0.20, 292, 0.10), (0.33, 305, 0.16), (0.45, 325, 0.17), (0.57, 5, 0.19),
                (0.69, 32, 0.17), (0.82, 65, 0.13), (0.97, 100, 0.07),
            ].map(PerceivedColour.init(lightness:hue:chroma:))
        case .grey:
            [0.10, 1].map { PerceivedColour(lightness: $0, greenToRed: 0, blueToYellow: 0) }
        }
    }
}
