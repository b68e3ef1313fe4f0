// Pitches as typed: `+3`, `-2.5` in semitones, `30c`, `-15c` in cents. The bounds are the engine's, named here to
// report a mistake before any file is opened.
import Terminal

/// The change of pitch, in semitones.
struct PitchText: Hashable, Sendable {
    /// The engine's range, two octaves down and up.
    static let range = -24.0...24.0

    let semitones: Double

    init(parsing text: String) throws(ArgumentError) {
        let isDown = text.hasPrefix("-")
        let number = isDown || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let isCents = number.hasSuffix("c")
        guard let size = decimal(isCents ? number.dropLast() : number) else {
            throw ArgumentError.unreadable(
                text, as: "a pitch", remedy: "Write +3 or -2.5 for semitones, 30c for cents.")
        }
        semitones = (isDown ? -size : size) / (isCents ? 100 : 1)
        guard !Self.range.contains(semitones) else { return }
        // So large a value is more likely in cents.
        throw ArgumentError(
            "a pitch of \(text) is outside -24 to +24 semitones",
            remedy: !isCents && size <= 2400
                ? "Did you mean \(text)c?" : "Write a pitch from -24 to +24 semitones, or from -2400c to +2400c.")
    }
}
