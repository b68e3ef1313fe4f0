internal import AudioFiles
public import Catalogue
internal import Database
internal import Files
internal import JSON
internal import Store
internal import TextFormats

/// What was written into a bundle.
public struct BundleContents: Sendable, Hashable {
    /// Recordings with their files.
    public internal(set) var recordings = 0
    /// Takes with their files.
    public internal(set) var takes = 0
    /// Documents with their files.
    public internal(set) var documents = 0
    /// Recordings of which only the description could be written, because their files are missing.
    public internal(set) var missing: [LibraryItem] = []
    /// Recordings of which only the description could be written, because their files have another sound than when they were added.
    public internal(set) var changed: [LibraryItem] = []
    /// Paths of takes that are not in the bundle, because their files have another sound than when they were recorded.
    public internal(set) var changedTakes: [String] = []
    /// Documents of which only the names could be written, because their files are missing, or linked and changed since.
    public internal(set) var missingDocuments: [LibraryDocument] = []
    /// Recordings whose address is in the bundle without its private keys.
    public internal(set) var shortenedAddresses = 0
}

extension RecordingLibrary {
    /// Writes the library, or some recordings of it, into one file, with everything that is said about them: an archive that `tar` reads too.
    ///
    /// The file appears under its name when it is complete. Memory does not grow with it.
    ///
    /// - Parameters:
    ///   - path: The file; one that is there is replaced.
    ///   - numbers: The recordings; nil for all, and then playlists are included.
    ///   - withTakes: Whether takes of these recordings are included.
    ///   - withKeys: Whether the addresses from which recordings come keep private keys, such as passwords and `?auth=…`.
    ///   - isCancelled: Asked often.
    /// - Throws: `RecordingLibraryError`, `StoreError`. There is no new file then.
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
            try writer.add(BundleMember.catalogueName, Array(catalogue.json.text.utf8))
            var contents = BundleContents()
            contents.shortenedAddresses = shortened
            var isWhole = true
            for item in chosen where isWhole {
                let ending = BundleMember.ending(item.path, container: item.container)
                // Under its key the other computer would refuse it.
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
            remedy: "Look at it with: woodshed library check")
    }

    /// Whether there is a file with another sound than that of a key. A sound that cannot be compared here may be the right one.
    private static func isOther(_ path: String, _ key: RecordingKey) -> Bool {
        unsafe FileState(FileName.systemName(path)) != nil && ContentCheck.sound(of: path, key) == .wrong
    }

    /// - Returns: Nil if there is no such file; false if it could not be copied as a whole.
    private static func add(
        _ path: String, as member: BundleMember, to writer: TarWriter, _ isCancelled: () -> Bool
    ) throws(FileFault) -> Bool? {
        guard let source = try? unsafe RegularFile(FileName.systemName(path)) else { return nil }
        return try writer.add(member.name, source, isCancelled: isCancelled)
    }

    /// Adds the content of documents, each content once.
    ///
    /// - Returns: False if one could not be copied as a whole.
    private static func add(
        _ documents: [LibraryDocument], to writer: TarWriter, _ contents: inout BundleContents,
        _ isCancelled: () -> Bool
    ) throws(FileFault) -> Bool {
        var done: Set<String> = []
        for document in documents where !done.contains(document.hash) {
            let member = BundleMember.document(hash: document.hash, ending: DocumentFile.ending(document.name))
            // A file of the user's may have changed, and is no longer the one that was attached.
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

    /// The folder for takes that come from elsewhere, beside the library's own. The user's is also where a session records.
    package var takesFolder: String { FilePlace.folder(of: folder.path) + "/takes" }
}
