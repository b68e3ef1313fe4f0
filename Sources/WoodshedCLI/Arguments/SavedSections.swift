// Sections kept with a recording, for verbs that play it.
import WoodshedPractice

/// Looks up saved sections on demand only, because the lookup reads the recording's audio.
struct SavedSections {
    /// True if the saved sections are played when the user names no section.
    let areDefault: Bool
    /// The saved sections to play in this case, and the own settings that apply.
    let choice: SavedChoice
    private let load: () throws -> SectionList?

    /// Value for recordings without saved sections.
    static var none: SavedSections { SavedSections(areDefault: false) { nil } }

    init(areDefault: Bool, choice: SavedChoice = SavedChoice(), load: @escaping () throws -> SectionList?) {
        (self.areDefault, self.choice) = (areDefault, choice)
        self.load = load
    }

    /// Returns all saved sections; nil if nothing was ever saved.
    func list() throws -> SectionList? { try load() }

    /// Returns the section that a user's name or number refers to.
    func section(named text: String) throws -> SavedSection {
        try (try load() ?? SectionList(sampleRate: 1, frameCount: 0)).meant(by: text)
    }
}

/// Selects the saved sections to play, and the own settings that apply. A section's setting does not apply if the user
/// gave the option.
struct SavedChoice: Equatable, Sendable {
    var speed = true
    var passes = true
    var gap = true
    /// True to select only sections marked as hard.
    var onlyHard = false
    /// Identities of the selected sections; nil for all.
    var only: Set<Int>?

    /// True if some sections are left out.
    var isRestricted: Bool { onlyHard || only != nil }

    /// Returns the selected sections of a list, in its order, with their identities.
    func sections(of list: SectionList, _ timeline: Timeline) throws -> [(section: Section, savedID: Int?)] {
        try list.sections.filter { ($0.isHard || !onlyHard) && only?.contains($0.id) != false }.map {
            (try $0.section(of: timeline, self), $0.id)
        }
    }
}

extension SavedSection {
    /// Returns the section in frames of the clip, at the engine's rate, with the own settings that apply.
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
