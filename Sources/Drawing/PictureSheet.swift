/// What pictures of sound have in common: their size and theme, and what of a recording they show.
///
/// A sheet that exists is valid. Its size decides how many columns a picture takes, which is known before there are any:
/// see ``WaveformPicture/plotWidth(on:)`` and ``SpectrogramPicture/plotSize(on:)``.
///
/// Real-time safe: no.
public struct PictureSheet: Equatable, Sendable {
    /// The permitted widths and heights, in pixels.
    public static let permittedSides = 1...16_384
    /// The most pixels a picture may have: 64 Mi, 256 MiB of memory while it is drawn.
    public static let largestArea = 1 << 26

    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// What stands above the picture; empty for nothing. Too long a title is cut with an ellipsis.
    public let title: String
    /// In Hz.
    public let sampleRate: Int
    /// What is shown, in absolute frames; may be empty, and may reach beyond the recording.
    public let frames: Range<Int64>
    /// Named ranges of the recording, shown above the plot; those outside ``frames`` are left out.
    public let sections: [PictureSection]
    /// Bright or dark.
    public let theme: PictureTheme

    /// A sheet.
    ///
    /// - Parameters:
    ///   - width: In pixels, 1 to 16384; labels are left out where there is no room for them, from 160 on all kinds fit.
    ///   - height: In pixels, 1 to 16384.
    ///   - title: What stands above the picture; empty for nothing.
    ///   - sampleRate: In Hz, 1 or more.
    ///   - frames: What is shown, in absolute frames within ±2^61.
    ///   - sections: Named ranges of the recording, in any order.
    ///   - theme: Bright or dark.
    /// - Throws: A `PictureError` of the kind `invalidRequest`.
    public init(
        width: Int, height: Int, title: String = "", sampleRate: Int, frames: Range<Int64>,
        sections: [PictureSection] = [], theme: PictureTheme = .light
    ) throws(PictureError) {
        for (side, name) in [(width, "The width"), (height, "The height")]
        where !Self.permittedSides.contains(side) {
            throw .invalid(name, is: "\(side)", permitted: "1 to \(Self.permittedSides.upperBound) pixels")
        }
        if width * height > Self.largestArea {
            throw .invalid("The size", is: "\(width) × \(height)", permitted: "\(Self.largestArea) pixels in all")
        }
        if sampleRate < 1 { throw .invalid("The sample rate", is: "\(sampleRate)", permitted: "1 Hz or more") }
        // So that lengths and differences of frames cannot overflow.
        let bound = Int64.max / 4
        if frames.lowerBound < -bound || frames.upperBound > bound {
            throw .invalid("The frames", is: "\(frames)", permitted: "\(-bound) to \(bound)")
        }
        (self.width, self.height, self.title, self.theme) = (width, height, title, theme)
        (self.sampleRate, self.frames, self.sections) = (sampleRate, frames, sections)
    }

    /// What cannot be shown as it should, although the picture can be drawn.
    ///
    /// Asks the machine's fonts; takes some milliseconds the first time. Empty where the libraries that draw are missing, which
    /// drawing tells.
    public var warnings: [PictureWarning] { warnings(fonts: .system) }

    func warnings(fonts: Fonts) -> [PictureWarning] {
        guard let canvas = try? Canvas(width: 1, height: 1, format: .png, fonts: fonts) else { return [] }
        if unsafe canvas.layout == nil { return [.noFont] }
        let missing = canvas.missing(in: [title] + sections.map(\.name))
        return missing.isEmpty ? [] : [.missingCharacters(String(missing))]
    }
}

/// A named range of a recording in a picture.
public struct PictureSection: Equatable, Sendable {
    /// What it is called; may be empty.
    public let name: String
    /// In absolute frames; may overlap others.
    public let frames: Range<Int64>

    /// A section.
    public init(name: String, frames: Range<Int64>) { (self.name, self.frames) = (name, frames) }
}

/// Whether a picture is bright or dark.
public enum PictureTheme: String, Sendable, CaseIterable {
    /// Dark on white.
    case light
    /// Bright on nearly black.
    case dark
}

/// The form of a picture's file.
public enum PictureFormat: String, Sendable, CaseIterable {
    /// Portable Network Graphics: pixels.
    case png
    /// Scalable Vector Graphics 1.1: shapes, and the letters as shapes, too; the title also as text.
    case svg
}

/// What a picture lacks for want of something on this machine.
public enum PictureWarning: Equatable, Sendable {
    /// There is no font: no text is drawn. Any font of Debian mends it, such as `fonts-dejavu-core`.
    case noFont
    /// No font has these characters; boxes stand in for them.
    case missingCharacters(String)
}

/// Text as it can be drawn and written into XML: without control characters, and without code points that are no characters.
func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: result.append(" ")
        // Direction marks would turn what follows around, also beyond the title.
        case .format where !scalar.properties.isJoinControl: continue
        case .unassigned where scalar.properties.isNoncharacterCodePoint: result.append("\u{FFFD}")
        default: result.append(scalar)
        }
    }
    return String(result)
}

extension PictureSheet {
    /// What is shown, in words.
    var spokenTimes: String {
        func text(_ frame: Int64) -> String {
            let milliseconds = (Double(frame) / Double(sampleRate) * 1000).rounded()
            return abs(milliseconds) < 1e18 ? TimeTicks.text(units: Int(milliseconds), decimals: 3) : "\(frame) frames"
        }
        return "from \(text(frames.lowerBound)) to \(text(frames.upperBound))"
    }
}
