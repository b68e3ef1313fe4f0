internal import AudioFiles
public import Catalogue
internal import Database
internal import Explanations
internal import Files
internal import JSON
internal import Store
internal import TextFormats

/// Contents of a written bundle.
public struct BundleContents: Sendable, Hashable {
    /// Recordings with their files.
    public internal(set) var recordings = 0
    /// Takes with their files.
    public internal(set) var takes = 0
    /// Documents with their files.
    package internal(set) var documents = 0
    /// Recordings with missing files: the bundle has only their descriptions.
    public internal(set) var missing: [LibraryItem] = []
    /// Recordings whose files have changed in sound since their addition: the bundle has only their descriptions.
    public internal(set) var changed: [LibraryItem] = []
    /// Paths of takes left out because their files have changed in sound since recording.
    public internal(set) var changedTakes: [String] = []
    /// Documents with missing files, or linked files that have changed: the bundle has only their names.
    package internal(set) var missingDocuments: [LibraryDocument] = []
    /// Recordings whose addresses are in the bundle without private keys.
    package internal(set) var shortenedAddresses = 0
}

extension RecordingLibrary {
    /// Writes the library, or some of its recordings, into one file, with all descriptions. The file is an archive that
    /// `tar` can read.
    ///
    /// The file appears under its name when complete. Memory use does not depend on the size of the bundle.
    ///
    /// - Parameters:
    ///   - path: File to write; an existing file is replaced.
    ///   - numbers: Recordings to include; nil for all recordings and the playlists.
    ///   - withTakes: True to include takes of these recordings.
    ///   - withKeys: True to keep private keys, such as passwords and `?auth=…`, in the addresses of recordings.
    ///   - isCancelled: Called often.
    /// - Throws: `RecordingLibraryError`, `StoreError`. No new file exists after an error.
    @discardableResult
    public func writeBundle(
        to path: String, of numbers: [Int]? = nil, withTakes: Bool = true, withKeys: Bool = false,
        isCancelled: () -> Bool = { false }
    ) throws -> BundleContents {
        var catalogue = try catalogue()
        var chosen = try items().sorted { $0.number < $1.number }
        if let numbers {
            for number in numbers where !chosen.contains(where: { $0.number == number }) {
                throw RecordingLibraryError.unknown(number)
            }
            chosen.removeAll { !numbers.contains($0.number) }
            let keys = Set(chosen.map { ExactText("\($0.key)") })
            catalogue.recordings = catalogue.recordings.filter { keys.contains($0.key) }
            catalogue.playlists = [:]
            catalogue.takes = catalogue.takes.filter { _, take in
                take[CatalogueField.recording]?.stringValue.map { keys.contains(ExactText($0)) } ?? false
            }
        }
        if !withTakes { catalogue.takes = [:] }
        let shortened = withKeys ? 0 : catalogue.removeKeys()
        let takes = try catalogueTakes().filter { catalogue.takes[ExactText("\($0.key)")] != nil }
        var documents: [LibraryDocument] = []
        for item in chosen where item.documentCount > 0 { documents += try self.documents(of: item.number) }
        do throws(FileFault) {
            let file = try WholeFile(path, calls: calls)
            let writer = TarWriter(file)
            try writer.add(BundleMember.catalogueName, Array(catalogue.text.utf8))
            var contents = BundleContents()
            contents.shortenedAddresses = shortened
            var isWhole = true
            for item in chosen where isWhole {
                let ending = BundleMember.ending(item.path, container: item.container)
                // The other computer would refuse a file that does not match its key.
                let isOther = Self.isOther(item.path, item.key)
                if isCancelled() {
                    isWhole = false
                    continue
                }
                if isOther {
                    contents.changed.append(item)
                    continue
                }
                guard
                    let written = try Self.add(
                        item.path, as: .recording(item.key, ending: ending), to: writer, isCancelled)
                else {
                    contents.missing.append(item)
                    continue
                }
                isWhole = written
                contents.recordings += 1
            }
            for (take, key, _) in takes where isWhole {
                let ending = BundleMember.ending(take.path, container: "wav")
                let isOther = Self.isOther(take.path, key)
                if isCancelled() {
                    isWhole = false
                    continue
                }
                if isOther {
                    contents.changedTakes.append(take.path)
                    continue
                }
                guard let written = try Self.add(take.path, as: .take(key, ending: ending), to: writer, isCancelled)
                else { continue }
                isWhole = written
                contents.takes += 1
            }
            if isWhole { isWhole = try Self.add(documents, to: writer, &contents, isCancelled) }
            if isWhole {
                try writer.end()
                try file.commit()
                return contents
            }
        } catch {
            throw RecordingLibraryError.writing(path, error)
        }
        if isCancelled() { throw RecordingLibraryError.cancelled }
        throw RecordingLibraryError(
            .changed, "a recording became shorter while it was copied",
            remedy: "Check the recordings with: woodshed library check")
    }

    /// True if a file exists and its sound differs from the key. A sound that cannot be compared here may be right.
    private static func isOther(_ path: String, _ key: RecordingKey) -> Bool {
        unsafe FileState(FileName.systemName(path)) != nil && ContentCheck.sound(of: path, key) == .wrong
    }

    /// - Returns: Nil if no such file exists; false if the copy is incomplete.
    private static func add(
        _ path: String, as member: BundleMember, to writer: TarWriter, _ isCancelled: () -> Bool
    ) throws(FileFault) -> Bool? {
        guard let source = try? unsafe RegularFile(FileName.systemName(path)) else { return nil }
        return try writer.add(member.name, source, isCancelled: isCancelled)
    }

    /// Adds the documents. Adds each content once.
    ///
    /// - Returns: False if the copy of a document is incomplete.
    private static func add(
        _ documents: [LibraryDocument], to writer: TarWriter, _ contents: inout BundleContents,
        _ isCancelled: () -> Bool
    ) throws(FileFault) -> Bool {
        var done: Set<String> = []
        for document in documents where !done.contains(document.hash) {
            let member = BundleMember.document(hash: document.hash, ending: DocumentFile.ending(document.name))
            // A linked file may have changed since it was attached.
            guard DocumentFile.hash(ofFileAt: document.path) == document.hash,
                let written = try add(document.path, as: member, to: writer, isCancelled)
            else {
                contents.missingDocuments.append(document)
                continue
            }
            if !written { return false }
            done.insert(document.hash)
            contents.documents += 1
        }
        return true
    }

    func catalogueTakes() throws(StoreError) -> [(take: StoredTake, key: RecordingKey, changed: Int64)] {
        try store.read { (rows) throws(DatabaseError) -> [(take: StoredTake, key: RecordingKey, changed: Int64)] in
            try CatalogueTakes(rows: rows).all()
        } ?? []
    }

    /// Returns the takes in the trash with a known key of their sound.
    func trashedTakes() throws(StoreError) -> [(take: StoredTake, key: RecordingKey)] {
        try store.read { (rows) throws(DatabaseError) in try CatalogueTakes(rows: rows).trashed() } ?? []
    }

    /// Folder for takes from elsewhere, beside the library's folder. In the user's library, sessions also record here.
    package var takesFolder: String { FilePlace.folder(of: folder.path) + "/takes" }
}
