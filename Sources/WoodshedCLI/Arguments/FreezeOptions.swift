// Holding the sound of one place, instead of playing passes, for `render`.
import ArgumentParser
import Terminal
import WoodshedPractice

/// The held place, and the duration of the held sound.
struct FreezeOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Hold the sound at this time instead of playing.", valueName: "time"),
        transform: { try TimePoint(parsing: try optionValue($0)) })
    var freeze: TimePoint?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Hold for 0.01 to 3600 seconds. (default: 10)", valueName: "seconds"),
        transform: { try seconds($0) })
    var freezeLength: Double?

    private static let standardSeconds = 10.0

    mutating func validate() throws {
        guard freezeLength != nil, freeze == nil else { return }
        throw ValidationError("--freeze-length needs --freeze and a time.")
    }

    /// Returns the place in a recording, inside a played section; nil without the option.
    func place(in timeline: Timeline, of sections: [Section]) throws -> FrozenPlace? {
        guard let frame = freeze?.frame(in: timeline) else { return nil }
        guard sections.contains(where: { $0.range.contains(frame) }) else {
            throw CommandFailure(
                .badData, "--freeze: the time lies outside the played range",
                remedy: "Choose a time inside the recording, or inside the section.")
        }
        let seconds = freezeLength ?? Self.standardSeconds
        return FrozenPlace(
            clipFrame: frame, frameCount: max(1, Int64((seconds * Double(timeline.clipRate)).rounded())))
    }

    private static func seconds(_ text: String) throws(ArgumentError) -> Double {
        guard let seconds = decimal(try optionValue(text)), (0.01...3600).contains(seconds) else {
            throw ArgumentError.unreadable(text, as: "a length", remedy: "Write seconds from 0.01 to 3600.")
        }
        return seconds
    }
}
