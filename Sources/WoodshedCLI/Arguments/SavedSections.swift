// The sections that are kept with a recording, for verbs that play it.
import Woodshed

/// Looks saved sections up when they are needed, and not before: to find them the recording's audio is read.
struct SavedSections {
    /// Whether they are played if the user names no section.
    let areDefault: Bool
    /// Which of them are played then, and how.
    let choice: SavedChoice
    private let load: () throws -> SectionList?

    /// For recordings that have none.
    static var none: SavedSections { SavedSections(areDefault: false) { nil } }

    init(areDefault: Bool, choice: SavedChoice = SavedChoice(), load: @escaping () throws -> SectionList?) {
        (self.areDefault, self.choice) = (areDefault, choice)
        self.load = load
    }

    /// All of them; nil if nothing was ever saved.
    func list() throws -> SectionList? { try load() }

    /// The one that a user means by a name or number.
    func section(named text: String) throws -> SavedSection {
        try (try load() ?? SectionList(sampleRate: 1, frameCount: 0)).meant(by: text)
    }
}

/// Which saved sections are played, and which of their own settings count: not those for which the user gave an option.
struct SavedChoice: Equatable, Sendable {
    var speed = true
    var passes = true
    var gap = true
    /// Only those that are marked as hard.
    var onlyHard = false
    /// Only those with these identities; nil for all.
    var only: Set<Int>?

    /// Whether some are left out.
    var isRestricted: Bool { onlyHard || only != nil }

    /// The sections of a list, in its order, with their identities.
    func sections(of list: SectionList, _ timeline: Timeline) throws -> [(section: Section, savedID: Int?)] {
        try list.sections.filter { ($0.isHard || !onlyHard) && only?.contains($0.id) != false }.map {
            (try $0.section(of: timeline, self), $0.id)
        }
    }
}

extension SavedSection {
    /// The section in frames of the clip, at the engine's rate, with those of its own settings that count.
    func section(of timeline: Timeline, _ choice: SavedChoice = SavedChoice()) throws -> Section {
        func frame(_ frame: Int64) -> Int64 {
            min(TimePoint.converted(frame, from: timeline.fileRate, to: timeline.clipRate), timeline.clipFrames)
        }
        let settings = KeptSettings(settings)
        let range = frame(frames.lowerBound)..<max(frame(frames.lowerBound), frame(frames.upperBound))
        let speed = choice.speed ? settings.speed : nil
        return try Section(
            range, name: name.isEmpty ? nil : name, passes: choice.passes ? settings.passes : nil,
            speeds: try speed.map { .constant(try Speed(factor: $0.factor)) },
            gap: choice.gap ? settings.gap?.gap(in: timeline) : nil)
    }
}
