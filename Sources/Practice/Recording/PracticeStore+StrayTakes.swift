internal import AudioFiles
internal import Files
package import Store
package import Takes

/// A recording in the folder for takes that the list of takes does not have: its row was lost, or never written.
package struct StrayTake: Sendable, Hashable {
    /// Its absolute path.
    package let path: String
    /// The length of its file in bytes.
    package let byteCount: Int64
    /// Its sound. The time is that of its file, and the device is not known.
    package let sound: StoredTake.Sound
}

extension PracticeStore {
    /// The recordings in a folder for takes that are not listed, not in the trash and not in the registry of running takes.
    ///
    /// - Parameters:
    ///   - folder: The folder. One that is missing has no takes.
    ///   - registry: The registry, which has the takes that are being recorded, and those that `adoptTakes` lists.
    /// - Throws: `AudioFileError` if the registry cannot be read; `StoreError`.
    ///
    /// Real-time safe: no.
    package func strayTakes(
        in folder: String, registry: UnfinishedTakes = UnfinishedTakes()
    ) throws -> [StrayTake] {
        // In this order: a take that ends meanwhile leaves the registry after it is listed.
        let names = ((try? FileName.names(in: folder)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
        guard !names.isEmpty else { return [] }
        let running = try registry.paths()
        let listed = Dictionary(
            grouping: try takes() + takes(TakeFilter(isTrash: true)), by: { fileName($0.path) })
        var stray: [StrayTake] = []
        for name in names {
            let path = folder + "/" + name
            func isSame(_ other: String) -> Bool {
                other == path || FileIdentity(path: other).map { $0.isSame(as: FileIdentity(path: path)) } ?? false
            }
            guard !(listed[name] ?? []).contains(where: { isSame($0.path) }),
                !running.contains(where: { fileName($0) == name && isSame($0) }),
                let state = unsafe FileState(FileName.systemName(path)),
                let info = try? AudioFileInfo(path: path), info.frameCount > 0
            else { continue }
            let sound = StoredTake.Sound(
                time: state.modified.seconds, sampleRate: info.sampleRate, channelCount: info.channelCount,
                frameCount: info.frameCount)
            stray.append(StrayTake(path: path, byteCount: state.byteCount, sound: sound))
        }
        return stray
    }
}
