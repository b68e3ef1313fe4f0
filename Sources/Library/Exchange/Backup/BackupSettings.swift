// The user's configuration in a backup. Each content has a separate file, so the copy of the last complete backup stays
// until a new copy exists.
internal import AudioFiles
internal import Catalogue
internal import Explanations
internal import Files
internal import JSON

struct BackupSettings: Equatable {
    /// A file of the configuration.
    struct File: Equatable {
        /// Name of the file on its computer.
        let name: String
        /// Hash of the content. Also names the copy.
        let hash: String
    }

    static let folder = "settings"

    private(set) var files: [File] = []

    /// Returns the path of a copy, relative to the backup's folder.
    static func place(_ file: File) -> String { "\(folder)/\(file.hash).conf" }

    var json: JSONValue {
        .array(files.map { .object([.init("name", .string($0.name)), .init("hash", .string($0.hash))]) })
    }

    init() {}

    /// Reads the value of ``json``. Skips impossible entries.
    init(_ value: JSONValue?) {
        files = (value?.elements ?? []).compactMap { entry in
            guard let name = entry["name"]?.stringValue, let hash = entry["hash"]?.stringValue,
                DocumentFile.isHash(hash)
            else { return nil }
            return File(name: name, hash: hash)
        }
    }

    /// Copies the existing files. If a file cannot be copied, its copy from the last backup stays.
    mutating func copy(
        _ paths: [String], to target: String, last: BackupSettings?, _ library: RecordingLibrary,
        _ summary: inout BackupSummary
    ) {
        for path in paths where unsafe FileState(FileName.systemName(path)) != nil {
            do {
                let file = try copied(path, to: target, library)
                files.append(file)
                summary.settings += 1
            } catch {
                let old = last?.files.first { file in
                    file.name == fileName(path) && FileIdentity(path: target + "/" + Self.place(file)) != nil
                }
                if let old { files.append(old) }
                let words = old == nil ? "is not in the backup" : "was not copied; its last copy stays in the backup"
                summary.problems.append("\(path) \(words): \(ContentCheck.reason(error))")
            }
        }
    }

    private func copied(_ path: String, to target: String, _ library: RecordingLibrary) throws -> File {
        let hash = try ContentCheck.hash(of: path)
        let file = File(name: fileName(path), hash: hash)
        let place = target + "/" + Self.place(file)
        try RecordingLibrary.makeFolders(above: place)
        if DocumentFile.hash(ofFileAt: place) == hash { return file }
        switch try library.copyChecked(path, to: place, check: { ContentCheck.content(of: $0, hash) }) {
        case .copied: return file
        case .wrong, .taken:
            throw RecordingLibraryError(
                .changed, "it was changed while it was copied", remedy: "Write the backup again.")
        case .unknown(let reason):
            // The reason ends with its own remedy, in a sentence.
            throw RecordingLibraryError(
                .io, reason.hasSuffix(".") ? String(reason.dropLast()) : reason, remedy: "Then write the backup again.")
        case .refused(let error): throw error
        }
    }

    /// Restores files missing here, without the options that start programs. An existing file stays unchanged.
    func restore(
        _ paths: [String], from backup: String, _ library: RecordingLibrary, _ summary: inout ImportSummary
    ) {
        for path in paths {
            guard let file = files.first(where: { $0.name == fileName(path) }) else { continue }
            // The library is already restored, so an error here is only reported.
            do { try restore(file, to: path, from: backup, library, &summary) } catch {
                summary.refused.append("the settings are not brought back: \(ContentCheck.reason(error))")
            }
        }
    }

    private func restore(
        _ file: File, to path: String, from backup: String, _ library: RecordingLibrary,
        _ summary: inout ImportSummary
    ) throws {
        let place = backup + "/" + Self.place(file)
        if ContentCheck.content(of: path, file.hash) == .right { return }
        let isThere = FileIdentity(path: path) != nil
        switch ContentCheck.content(of: place, file.hash) {
        case .right: break
        case .wrong, .unknown:
            if isThere {
                summary.otherSettings.append(place)
            } else {
                summary.refused.append("\(place): the file is missing, or differs from the configuration in the backup")
            }
            return
        }
        let restored = try RestoredSettings(fileAt: place)
        if isThere {
            let own = try? RestoredSettings(fileAt: path)
            if own?.bytes != restored.bytes { summary.otherSettings.append(place) }
            return
        }
        try RecordingLibrary.makeFolders(above: path)
        let part = FilePlace.folder(of: path) + "/" + FilePlace.temporaryName()
        defer { _ = library.calls.remove(part) }
        do throws(FileFault) {
            let written = try WholeFile(part, calls: library.calls)
            try written.append(restored.bytes)
            try written.commit()
        } catch { throw RecordingLibraryError.writing(path, error) }
        switch try library.copyChecked(part, to: path, replaces: false, check: { _ in .right }) {
        case .copied:
            summary.settings.append(path)
            summary.omittedSettings += restored.omitted
        case .taken: summary.otherSettings.append(place)
        case .refused(let error): throw error
        case .wrong: summary.refused.append("\(place): it was changed while it was copied")
        case .unknown(let reason): summary.refused.append("\(place): \(reason)")
        }
    }

    /// Removes copies that this backup does not name.
    func removeOthers(in target: String, _ library: RecordingLibrary) {
        let own = Set(files.map { fileName(Self.place($0)) })
        for name in (try? Folder.names(in: target + "/" + Self.folder)) ?? [] where !own.contains(name) {
            let words = name.split(separator: ".", omittingEmptySubsequences: false)
            let isOurs = words.count == 2 && words[1] == "conf" && DocumentFile.isHash(String(words[0]))
            let isPart = name.hasPrefix(FilePlace.ownPrefix) && name.hasSuffix(FilePlace.temporarySuffix)
            if isOurs || isPart { _ = library.calls.remove("\(target)/\(Self.folder)/\(name)") }
        }
    }
}
