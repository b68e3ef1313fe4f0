// Names of takes from a backup.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import Files
internal import Store

/// Result of restoring a take from a backup.
enum RestoredTake {
    /// The take is at this path.
    case placed(String)
    /// The sound does not match the key.
    case wrong
    /// The sound could not be compared, for this reason.
    case unknown(String)
    /// Another file has this hidden name, which belongs to the take in the trash.
    case taken(String)
}

extension RecordingLibrary {
    /// Returns the paths of listed and trashed takes, with the numbers of their takes. A take with a missing file keeps
    /// its name.
    func takePaths() throws(StoreError) -> [String: Set<Int>] {
        let takes =
            try store.read { (rows) throws(DatabaseError) -> [StoredTake] in
                try rows.takes(TakeFilter()) + rows.takes(TakeFilter(isTrash: true))
            } ?? []
        return Dictionary(takes.map { ($0.path, Set([$0.number])) }) { $0.union($1) }
    }

    /// Puts a take of a backup into the folder for takes, under its former name or the next free name. If the file
    /// system refuses the name, a name derived from the key is used. A take in the trash gets a free name, and its file
    /// the hidden name.
    ///
    /// - Parameters:
    ///   - path: Path on the computer of the backup; only its last part counts. Nil if unknown.
    ///   - take: The take in the store; nil if the store does not have the take yet.
    ///   - used: Result of ``takePaths()``, with the paths given since.
    func putTake(
        _ source: String, _ key: RecordingKey, ending: String, was path: String?, _ take: StoredTake?,
        used: [String: Set<Int>]
    ) throws -> RestoredTake {
        let plainName = TakeName(key, ending: ending)
        var name = path.flatMap { TakeName($0, ending: ending) } ?? plainName
        try Self.makeFolders(above: takesFolder + "/x")
        let byteCount = unsafe FileState(FileName.systemName(source))?.byteCount
        var count = 1
        while true {
            let place = takesFolder + "/" + name.numbered(count)
            count += 1
            if used[place]?.contains(where: { $0 != take?.number }) == true { continue }
            let hidden = take.flatMap { $0.isTrashed ? TakeTrash.path(of: place, number: $0.number) : nil }
            if hidden != nil, FileIdentity(path: place) != nil { continue }
            let target = hidden ?? place
            // An interrupted restore has already put the take here.
            if let known = unsafe FileState(target), known.byteCount == byteCount, Self.isSound(target, key) {
                return .placed(place)
            }
            if hidden == nil, FileIdentity(path: place) != nil { continue }
            let copying = try copyChecked(
                source, to: target, through: folder.newPart(), replaces: false,
                check: { ContentCheck.sound(of: $0, key) })
            switch copying {
            case .copied: return .placed(place)
            case .wrong: return .wrong
            case .unknown(let reason): return .unknown(reason)
            case .taken: if let hidden { return .taken(hidden) }
            case .refused(let error):
                guard name.stem != plainName.stem else { throw error }
                (name, count) = (plainName, 1)
            }
        }
    }

    // MARK: Takes whose files are not here

    /// Moves takes of a foreign store away from paths with other files, perhaps the user's: removing a take also
    /// removes its file. Each such take gets a free path in the folder for takes. An empty path stays, because a disk
    /// with the take may come back.
    ///
    /// - Parameter others: Takes of the store here. Takes with equal path and time are the same take.
    func moveAwayTakes(besides others: [StoredTake] = []) throws(StoreError) {
        let times = Dictionary(grouping: others, by: \.path).mapValues { Set($0.map(\.sound.time)) }
        let takes = try store.takes() + store.takes(TakeFilter(isTrash: true))
        let marks = try store.read { (rows) throws(DatabaseError) in try rows.takeMarks() } ?? [:]
        var used = Set(takes.map(\.path)).union(times.keys)
        var moved: [(number: Int, path: String, key: RecordingKey?)] = []
        for take in takes.sorted(by: { $0.number < $1.number }) {
            let key = marks[take.number]?.key
            guard times[take.path]?.contains(take.sound.time) != true, Self.hasOtherFile(take, key) else { continue }
            let name = TakeName(take.path, ending: FileFormat.ending(of: take.path)) ?? TakeName(take)
            var (path, count) = ("", 0)
            repeat {
                count += 1
                path = takesFolder + "/" + name.numbered(count)
                // An earlier merge has given the take this path.
                if times[path]?.contains(take.sound.time) == true { break }
            } while used.contains(path) || FileIdentity(path: path) != nil
            used.insert(path)
            moved.append((take.number, path, key))
        }
        guard !moved.isEmpty else { return }
        try store.change { [moved] (rows) throws(DatabaseError) in
            for take in moved {
                try rows.updateTake(take.number, .path, .text(take.path))
                try rows.setContent(take.key, ofTake: take.number)
            }
        }
    }

    /// True if a file is at the path of a take, and neither its sound nor its length proves that the file belongs to
    /// the take.
    private static func hasOtherFile(_ take: StoredTake, _ key: RecordingKey?) -> Bool {
        // A relative path would depend on the program's working folder.
        guard take.path.hasPrefix("/") else { return true }
        // No other program gives a file this name.
        if take.isTrashed, FileIdentity(path: take.currentPath) != nil { return false }
        guard FileIdentity(path: take.path) != nil else { return false }
        if let key, isSound(take.path, key) { return false }
        // With an unknown length, only the times of the take and the file can prove ownership.
        if take.sound.frameCount == 0 { return !TakeTrash.isOwn(take, at: take.path) }
        guard !TakeTrash.isOther(take), let info = try? AudioFileInfo(path: take.path)
        else { return true }
        let seconds = Double(take.sound.frameCount) / Double(take.sound.sampleRate)
        // Conversion into a lossy format may change the rate and add some frames.
        return info.channelCount != take.sound.channelCount || abs(info.seconds - seconds) > 0.25
    }
}

/// A name, from outside, for a file in the folder for takes.
private struct TakeName {
    let stem: String
    let ending: String

    init(_ key: RecordingKey, ending: String) { (stem, self.ending) = ("take-\(key)", ending) }

    /// Derives a name from the description of a take.
    init(_ take: StoredTake) { (stem, ending) = ("take-\(take.sound.time)-\(take.number)", "wav") }

    /// Nil if the last part of the path is no valid name for a take with this ending.
    init?(_ path: String, ending: String) {
        let name = fileName(path)
        guard let dot = name.lastIndex(of: "."), name[name.index(after: dot)...].lowercased() == ending,
            !name.hasPrefix("."), name.utf8.count <= Self.longest,
            name.unicodeScalars.allSatisfy({ scalar in
                let isControl = scalar.value < 32 || (127...159).contains(scalar.value)
                return !isControl && scalar != "/" && !FileName.standsForByte(scalar)
            })
        else { return nil }
        (stem, self.ending) = (String(name[..<dot]), String(name[name.index(after: dot)...]))
    }

    /// Longest name in bytes. Leaves room for a number.
    private static let longest = 240

    func numbered(_ count: Int) -> String { "\(stem)\(count == 1 ? "" : " (\(count))").\(ending)" }
}
