// Colours by perceived lightness, so no colour stands out by accident.
internal import Glibc

/// A colour in sRGB, each component 0 to 1, and its opacity.
struct Colour: Equatable, Hashable, Sendable {
    var red: Double
    var green: Double
    var blue: Double
    var opacity = 1.0

    /// Makes a colour from 0xRRGGBB.
    init(_ hexadecimal: UInt32) {
        red = Double(hexadecimal >> 16 & 255) / 255
        green = Double(hexadecimal >> 8 & 255) / 255
        blue = Double(hexadecimal & 255) / 255
    }

    init(red: Double, green: Double, blue: Double) { (self.red, self.green, self.blue) = (red, green, blue) }

    func opacity(_ opacity: Double) -> Colour {
        var colour = self
        colour.opacity = opacity
        return colour
    }

    /// The pixel format of cairo's image surfaces, without transparency.
    var pixel: UInt32 {
        func byte(_ part: Double) -> UInt32 { UInt32((min(max(part, 0), 1) * 255).rounded()) }
        return 0xFF00_0000 | byte(red) << 16 | byte(green) << 8 | byte(blue)
    }
}

/// A colour in Oklab (Ottosson, "A perceptual color space for image processing", 2020,
/// https://bottosson.github.io/posts/oklab/): perceived lightness, 0 to 1, and two axes of hue.
///
/// Mixtures along a straight line keep the lightness of their components; mixtures in sRGB do not.
struct PerceivedColour: Equatable, Sendable {
    var lightness: Double
    var greenToRed: Double
    var blueToYellow: Double

    init(lightness: Double, greenToRed: Double, blueToYellow: Double) {
        (self.lightness, self.greenToRed, self.blueToYellow) = (lightness, greenToRed, blueToYellow)
    }

    /// Makes the most saturated displayable colour of a lightness and a hue, with at most the given `chroma`.
    ///
    /// - Parameter hue: In degrees: 29 is red, 110 yellow, 142 green, 264 blue.
    init(lightness: Double, hue: Double, chroma: Double) {
        let (x, y) = (cos(hue * .pi / 180), sin(hue * .pi / 180))
        func colour(_ chroma: Double) -> PerceivedColour {
            PerceivedColour(lightness: lightness, greenToRed: chroma * x, blueToYellow: chroma * y)
        }
        var (inside, outside) = (0.0, chroma)
        if colour(chroma).isDisplayable {
            inside = chroma
        } else {
            for _ in 0..<24 {
                let middle = (inside + outside) / 2
                if colour(middle).isDisplayable { inside = middle } else { outside = middle }
            }
        }
        self = colour(inside)
    }

    init(_ colour: Colour) {
        func linear(_ part: Double) -> Double { part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
        let (red, green, blue) = (linear(colour.red), linear(colour.green), linear(colour.blue))
        let long = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
        let middle = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
        let short = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
        lightness = 0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short
        greenToRed = 1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short
        blueToYellow = 0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short
    }

    /// The components of linear light; outside 0 to 1 if no screen can show the colour.
    private var light: (red: Double, green: Double, blue: Double) {
        let long = lightness + 0.3963377774 * greenToRed + 0.2158037573 * blueToYellow
        let middle = lightness - 0.1055613458 * greenToRed - 0.0638541728 * blueToYellow
        let short = lightness - 0.0894841775 * greenToRed - 1.2914855480 * blueToYellow
        let (l, m, s) = (long * long * long, middle * middle * middle, short * short * short)
        return (
            4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s
        )
    }

    private var isDisplayable: Bool {
        let light = light
        return [light.red, light.green, light.blue].allSatisfy { $0 >= -1e-9 && $0 <= 1 + 1e-9 }
    }

    /// The colour on a screen, in whole steps of 8 bits, so that pixels and text always get the same colour.
    var colour: Colour {
        func encoded(_ part: Double) -> Double {
            let part = min(max(part, 0), 1)
            let value = part <= 0.0031308 ? 12.92 * part : 1.055 * pow(part, 1 / 2.4) - 0.055
            return (value * 255).rounded() / 255
        }
        let light = light
        return Colour(red: encoded(light.red), green: encoded(light.green), blue: encoded(light.blue))
    }

    /// Returns a mixture of colours by weights, at least one weight above 0.
    static func mixture(_ parts: [(PerceivedColour, weight: Double)]) -> PerceivedColour {
        let total = parts.reduce(0) { $0 + $1.weight }
        var mixed = PerceivedColour(lightness: 0, greenToRed: 0, blueToYellow: 0)
        for (colour, weight) in parts {
            mixed.lightness += colour.lightness * weight / total
            mixed.greenToRed += colour.greenToRed * weight / total
            mixed.blueToYellow += colour.blueToYellow * weight / total
        }
        return mixed
    }

    /// Returns the perceived difference of two colours.
    func distance(to other: PerceivedColour) -> Double {
        let (a, b, c) = (
            lightness - other.lightness, greenToRed - other.greenToRed, blueToYellow - other.blueToYellow
        )
        return (a * a + b * b + c * c).squareRoot()
    }
}
