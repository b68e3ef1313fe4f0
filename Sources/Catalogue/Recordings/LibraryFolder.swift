// The library's own folder. Files of recordings are named by their keys, so two recordings never have the same name,
// whatever their titles. A file without a row can still be recognised.
package import AudioFiles
internal import Files
internal import Glibc
internal import UserState

package struct LibraryFolder: Sendable {
    package let path: String

    /// Name of the subfolder for removed recordings, until the trash is emptied.
    static let trashName = "trash"
    /// Name of the subfolder for files that are being fetched or copied.
    static let partsName = "parts"

    /// Name of the subfolder for documents, also inside the trash.
    static let documentsName = "documents"

    package var trash: String { path + "/" + Self.trashName }
    package var parts: String { path + "/" + Self.partsName }
    package var documents: String { path + "/" + Self.documentsName }
    var trashedDocuments: String { trash + "/" + Self.documentsName }

    /// Prefix of unfinished files. Only programs that hold the lock of the folder for parts write files with this
    /// prefix.
    package static let partPrefix = FilePlace.ownPrefix + "library-"
    /// Returns a new name for an unfinished file, in any folder.
    package static func partName() -> String {
        partPrefix + FilePlace.temporaryName().dropFirst(FilePlace.ownPrefix.count)
    }
    /// Returns a new path for an unfinished file in the folder for parts.
    package func newPart() -> String { parts + "/" + Self.partName() }

    package func file(_ name: String) -> String { path + "/" + name }
    package func trashed(_ name: String) -> String { trash + "/" + name }

    /// True for the name of a file in a folder; false for a path that leads elsewhere.
    static func isName(_ text: String) -> Bool {
        var (count, dots) = (0, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "/") || byte == 0 { return false }
            (count, dots) = (count + 1, dots + (byte == UInt8(ascii: ".") ? 1 : 0))
        }
        return count > min(dots, 2)
    }

    /// Returns the letters and digits of a kind of file, as an ending.
    private static func ending(_ container: String) -> String {
        let plain = container.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return plain.isEmpty ? "wav" : plain
    }

    /// Returns the name of a recording's file.
    ///
    /// - Parameters:
    ///   - original: Former name. An ordinary ending of this name is kept.
    ///   - container: Kind of file, for other endings: its letters and digits, or "wav".
    package static func name(_ key: RecordingKey, original: String, container: String) -> String {
        let ending = original.split(separator: ".", omittingEmptySubsequences: false).last.map { $0.lowercased() } ?? ""
        let isKept = original.contains(".") && isOrdinary(ending, longest: 5)
        return "\(key)." + (isKept ? ending : Self.ending(container))
    }

    /// True for an ending of small ASCII letters and digits that is neither empty nor longer than `longest`.
    package static func isOrdinary(_ ending: some StringProtocol, longest: Int) -> Bool {
        !ending.isEmpty && ending.utf8.count <= longest
            && ending.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    /// Returns the key in the name of a file; nil if the name is not a library file's.
    static func key(_ name: String) -> RecordingKey? {
        guard name.utf8.count > 33, let dot = name.firstIndex(of: ".") else { return nil }
        return RecordingKey(String(name[..<dot]))
    }

    /// Executes `body` while no other program moves files in the folder: between naming a file and writing its row, in
    /// either order. On a file system without locks, and without the folder, `body` runs without the lock.
    ///
    /// - Throws: `RecordingLibraryError` if the folder cannot be locked, for example with too many open files; an error
    ///   of `body`.
    package func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
        try Self.locking(path, body)
    }

    /// Executes `body`, which writes unfinished files, while sharing the lock of the folder for parts. An unfinished
    /// file without this lock is left over from a killed program. `body` may call this method again. Throws like
    /// ``exclusively(_:)``.
    package func writingParts<Value>(_ body: () throws -> Value) throws -> Value {
        // Waits only while another program lists the folder.
        try Self.locking(parts, isShared: true, body)
    }

    private static func locking<Value>(
        _ folder: String, isShared: Bool = false, _ body: () throws -> Value
    ) throws -> Value {
        let lock = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 || errno == ENOENT || errno == ENOTDIR else {
            throw RecordingLibraryError.writing(folder, FileFault(code: errno))
        }
        defer { FileLock.release(lock) }
        if lock >= 0 {
            do throws(FileFault) { _ = try FileLock.take(lock, isShared: isShared, waits: true) } catch {
                throw RecordingLibraryError.writing(folder, error)
            }
        }
        return try body()
    }

    /// Creates the folders of every library, and the folders for documents if requested.
    package func make(forDocuments: Bool = false) throws(RecordingLibraryError) {
        for folder in [trash, parts] + (forDocuments ? [documents, trashedDocuments] : []) {
            do throws(LockedFile.Fault) { try StateFolder.makeFolders(above: folder + "/x") } catch {
                throw .writing(folder, FileFault(code: error.code, isCreating: true))
            }
        }
    }
}
