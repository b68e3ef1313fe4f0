// Places in a recording as typed: `83.5`, `1:23.5`, `1:02:03.250`, `12f`, `50%`. `frame(in:)` converts each place to
// frames once the file is known.
import Terminal
import Woodshed

/// Properties of a recording, needed for the conversion.
struct Timeline: Equatable {
    /// Frames per second of the file itself; the unit of `12f`.
    let fileRate: Int
    /// Frames in the file itself.
    let fileFrames: Int64
    /// Frames per second of the clip during playback; equal to `fileRate` unless the device runs at another rate.
    let clipRate: Int
    /// Frames in the clip.
    let clipFrames: Int64
}

extension Timeline {
    /// Creates the timeline of a clip.
    init(_ clip: Clip) {
        self.init(
            fileRate: clip.info.sampleRate, fileFrames: clip.info.frameCount, clipRate: clip.sampleRate,
            clipFrames: clip.frameCount)
    }
}

/// A place in a recording, in the typed unit.
enum TimePoint: Hashable, Sendable {
    /// Seconds from the start.
    case seconds(Double)
    /// Frames of the file from the start.
    case frames(Int64)
    /// A share of the whole length, 0...1.
    case fraction(Double)

    /// Limit in seconds: longer than any recording, and short enough for an exact Int64 frame number at 768 kHz.
    static let maximumSeconds = 1e9

    init(parsing text: some StringProtocol) throws(ArgumentError) {
        if text.hasSuffix("f") {
            guard let frames = wholeNumber(text.dropLast()) else { throw Self.unreadable(text) }
            self = .frames(frames)
        } else if text.hasSuffix("%") {
            guard let percent = decimal(text.dropLast()) else { throw Self.unreadable(text) }
            guard percent <= 100 else {
                throw ArgumentError("'\(text)' is past the end", remedy: "Write 0% to 100%.")
            }
            self = .fraction(percent / 100)
        } else {
            self = .seconds(try Self.clockTime(text))
        }
    }

    /// Parses `S`, `M:S` or `H:M:S`, the last part with optional decimals.
    private static func clockTime(_ text: some StringProtocol) throws(ArgumentError) -> Double {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3, let last = parts.last, let seconds = decimal(last) else { throw unreadable(text) }
        var total = 0.0
        for (index, part) in parts.dropLast().enumerated() {
            guard let number = wholeNumber(part) else { throw unreadable(text) }
            // Only the first part may exceed 59: `90:00` is an hour and a half, `1:75` is a mistake.
            guard index == 0 || number < 60 else { throw unreadable(text) }
            total = (total + Double(number)) * 60
        }
        guard parts.count == 1 || seconds < 60 else { throw unreadable(text) }
        total += seconds
        guard total <= maximumSeconds else {
            throw ArgumentError("'\(text)' is longer than any recording", remedy: "Write a time within the recording.")
        }
        return total
    }

    private static func unreadable(_ text: some StringProtocol) -> ArgumentError {
        ArgumentError.unreadable(text, as: "a time", remedy: "Write 83.5, 1:23.5, 1:02:03.250, 50% or 12f for frames.")
    }

    /// Returns the nearest frame of the clip. A frame past the clip's end is refused later, by the score.
    func frame(in timeline: Timeline) -> Int64 {
        switch self {
        case .seconds(let seconds):
            return Int64((seconds * Double(timeline.clipRate)).rounded())
        case .frames(let frames):
            return Self.converted(frames, from: timeline.fileRate, to: timeline.clipRate)
        case .fraction(let fraction):
            return Int64((fraction * Double(timeline.clipFrames)).rounded())
        }
    }

    /// Returns the same moment at another rate, to the nearest frame, without leaving the range of Int64.
    static func converted(_ frames: Int64, from rate: Int, to other: Int) -> Int64 {
        guard rate != other else { return frames }
        let product = frames.multipliedFullWidth(by: Int64(other))
        // A larger quotient would not fit. The frame is outside every file, which the score reports.
        guard product.high < Int64(rate) / 2 else { return Int64.max }
        let (quotient, remainder) = Int64(rate).dividingFullWidth(product)
        return remainder * 2 >= Int64(rate) ? quotient + 1 : quotient
    }
}

/// A range of a recording as typed: `2.0-3.0`, `1:20-1:45`, `90112f-131072f`, `1:20-` to the end.
struct TimeRange: Hashable, Sendable {
    /// Start of the range; nil is the recording's start.
    let start: TimePoint?
    /// End of the range; nil is the recording's end.
    let end: TimePoint?

    /// The whole recording.
    static let whole = TimeRange(start: nil, end: nil)

    init(start: TimePoint?, end: TimePoint?) {
        self.start = start
        self.end = end
    }

    init(parsing text: String) throws(ArgumentError) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw ArgumentError.unreadable(
                text, as: "a section", remedy: "Write START-END, as in 2.0-3.0, 1:20-1:45 or 90112f-131072f.")
        }
        start = try TimePoint(parsing: parts[0])
        end = parts[1].isEmpty ? nil : try TimePoint(parsing: parts[1])
    }

    /// Returns both ends in frames of the clip. An end before the start is refused later, by the score.
    func bounds(in timeline: Timeline) -> (start: Int64, end: Int64) {
        (start?.frame(in: timeline) ?? 0, end?.frame(in: timeline) ?? timeline.clipFrames)
    }
}
