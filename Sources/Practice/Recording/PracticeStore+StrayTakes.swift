internal import AudioFiles
internal import Files
internal import Glibc
package import Store
package import Takes

/// A recording in the folder for takes that is missing from the list of takes: its row was lost, or never written.
package struct StrayTake: Sendable, Hashable {
    /// The absolute path.
    package let path: String
    /// The length of the file in bytes.
    package let byteCount: Int64
    /// The take's sound. The time is the file's time, and the device is unknown.
    package let sound: StoredTake.Sound
}

extension PracticeStore {
    /// Returns the recordings in a folder for takes that are neither listed, nor in the trash, nor in the registry of
    /// running takes.
    ///
    /// - Parameters:
    ///   - folder: The folder. A missing folder has no takes.
    ///   - withDeleted: True to include files with hidden names, as a killed restoration leaves them. False while a
    ///     restoration may run, whose takes are in the store only at the end.
    ///   - registry: The registry of the running takes, and of the takes for `adoptTakes`.
    /// - Throws: `AudioFileError` if the folder or the registry cannot be read; `StoreError`.
    ///
    /// Real-time safe: no.
    package func strayTakes(
        in folder: String, withDeleted: Bool = false, registry: UnfinishedTakes = UnfinishedTakes()
    ) throws -> [StrayTake] {
        // In this order: a take that ends meanwhile is listed before it leaves the registry.
        let names = try Self.names(in: folder).filter {
            withDeleted && TakeTrash.isHiddenName($0) || !$0.hasPrefix(".")
        }.sorted()
        guard !names.isEmpty else { return [] }
        let running = try registry.paths()
        let all = try takes() + takes(TakeFilter(isTrash: true))
        let known = Dictionary(grouping: all.map(\.path) + all.map(\.currentPath), by: { fileName($0) })
        var stray: [StrayTake] = []
        for name in names {
            let path = folder + "/" + name
            func isSame(_ other: String) -> Bool {
                other == path || FileIdentity(path: other).map { $0.isSame(as: FileIdentity(path: path)) } ?? false
            }
            // The hidden file may belong to a take whose row cannot be read.
            guard !(known[name] ?? []).contains(where: isSame), unreadable.isEmpty || !TakeTrash.isHiddenName(name),
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

    /// Puts a stray take into the list. The file of a deleted take first gets a visible name.
    @discardableResult
    package func list(_ take: StrayTake) throws -> StoredTake {
        let path = try TakeTrash.isHiddenName(fileName(take.path)) ? TakeTrash.show(take.path) : take.path
        return try addTake(inFileAt: path, take.sound)
    }

    private static func names(in folder: String) throws(AudioFileError) -> [String] {
        do throws(FileFault) { return try FileName.names(in: folder) } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return [] }
            throw .reading(folder, errno: error.code)
        }
    }
}
