// Options for finding sections by their pauses.
import ArgumentParser
import Terminal
import WoodshedPractice

/// The settings of `sections FILE auto`.
struct FindingOptions: ParsableArguments {
    @Flag(name: .long, help: "Save the found sections instead of only listing them.")
    var yes = false

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Shortest pause between two sections, 0.05 to 10 s. (default: 0.35)", valueName: "s"),
        transform: { try seconds($0, in: 0.05...10) })
    var minPause: Double?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Join shorter sections to a neighbour, 0 to 60 s. (default: 0.3)", valueName: "s"),
        transform: { try seconds($0, in: 0...60) })
    var minLength: Double?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Split longer sections, 1 to 3600 s. (default: 15)", valueName: "s"),
        transform: { try seconds($0, in: 1...3600) })
    var maxLength: Double?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Loudest pause, -100 to 0 dB. (default: measured)", valueName: "dB"),
        transform: { try threshold($0) })
    var threshold: Double?

    /// Names of the given options.
    var given: [String] {
        [
            ("--yes", yes), ("--min-pause", minPause != nil), ("--min-length", minLength != nil),
            ("--max-length", maxLength != nil), ("--threshold", threshold != nil),
        ].filter(\.1).map(\.0)
    }

    var finder: SectionFinder {
        var finder = SectionFinder()
        if let minPause { finder.minimumPause = minPause }
        if let minLength { finder.minimumLength = minLength }
        if let maxLength { finder.maximumLength = maxLength }
        finder.thresholdDecibels = threshold
        return finder
    }

    private static func seconds(_ text: String, in range: ClosedRange<Double>) throws(ArgumentError) -> Double {
        guard let seconds = decimal(try optionValue(text)), range.contains(seconds) else {
            let bounds = "\(fixed(range.lowerBound, decimals: 2)) to \(fixed(range.upperBound, decimals: 0))"
            throw ArgumentError.unreadable(text, as: "a length", remedy: "Write seconds from \(bounds).")
        }
        return seconds
    }

    private static func threshold(_ text: String) throws(ArgumentError) -> Double {
        let text = try optionValue(text)
        guard let size = decimal(text.hasPrefix("-") ? text.dropFirst() : text[...]), text.hasPrefix("-") || size == 0,
            size <= 100
        else { throw ArgumentError.unreadable(text, as: "a level", remedy: "Write decibels from -100 to 0.") }
        return -size
    }
}
