public import Explanations

/// The common properties of pictures of sound: their size and theme, and the part of a recording shown.
///
/// Every sheet is valid: the initialiser checks the values. Its size determines the number of columns of a picture in
/// advance: see ``WaveformPicture/plotWidth(on:)`` and ``SpectrogramPicture/plotSize(on:)``.
///
/// Real-time safe: no.
public struct PictureSheet: Equatable, Sendable {
    /// The permitted widths and heights, in pixels.
    package static let permittedSides = 1...16_384
    /// The largest number of pixels of a picture: 64 Mi, 256 MiB of memory while drawing.
    package static let largestArea = 1 << 26

    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// The title above the picture; empty for none. An ellipsis shortens a title without enough room.
    package let title: String
    /// In Hz.
    public let sampleRate: Int
    /// The range shown, in absolute frames; may be empty, and may reach beyond the recording.
    public let frames: Range<Int64>
    /// Named ranges of the recording, shown above the plot; ranges outside ``frames`` are left out.
    package let sections: [PictureSection]
    /// Light or dark.
    package let theme: PictureTheme

    /// Checks the values and creates a sheet.
    ///
    /// - Parameters:
    ///   - width: In pixels, 1 to 16384; labels without room are left out, from 160 on all kinds fit.
    ///   - height: In pixels, 1 to 16384.
    ///   - title: The title above the picture; empty for none.
    ///   - sampleRate: In Hz, 1 or more.
    ///   - frames: The range shown, in absolute frames within ±2^61.
    ///   - sections: Named ranges of the recording, in any order.
    ///   - theme: Light or dark.
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
        // Keeps lengths and differences of frames from overflowing.
        let bound = Int64.max / 4
        if frames.lowerBound < -bound || frames.upperBound > bound {
            throw .invalid("The frames", is: "\(frames)", permitted: "\(-bound) to \(bound)")
        }
        (self.width, self.height, self.title, self.theme) = (width, height, title, theme)
        (self.sampleRate, self.frames, self.sections) = (sampleRate, frames, sections)
    }

    /// Parts of the picture which this machine cannot show correctly, although the picture can be drawn.
    ///
    /// Checks the system's fonts; takes some milliseconds the first time. Empty if the drawing libraries are missing;
    /// drawing then reports the missing libraries.
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
    /// The name; may be empty.
    package let name: String
    /// In absolute frames; may overlap other sections.
    package let frames: Range<Int64>

    /// Makes a section.
    public init(name: String, frames: Range<Int64>) { (self.name, self.frames) = (name, frames) }
}

/// The brightness of a picture: light or dark.
public enum PictureTheme: String, Sendable, CaseIterable {
    /// Dark on white.
    case light
    /// Light on nearly black.
    case dark
}

/// The file format of a picture.
public enum PictureFormat: String, Sendable, CaseIterable {
    /// Portable Network Graphics: pixels.
    case png
    /// Scalable Vector Graphics 1.1: shapes, including letters; the title also as text.
    case svg
}

/// A part of a picture missing because of this machine.
public enum PictureWarning: Equatable, Sendable {
    /// There is no font: no text is drawn. Any font package of Debian solves this, such as `fonts-dejavu-core`.
    case noFont
    /// No font has these characters; boxes replace them.
    case missingCharacters(String)
}

/// Returns text which can be drawn and written into XML: without control characters and code points without a
/// character.
func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: result.append(" ")
        // Direction marks would also reverse the text after the marks, beyond the title.
        case .format where !scalar.properties.isJoinControl: continue
        case .unassigned where scalar.properties.isNoncharacterCodePoint: result.append("\u{FFFD}")
        default: result.append(scalar)
        }
    }
    return String(result)
}

extension PictureSheet {
    /// The range shown, in words.
    var spokenTimes: String {
        func text(_ frame: Int64) -> String {
            let milliseconds = (Double(frame) / Double(sampleRate) * 1000).rounded()
            return abs(milliseconds) < 1e18 ? TimeTicks.text(units: Int(milliseconds), decimals: 3) : "\(frame) frames"
        }
        return "from \(text(frames.lowerBound)) to \(text(frames.upperBound))"
    }
}
