// The list of a backup's files. The manifest is written last, so a folder with a manifest is a complete backup.
internal import AudioFiles
internal import Catalogue
internal import Explanations
internal import Files
internal import Glibc
internal import JSON

struct BackupManifest: Equatable {
    struct File: Equatable {
        let member: BundleMember
        let byteCount: Int64
        /// Time of the last comparison with the key or hash, in milliseconds since 1970; 0 if unknown. Earlier versions
        /// ignore this field.
        var compared: Int64 = 0
    }

    static let name = "manifest.json"
    private static let format = "woodshed backup"
    private static let version: Int64 = 1
    private static let largest = 256 << 20

    /// Name of the copy of the store.
    let store: String
    /// Time of writing, in seconds since 1970.
    let time: Int64
    var files: [File]
    /// The user's configuration. Earlier versions ignore it.
    var settings = BackupSettings()

    /// Returns a random name for another copy of the store.
    static func newStoreName() -> String {
        "practice-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))\(ownEnding)"
    }

    /// True for a name that only a backup generates. The user may keep other copies of the store in the same folder,
    /// such as `practice-old.db`.
    static func isOwnStoreName(_ name: String) -> Bool { isStoreName(name) && name.hasSuffix(ownEnding) }

    private static let ownEnding = ".woodshed.db"

    /// True for a name that a manifest can contain, including manifests of earlier versions.
    static func isStoreName(_ name: String) -> Bool {
        name.hasPrefix("practice-") && name.hasSuffix(".db")
            && name.utf8.allSatisfy { (97...122).contains($0) || $0.isASCIIDigit || $0 == 45 || $0 == 46 }
    }

    var text: String {
        JSONValue.object([
            .init("backup", .string(Self.format)), .init("v", .integer(Self.version)), .init("time", .integer(time)),
            .init("store", .string(store)),
            .init(
                "files",
                .array(
                    files.map {
                        .object([
                            .init("name", .string($0.member.name)), .init("bytes", .integer($0.byteCount)),
                            .init("compared", .integer($0.compared)),
                        ])
                    })),
            .init("settings", settings.json),
        ]).text
    }

    init(store: String, time: Int64, files: [File], settings: BackupSettings) {
        (self.store, self.time, self.files, self.settings) = (store, time, files, settings)
    }

    /// Reads the manifest of a folder; nil if the folder has no manifest.
    ///
    /// - Parameter isReplaced: True if a new backup would replace the manifest, which may be a file of the user.
    init?(in folder: String, isReplaced: Bool = false) throws(RecordingLibraryError) {
        let path = folder + "/" + Self.name
        let bytes: [UInt8]
        do throws(FileFault) {
            let file = try unsafe RegularFile(FileName.systemName(path))
            bytes = try FileBytes.bytes(of: file.descriptor, count: min(Int(file.byteCount), Self.largest))
        } catch {
            if FileIdentity(path: path) == nil { return nil }
            // A folder or a pipe: writing the manifest would fail, or wait for a reader.
            if isReplaced, [EISDIR, ENODEV].contains(error.code) { throw Self.userFile(path) }
            throw .reading(path, error)
        }
        guard let value = JSONValue(reading: bytes), value["backup"]?.stringValue == Self.format,
            let version = value["v"]?.integer(in: .counts), let store = value["store"]?.stringValue,
            Self.isStoreName(store),
            let time = value["time"]?.integer(in: .seconds), let list = value["files"]?.elements
        else {
            if isReplaced { throw Self.userFile(path) }
            throw RecordingLibraryError(
                .badBundle, "\(path): this is not a backup of a library", remedy: "Choose the folder of a backup.")
        }
        guard version <= Self.version else {
            throw RecordingLibraryError(
                .badBundle, "\(path): the backup was written by a later version of this program",
                remedy: "Install the later version.")
        }
        var files: [File] = []
        for entry in list {
            guard let name = entry["name"]?.stringValue, let member = BundleMember(Array(name.utf8)),
                member != .catalogue, let count = entry["bytes"]?.integer(in: .counts)
            else { continue }
            let compared = entry["compared"]?.integer(in: .milliseconds) ?? 0
            files.append(File(member: member, byteCount: count, compared: compared))
        }
        (self.store, self.time, self.files) = (store, time, files)
        settings = BackupSettings(value["settings"])
    }

    private static func userFile(_ path: String) -> RecordingLibraryError {
        RecordingLibraryError(
            .notEmpty, "\(path): this is not the list of a backup, and a backup would replace it",
            remedy: "Choose another folder. If the list of a backup is damaged, move the list away first.")
    }
}
