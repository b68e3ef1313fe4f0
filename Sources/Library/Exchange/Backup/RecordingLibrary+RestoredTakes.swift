// The names of takes that come from a backup.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import Files
internal import Store

/// The result of putting a take of a backup into its place.
enum RestoredTake {
    /// The take is at this path.
    case placed(String)
    /// Its sound is not that of the key.
    case wrong
    /// Its sound could not be compared, for this reason.
    case unknown(String)
}

extension RecordingLibrary {
    /// The paths of takes that are listed or in the trash, with the numbers of their takes. A take whose file is missing keeps its name.
    func takePaths() throws(StoreError) -> [String: Set<Int>] {
        let takes =
            try store.read { (rows) throws(DatabaseError) -> [StoredTake] in
                try rows.takes(TakeFilter()) + rows.takes(TakeFilter(isTrash: true))
            } ?? []
        return Dictionary(takes.map { ($0.path, Set([$0.number])) }) { $0.union($1) }
    }

    /// Puts a take of a backup into the folder for takes, under the name that it had, or the next one that is free. A name that the file system
    /// refuses is replaced by one that follows from the key.
    ///
    /// - Parameters:
    ///   - path: Where it was on the computer of the backup, of which only the last part counts; nil if that is not known.
    ///   - number: The number of the take in the store; nil if it is not there yet.
    ///   - used: The result of ``takePaths()``.
    func putTake(
        _ source: String, _ key: RecordingKey, ending: String, was path: String?, number: Int?,
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
            if used[place]?.contains(where: { $0 != number }) == true { continue }
            // A restoration that was interrupted has put it there.
            if let known = unsafe FileState(place), known.byteCount == byteCount, Self.isSound(place, key) {
                return .placed(place)
            }
            if FileIdentity(path: place) != nil { continue }
            let copying = try copyChecked(
                source, to: place, through: folder.newPart(), replaces: false,
                check: { ContentCheck.sound(of: $0, key) })
            switch copying {
            case .copied: return .placed(place)
            case .wrong: return .wrong
            case .unknown(let reason): return .unknown(reason)
            case .taken: break
            case .refused(let error):
                guard name.stem != plainName.stem else { throw error }
                (name, count) = (plainName, 1)
            }
        }
    }
}

/// A name for a file in the folder for takes, from outside.
private struct TakeName {
    let stem: String
    let ending: String

    init(_ key: RecordingKey, ending: String) { (stem, self.ending) = ("take-\(key)", ending) }

    /// Nil if the last part of the path is no name for a take of this ending.
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

    /// The longest name in bytes. It leaves room for a number.
    private static let longest = 240

    func numbered(_ count: Int) -> String { "\(stem)\(count == 1 ? "" : " (\(count))").\(ending)" }
}
