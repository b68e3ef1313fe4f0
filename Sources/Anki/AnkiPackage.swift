// Anki: packages of flash cards (`.apkg`) for the program Anki. A package is an archive with a database of notes and
// cards, and with their sounds.
//
// The module does not know the subject of the cards, and encodes no sound. The module only writes packages; Anki reads
// them.
internal import Database
internal import Explanations
internal import Files
internal import Glibc
internal import JSON

/// A package being written. The package appears under its name when complete. If the object is released earlier,
/// nothing remains.
///
/// Media are copied into the package one after another, so their size does not matter for memory; memory holds only the
/// texts of the notes. Threads: one at a time. Real-time safe: no.
package final class AnkiPackage {
    private let file: WholeFile
    private var archive: ZipWriter
    private var media: [String] = []

    /// Begins a package.
    ///
    /// - Parameter path: Path of the package. An existing file is replaced at the end. Must not be a pipe or a device.
    package init(path: String) throws(PackageFault) {
        do throws(FileFault) { file = try WholeFile(path) } catch { throw .file(error) }
        archive = ZipWriter(file)
        guard file.temporaryPath != nil else { throw .file(FileFault(code: ESPIPE, isCreating: true)) }
    }

    /// Folder for temporary files, on the same disk as the package: if the package fits, so do the temporary files.
    package var folder: String { file.place.folder }

    /// Adds a sound, or another medium.
    ///
    /// - Parameters:
    ///   - descriptor: The open file, read as a whole.
    ///   - name: Beginning of the name in Anki, in ASCII.
    ///   - ending: Extension of the name, such as `mp3`.
    /// - Returns: The name in Anki. The name contains a checksum of the bytes. The same medium therefore has the same
    ///   name in every package, and a changed medium never collides with its old version.
    package func add(_ descriptor: Int32, named name: String, ending: String) throws(PackageFault) -> String {
        let sum = try ZipWriter.sum(of: descriptor)
        let whole = "\(name)-\(zeroPadded(sum.value, to: 8, radix: 16)).\(ending)"
        if media.contains(whole) { return whole }
        try archive.add(contentsOf: descriptor, sum, named: String(media.count))
        media.append(whole)
        return whole
    }

    /// Writes the notes, and gives the package its final name.
    ///
    /// - Parameter now: Time of the change, in seconds since 1970.
    package func finish(
        _ notes: [AnkiNote], of type: AnkiNoteType, in deck: AnkiDeck, at now: Int64
    ) throws(PackageFault) {
        let database = try collection(notes, of: type, in: deck, at: now)
        defer { close(database) }
        try archive.add(contentsOf: database, try ZipWriter.sum(of: database), named: "collection.anki2")
        let list = JSONValue.object(media.enumerated().map { .init(String($0), .string($1)) })
        try archive.add(Array(list.text.utf8), named: "media")
        try archive.finish()
        do throws(FileFault) { try file.commit() } catch { throw .file(error) }
    }

    /// Removes the unfinished package. Does nothing after `finish`.
    package func discard() { file.discard() }

    /// Creates the database, in a file that loses its name as soon as SQLite has written it.
    ///
    /// - Returns: A descriptor, for the caller to close.
    private func collection(
        _ notes: [AnkiNote], of type: AnkiNoteType, in deck: AnkiDeck, at now: Int64
    ) throws(PackageFault) -> Int32 {
        let path = file.place.temporaryPath()
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(FileFault(code: errno, isCreating: true)) }
        defer { _ = unsafe unlink(path) }
        do throws(DatabaseError) {
            try AnkiCollection.write(
                notes, of: type, in: deck, at: now, to: Database(path: path, creating: false))
        } catch {
            close(descriptor)
            throw .database(error)
        }
        return descriptor
    }
}
