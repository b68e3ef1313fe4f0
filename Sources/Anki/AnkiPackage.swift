// Anki: packages of flash cards (`.apkg`) for the program Anki: an archive with a database of notes and cards, and the sounds that they play.
//
// The module does not know what the cards are about, and encodes no sound. It only writes; Anki reads.
internal import Database
internal import Files
internal import Glibc
internal import JSON

/// A package that is being written. It appears under its name when it is complete; if the object is released before, nothing is left of it.
///
/// One medium after the other is copied into it, so its size does not matter for memory; only the texts of the notes are held. One thread at a
/// time. Real-time safe: no.
package final class AnkiPackage {
    private let file: WholeFile
    private var archive: ZipWriter
    private var media: [String] = []

    /// Begins a package.
    ///
    /// - Parameter path: Its file; one that is there is replaced at the end. Not a pipe or a device.
    package init(path: String) throws(PackageFault) {
        do throws(FileFault) { file = try WholeFile(path) } catch { throw .file(error) }
        archive = ZipWriter(file)
        guard file.temporaryPath != nil else { throw .file(FileFault(code: ESPIPE, isCreating: true)) }
    }

    /// Where temporary files of the package go, so that there is room for them if there is for the package.
    package var folder: String { file.place.folder }

    /// Adds a sound, or another medium.
    ///
    /// - Parameters:
    ///   - descriptor: The open file; all of it is read.
    ///   - name: The beginning of its name in Anki, in ASCII.
    ///   - ending: The ending of its name, such as `mp3`.
    /// - Returns: Its name in Anki. It contains a sum of the bytes: the same medium has the same name in every package, and one that has changed
    ///   never meets the old one.
    package func add(_ descriptor: Int32, named name: String, ending: String) throws(PackageFault) -> String {
        let sum = try ZipWriter.sum(of: descriptor)
        let digits = String(sum.value, radix: 16)
        let whole = "\(name)-\(String(repeating: "0", count: 8 - digits.count))\(digits).\(ending)"
        if media.contains(whole) { return whole }
        try archive.add(contentsOf: descriptor, sum, named: String(media.count))
        media.append(whole)
        return whole
    }

    /// Writes the notes, and gives the package its name.
    ///
    /// - Parameter now: The time of the change, in seconds since 1970.
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

    /// Removes what was written. After `finish` it does nothing.
    package func discard() { file.discard() }

    /// Makes the database, in a file that loses its name as soon as SQLite has written it.
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
