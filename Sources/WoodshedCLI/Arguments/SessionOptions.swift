// Options for the course of a session through its sections.
import ArgumentParser
import Terminal
import WoodshedPractice

/// Order of the sections, and the actions before and between sections.
struct SessionOptions: ParsableArguments {
    @Flag(name: .customLong("repeat"), help: "Start over with the first section after the last.")
    var repeats = false

    @Flag(name: .long, help: "Play the sections in random order.")
    var shuffle = false

    @Flag(name: .long, help: "Play only saved sections marked as hard.")
    var hard = false

    @Flag(name: .long, help: "Play the due sections; the recording is optional.")
    var due = false

    @Flag(name: .long, help: "Snap marks to silence or a zero crossing within 20 ms.")
    var snap = false

    @Option(
        name: .long, help: .init("Show a section's text: during (default), after, never.", valueName: "moment"),
        transform: { try TextMoment(parsing: optionValue($0)) })
    var text: TextMoment = .during

    @Option(
        name: .long, help: .init("Follow a recipe: intensive, shadow, blind or your own.", valueName: "name"),
        completion: .custom(SectionNames.completeRecipes))
    var recipe: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Start with this section of the list, from 1.", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var fromSection: Int?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Count-in clicks, 1 to 32: 4, 4:90 (bpm), or none.", valueName: "n[:bpm]"),
        transform: { try CountInText(parsing: optionValue($0)) })
    var countIn: CountInText?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init(
            "Rewind after a pause: auto, off, or 0 to 60 seconds. (default: auto)", valueName: "t",
            visibility: .hidden),
        transform: { try ResumeRewindText(parsing: optionValue($0)) })
    var resumeRewind: ResumeRewindText?

    @Option(
        name: .long,
        help: .init(
            "Play model and take together: split (model left, take right) or mix. (default: split)", valueName: "how",
            visibility: .hidden),
        transform: { try BothText(parsing: optionValue($0)) })
    var both: BothText = .split

    /// True if the user chose the first section.
    var choosesBeginning: Bool { fromSection != nil || shuffle }

    /// Returns the session for a plan.
    ///
    /// - Throws: A `CommandFailure` if the number of the first section exceeds the number of sections.
    func sessionPlan(_ practice: PracticePlan, savedIDs: [Int?] = []) throws -> SessionPlan {
        let count = practice.sections.count
        if let fromSection, fromSection > count {
            throw CommandFailure(
                .badData, "there is no section \(fromSection)", remedy: "Choose a section from 1 to \(count).")
        }
        var plan = SessionPlan(
            practice, savedIDs: savedIDs, order: shuffle ? .shuffled(seed: .random(in: 0...UInt64.max)) : .listed,
            firstSection: fromSection ?? 1, countIn: countIn?.countIn,
            resumeRewind: resumeRewind?.rewind ?? .automatic)
        plan.snapsEdges = snap
        return plan
    }
}

/// Clicks as typed: `4`, `4:90` for 90 a minute, or `none`.
struct CountInText: Hashable, Sendable {
    /// Nil for none.
    let countIn: CountIn?

    init(parsing text: String) throws(ArgumentError) {
        if text == "none" {
            countIn = nil
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let clicks = wholeNumber(parts[0])
        let tempo = parts.count == 2 ? decimal(parts[1]) : 100
        guard parts.count <= 2, let clicks, let tempo, clicks <= Int64(CountIn.clickRange.upperBound),
            let countIn = CountIn(clicks: Int(clicks), tempo: tempo)
        else {
            throw ArgumentError.unreadable(
                text, as: "a count-in", remedy: "Write 4, 4:90 (1 to 32 clicks, 20 to 400 a minute), or none.")
        }
        self.countIn = countIn
    }
}

/// Rewind after a pause, as typed.
struct ResumeRewindText: Hashable, Sendable {
    let rewind: ResumeRewind

    /// Longest rewind a user can ask for, in seconds.
    private static let longest = 60.0

    init(parsing text: String) throws(ArgumentError) {
        switch text {
        case "auto": rewind = .automatic
        case "off": rewind = .off
        default:
            guard let seconds = decimal(text), seconds <= Self.longest else {
                throw ArgumentError.unreadable(
                    text, as: "a time to repeat", remedy: "Write auto, off, or 0 to 60 seconds.")
            }
            rewind = .seconds(seconds)
        }
    }
}

extension TextMoment {
    init(parsing text: String) throws(ArgumentError) {
        guard let moment = TextMoment(rawValue: text) else {
            throw ArgumentError.unreadable(text, as: "a moment", remedy: "Write during, after or never.")
        }
        self = moment
    }
}
