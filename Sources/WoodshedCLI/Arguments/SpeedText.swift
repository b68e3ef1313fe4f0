// Speeds as typed: `70%`, `0.7`, `0.7x`; and ramps `60%:100%:5%` or `60%:100%`. The bounds are the engine's, named here
// to report a mistake before any file is opened.
import Terminal

/// A speed, as a factor of the recording's own.
struct SpeedText: Hashable, Sendable {
    /// The engine's range, 25 % to 400 %.
    static let range = 0.25...4.0

    let factor: Double

    init(parsing text: some StringProtocol) throws(ArgumentError) {
        factor = try Self.number(text)
        guard !Self.range.contains(factor) else { return }
        // `70` most likely means 70 %.
        let isPercent = Self.range.contains(factor / 100) && !text.hasSuffix("%")
        throw ArgumentError(
            "a speed of \(text) is outside 25% to 400%",
            remedy: isPercent ? "Did you mean \(text)%?" : "Write a speed from 25% to 400%.")
    }

    /// Parses the three spellings without checking the range.
    static func number(_ text: some StringProtocol) throws(ArgumentError) -> Double {
        if text.hasSuffix("%"), let percent = decimal(text.dropLast()) { return percent / 100 }
        if let factor = decimal(text.hasSuffix("x") ? text.dropLast() : text[...]) { return factor }
        throw ArgumentError.unreadable(text, as: "a speed", remedy: "Write 70%, 0.7 or 0.7x.")
    }
}

/// A speed that changes by the same step from pass to pass and stays at the last speed. Without a step the speed glides
/// within each pass.
struct RampText: Hashable, Sendable {
    let from: Double
    let to: Double
    /// Size of a step as a factor, above 0; nil for a glide. The direction follows from `from` and `to`.
    let step: Double?

    init(parsing text: String) throws(ArgumentError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else {
            throw ArgumentError.unreadable(
                text, as: "a ramp",
                remedy: "Write FROM:TO:STEP, as in 60%:100%:5%, or FROM:TO for a glide within each pass.")
        }
        from = try SpeedText(parsing: parts[0]).factor
        to = try SpeedText(parsing: parts[1]).factor
        step = parts.count == 3 ? try SpeedText.number(parts[2]) : nil
        if let step, step <= 0 {
            throw ArgumentError(
                "the ramp's step is 0, so the ramp would never reach its last speed", remedy: "Write a step such as 5%."
            )
        }
    }
}

/// The silence after a pass: `0.1` seconds, `12f` frames of the file, `1.0x` of the pass's own length.
enum GapText: Hashable, Sendable {
    case seconds(Double)
    case frames(Int64)
    case passLengths(Double)

    /// An hour; a longer gap is a typing mistake.
    static let maximumSeconds = 3600.0

    init(parsing text: String) throws(ArgumentError) {
        let unreadable = ArgumentError.unreadable(
            text, as: "a gap", remedy: "Write 0.1 for seconds, 12f for frames or 1.0x for pass lengths.")
        if text.hasSuffix("f") {
            guard let frames = wholeNumber(text.dropLast()) else { throw unreadable }
            self = .frames(frames)
        } else if text.hasSuffix("x") {
            guard let lengths = decimal(text.dropLast()) else { throw unreadable }
            guard lengths <= 100 else {
                throw ArgumentError(
                    "a gap of \(text) is longer than 100 passes", remedy: "Write a gap of at most 100x.")
            }
            self = .passLengths(lengths)
        } else {
            guard let seconds = decimal(text) else { throw unreadable }
            guard seconds <= Self.maximumSeconds else {
                throw ArgumentError(
                    "a gap of \(text) s is longer than an hour",
                    remedy: "Write a gap of at most \(Int(Self.maximumSeconds)) seconds.")
            }
            self = .seconds(seconds)
        }
    }
}
