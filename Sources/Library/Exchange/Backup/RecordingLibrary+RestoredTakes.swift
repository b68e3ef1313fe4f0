// The names of takes that come from a backup.
internal import AudioFiles
internal import Catalogue
internal import Files

extension RecordingLibrary {
    /// Puts a take of a backup into the folder for takes, under the name that it had, or the next one that is free.
    ///
    /// - Parameter path: Where it was on the computer of the backup, of which only the last part counts; nil if that is not known.
    /// - Returns: Its place; nil if its sound is not that of the key.
    func putTake(_ source: String, _ key: RecordingKey, ending: String, was path: String?) throws -> String? {
        let name = path.flatMap { TakeName($0, ending: ending) } ?? TakeName(key, ending: ending)
        try Self.makeFolders(above: takesFolder + "/x")
        let byteCount = unsafe FileState(FileName.systemName(source))?.byteCount
        var count = 1
        while true {
            let place = takesFolder + "/" + name.numbered(count)
            // A restoration that was interrupted has put it there.
            if let known = unsafe FileState(place), known.byteCount == byteCount, Self.isSound(place, key) {
                return place
            }
            if FileIdentity(path: place) == nil {
                switch try copyChecked(source, to: place, replaces: false, isRight: { Self.isSound($0, key) }) {
                case .copied: return place
                case .wrong: return nil
                case .taken: break
                }
            }
            count += 1
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
