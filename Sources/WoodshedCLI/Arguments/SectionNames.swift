// Names of saved sections, and of recipes, for the completion of the shell.
import Glibc
import Woodshed

/// What the shell offers where a saved section or a recipe is named.
enum SectionNames {
    /// The names of the sections of the recording on a command line, and the numbers of those without a name.
    ///
    /// Nothing is offered, and nothing told, if there is no such file, or no store.
    @Sendable
    static func complete(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let recording = words.dropFirst(2).first { !$0.hasPrefix("-") && isFile($0) }
        guard let recording, let info = try? AudioFileInfo(path: recording),
            let store = try? PracticeStore(.user), let kept = try? store.recording(of: info),
            let list = try? store.sections(of: kept)
        else { return [] }
        let names = list.sections.enumerated().map { $1.name.isEmpty ? String($0 + 1) : $1.name }
        return names.filter { $0.hasPrefix(prefix) }
    }

    /// The names of all recipes.
    @Sendable
    static func completeRecipes(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        ((try? SettingsLayers())?.recipes ?? []).map(\.name).filter { $0.hasPrefix(prefix) }
    }
}
