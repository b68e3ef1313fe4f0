// The sections that are kept with a recording, for verbs that play it.
import Woodshed

/// Looks saved sections up when they are needed, and not before: to find them the recording's audio is read.
struct SavedSections {
    /// Whether they are played if the user names no section.
    let areDefault: Bool
    private let load: () throws -> SectionList?

    /// For recordings that have none.
    static var none: SavedSections { SavedSections(areDefault: false) { nil } }

    init(areDefault: Bool, load: @escaping () throws -> SectionList?) {
        self.areDefault = areDefault
        self.load = load
    }

    /// All of them; nil if nothing was ever saved.
    func list() throws -> SectionList? { try load() }

    /// The one that a user means by a name or number.
    func section(named text: String) throws -> SavedSection {
        try (try load() ?? SectionList(sampleRate: 1, frameCount: 0)).meant(by: text)
    }
}

extension SavedSection {
    /// The section in frames of the clip, at the engine's rate.
    func section(of timeline: Timeline) throws -> Section {
        func frame(_ frame: Int64) -> Int64 {
            min(TimePoint.converted(frame, from: timeline.fileRate, to: timeline.clipRate), timeline.clipFrames)
        }
        let range = frame(frames.lowerBound)..<max(frame(frames.lowerBound), frame(frames.upperBound))
        return try Section(range, name: name.isEmpty ? nil : name)
    }
}
