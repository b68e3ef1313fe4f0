// The user's configuration in a backup. Each content has a file of its own, so that the one of the last whole backup stays until there is a new one.
internal import AudioFiles
internal import Catalogue
internal import Files
internal import JSON

struct BackupSettings: Equatable {
    /// A file of the configuration.
    struct File: Equatable {
        /// What it was called.
        let name: String
        /// Identifies its content, and names its copy.
        let hash: String
    }

    static let folder = "settings"

    private(set) var files: [File] = []

    /// The path of a copy below the backup's folder.
    static func place(_ file: File) -> String { "\(folder)/\(file.hash).conf" }

    var json: JSONValue {
        .array(files.map { .object([.init("name", .string($0.name)), .init("hash", .string($0.hash))]) })
    }

    init() {}

    /// Reads what ``json`` gives. What cannot be is passed over.
    init(_ value: JSONValue?) {
        files = (value?.elements ?? []).compactMap { entry in
            guard let name = entry["name"]?.stringValue, let hash = entry["hash"]?.stringValue,
                DocumentFile.isHash(hash)
            else { return nil }
            return File(name: name, hash: hash)
        }
    }

    /// Copies the files that are there.
    mutating func copy(
        _ paths: [String], to target: String, _ library: RecordingLibrary, _ summary: inout BackupSummary
    ) throws {
        for path in paths where unsafe FileState(FileName.systemName(path)) != nil {
            guard let hash = DocumentFile.hash(ofFileAt: path) else {
                summary.problems.append("\(path) cannot be read, and is not in the backup")
                continue
            }
            let file = File(name: fileName(path), hash: hash)
            let place = target + "/" + Self.place(file)
            try RecordingLibrary.makeFolders(above: place)
            if DocumentFile.hash(ofFileAt: place) != hash {
                guard try library.copyChecked(path, to: place, isRight: { DocumentFile.hash(ofFileAt: $0) == hash })
                else {
                    summary.problems.append("\(path) was changed while it was copied, and is not in the backup")
                    continue
                }
            }
            files.append(file)
            summary.settings += 1
        }
    }

    /// Puts files back that are missing here. One that is here stays as it is.
    func restore(
        _ paths: [String], from backup: String, _ library: RecordingLibrary, _ summary: inout ImportSummary
    ) throws {
        for path in paths {
            guard let file = files.first(where: { $0.name == fileName(path) }) else { continue }
            let place = backup + "/" + Self.place(file)
            let isRight = { DocumentFile.hash(ofFileAt: $0) == file.hash }
            if isRight(path) { continue }
            guard FileIdentity(path: path) == nil else {
                summary.otherSettings.append(place)
                continue
            }
            guard isRight(place) else {
                summary.refused.append("\(place): it is missing, or not the configuration that was put there")
                continue
            }
            try RecordingLibrary.makeFolders(above: path)
            switch try library.copyChecked(place, to: path, replaces: false, isRight: isRight) {
            case .copied: summary.settings.append(path)
            case .taken: summary.otherSettings.append(place)
            case .wrong: summary.refused.append("\(place): it was changed while it was copied")
            }
        }
    }

    /// Removes copies that the backup does not name.
    func removeOthers(in target: String, _ library: RecordingLibrary) {
        let own = Set(files.map { fileName(Self.place($0)) })
        for name in (try? Folder.names(in: target + "/" + Self.folder)) ?? [] where !own.contains(name) {
            let words = name.split(separator: ".", omittingEmptySubsequences: false)
            let isOurs = words.count == 2 && words[1] == "conf" && DocumentFile.isHash(String(words[0]))
            let isPart = name.hasPrefix(".woodshed-") && name.hasSuffix(FilePlace.temporarySuffix)
            if isOurs || isPart { _ = library.calls.remove("\(target)/\(Self.folder)/\(name)") }
        }
    }
}
