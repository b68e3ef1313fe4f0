// The library's own folder. A recording has its key as its name there, so two recordings never have the same name, whatever their titles, and
// a file that lost its row can be recognised.
package import AudioFiles
internal import Files
internal import Glibc
internal import UserState

package struct LibraryFolder: Sendable {
    package let path: String

    /// The folder inside it in which removed recordings wait until the trash is emptied.
    static let trashName = "trash"
    /// The folder inside it in which files are while they are fetched or copied.
    static let partsName = "parts"

    /// The folder inside it, and inside the trash, in which documents are.
    static let documentsName = "documents"

    package var trash: String { path + "/" + Self.trashName }
    package var parts: String { path + "/" + Self.partsName }
    package var documents: String { path + "/" + Self.documentsName }
    var trashedDocuments: String { trash + "/" + Self.documentsName }

    /// The beginning of the names of unfinished files that only programs write that hold the lock of the folder for parts.
    package static let partPrefix = FilePlace.ownPrefix + "library-"
    /// A new name for such a file, in any folder.
    package static func partName() -> String {
        partPrefix + FilePlace.temporaryName().dropFirst(FilePlace.ownPrefix.count)
    }
    /// A new path for such a file in the folder for parts.
    package func newPart() -> String { parts + "/" + Self.partName() }

    package func file(_ name: String) -> String { path + "/" + name }
    package func trashed(_ name: String) -> String { trash + "/" + name }

    /// Whether a text is the name of a file in a folder, and not a path that leads elsewhere.
    static func isName(_ text: String) -> Bool {
        var (count, dots) = (0, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "/") || byte == 0 { return false }
            (count, dots) = (count + 1, dots + (byte == UInt8(ascii: ".") ? 1 : 0))
        }
        return count > min(dots, 2)
    }

    /// The letters and digits of a kind of file, for an ending.
    private static func ending(_ container: String) -> String {
        let plain = container.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return plain.isEmpty ? "wav" : plain
    }

    /// The name of a recording's file.
    ///
    /// - Parameters:
    ///   - original: The name that it had, whose ending it keeps if that is an ordinary one.
    ///   - container: The kind of file, for the ending of others: its letters and digits, or "wav".
    package static func name(_ key: RecordingKey, original: String, container: String) -> String {
        let ending = original.split(separator: ".", omittingEmptySubsequences: false).last.map { $0.lowercased() } ?? ""
        let isOrdinary =
            original.contains(".") && (1...5).contains(ending.utf8.count)
            && ending.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
        return "\(key)." + (isOrdinary ? ending : Self.ending(container))
    }

    /// The key in the name of a file; nil if it is not one of the library's.
    static func key(_ name: String) -> RecordingKey? {
        guard name.utf8.count > 33, let dot = name.firstIndex(of: ".") else { return nil }
        return RecordingKey(String(name[..<dot]))
    }

    /// Carries out `body` while no other program moves files in the folder: between a file's name and its row in the store, or the other way
    /// round. The folder must be there. Where the file system has no locks, it is carried out all the same.
    package func exclusively<Value>(_ body: () throws -> Value) rethrows -> Value {
        let lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        if lock >= 0 { _ = try? FileLock.take(lock, waits: true) }
        return try body()
    }

    /// Carries out `body`, which writes unfinished files, and shares the lock of the folder for parts meanwhile. An unfinished file that is there
    /// without this lock is the rest of a program that was killed. `body` may do the same again. The folder must be there.
    package func writingParts<Value>(_ body: () throws -> Value) rethrows -> Value {
        let lock = unsafe open(parts, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { FileLock.release(lock) }
        // Waits only while another program lists the folder.
        if lock >= 0 { _ = try? FileLock.take(lock, isShared: true, waits: true) }
        return try body()
    }

    /// Makes the folders that every library has, and those for documents.
    package func make(forDocuments: Bool = false) throws(RecordingLibraryError) {
        for folder in [trash, parts] + (forDocuments ? [documents, trashedDocuments] : []) {
            do throws(LockedFile.Fault) { try StateFolder.makeFolders(above: folder + "/x") } catch {
                throw .writing(folder, FileFault(code: error.code, isCreating: true))
            }
        }
    }
}
