internal import Glibc
import Testing

@testable import Drawing

/// A colour as seen by readers without one kind of cones: Machado, Oliveira and Fernandes, "A physiologically-based
/// model for simulation of color vision deficiency" (2009), matrices of severity 1 on linear light.
private enum Vision: String, CaseIterable {
    case all, noRed, noGreen, noBlue

    func seen(_ colour: Colour) -> PerceivedColour {
        func linear(_ part: Double) -> Double { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
        func encoded(_ part: Double) -> Double {
            let part = min(max(part, 0), 1)
            return part <= 0.0031308 ? 12.92 * part : 1.055 * pow(part, 1 / 2.4) - 0.055
        }
        let light = [colour.red, colour.green, colour.blue].map(linear)
        let parts = matrix.map { row in encoded(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }) }
        return PerceivedColour(Colour(red: parts[0], green: parts[1], blue: parts[2]))
    }

    private var matrix: [[Double]] {
        switch self {
        case .all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        case .noRed:
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
        case .noGreen:
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
        case .noBlue:
            [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
        }
    }
}

@Suite struct ColourTests {
    @Test(
        "The colours of the bands can be told apart by all readers, colour-blind or not",
        arguments: PictureTheme.allCases)
    fileprivate func bands(_ theme: PictureTheme) {
        for vision in Vision.allCases {
            let seen = (0..<3).map { vision.seen(WaveColours.base($0, theme).rms.colour) }
            for (one, other) in [(0, 1), (1, 2), (0, 2)] {
                // Six times the difference just visible side by side, 0.02 in Oklab.
                #expect(seen[one].distance(to: seen[other]) > 0.12, "\(vision) \(one) \(other)")
            }
        }
    }

    @Test(
        "All colours of a wave are equally bright", arguments: PictureTheme.allCases, WaveformPicture.Colouring.allCases
    )
    func lightness(_ theme: PictureTheme, _ colouring: WaveformPicture.Colouring) {
        let lightness = WaveColours.lightness(theme)
        for pair in WaveColours(colouring, theme).pairs {
            #expect(abs(PerceivedColour(pair.rms).lightness - lightness.rms) < 0.005)
            #expect(abs(PerceivedColour(pair.extremes).lightness - lightness.extremes) < 0.005)
        }
    }

    @Test(
        "The RMS stands out more than the extremes, and both stand out from the panel", arguments: PictureTheme.allCases
    )
    func tones(_ theme: PictureTheme) {
        let (panel, lightness) = (PerceivedColour(Palette(theme).panel).lightness, WaveColours.lightness(theme))
        #expect(abs(lightness.extremes - panel) > 0.1)
        #expect(abs(lightness.rms - panel) > 2 * abs(lightness.extremes - panel))
    }

    @Test("A map of colours only gets lighter, or only darker", arguments: ColourMap.allCases, PictureTheme.allCases)
    func maps(_ map: ColourMap, _ theme: PictureTheme) {
        let lightness = map.colours(theme).map { PerceivedColour($0).lightness }
        let isInverted = map == .grey && theme == .light
        #expect(lightness.count == 256)
        let rising = isInverted ? lightness.reversed() : lightness
        // Steps of 8 bits shift neighbours by up to 0.002; over eight shades there is no doubt.
        for (one, next) in zip(rising, rising.dropFirst()) { #expect(next > one - 0.002) }
        for (one, later) in zip(rising, rising.dropFirst(8)) { #expect(later > one + 0.008) }
        #expect(abs(lightness[255] - lightness[0]) > 0.6)
    }

    @Test("Text has a contrast of 4.5 or more", arguments: PictureTheme.allCases)
    func contrast(_ theme: PictureTheme) {
        /// The relative luminance of the Web Content Accessibility Guidelines 2.1.
        func luminance(_ colour: Colour) -> Double {
            let parts = [colour.red, colour.green, colour.blue].map {
                $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        func contrast(_ one: Colour, _ other: Colour) -> Double {
            let (a, b) = (luminance(one), luminance(other))
            return (max(a, b) + 0.05) / (min(a, b) + 0.05)
        }
        let palette = Palette(theme)
        #expect(contrast(palette.text, palette.background) > 7)
        #expect(contrast(palette.quiet, palette.background) > 4.5)
        for colour in palette.sections { #expect(contrast(palette.sectionText, colour) > 4.5) }
        #expect(contrast(palette.clipping, palette.panel) > 3)
    }

    @Test("Colours converted to Oklab and back are unchanged, and known ones have the published values")
    func conversion() {
        for value in [0, 0xFFFFFF, 0xFF0000, 0x00FF00, 0x0000FF, 0x123456, 0xFEDCBA] as [UInt32] {
            #expect(PerceivedColour(Colour(value)).colour.pixel == 0xFF00_0000 | value)
        }
        #expect(abs(PerceivedColour(Colour(0xFFFFFF)).lightness - 1) < 1e-4)
        // Red in Ottosson's table: 0.628, 0.225, 0.126.
        let red = PerceivedColour(Colour(0xFF0000))
        #expect(
            abs(red.lightness - 0.628) < 1e-3 && abs(red.greenToRed - 0.225) < 1e-3
                && abs(red.blueToYellow - 0.126) < 1e-3)
    }
}
