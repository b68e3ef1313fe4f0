// Shell completion of saved sections' and recipes' names.
import Glibc
import WoodshedPractice

/// Names the shell offers for a saved section or a recipe.
enum SectionNames {
    /// Returns the names of the sections of the recording on a command line, and the numbers of unnamed sections.
    ///
    /// Returns nothing, without a message, if the file or the store is missing.
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

    /// Returns the names of all recipes.
    @Sendable
    static func completeRecipes(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        ((try? SettingsLayers())?.recipes ?? []).map(\.name).filter { $0.hasPrefix(prefix) }
    }
}
