// Places of document files: beside the recordings as long as a present document needs the file, in the trash as long as
// only removed documents do. The store decides. If a program ends before moving a file, the next change or `check`
// moves the file.
internal import AudioFiles
internal import Database
internal import Files
internal import Glibc
package import Store

extension RecordingLibrary {
    /// Moves the files of documents to their places.
    package func settleDocuments(_ rows: [DocumentRow]) {
        settleDocuments(named: rows.filter { $0.place == .kept }.map(\.path))
    }

    /// Moves the files of all documents of recordings that were removed or restored.
    package func settleDocuments(of numbers: [Int]) {
        guard !numbers.isEmpty else { return }
        let (rows, numbers) = ((try? documentRows()) ?? [], Set(numbers))
        settleDocuments(rows.filter { numbers.contains($0.itemNumber) && $0.state != .gone })
    }

    /// Moves document files with these names to their places. A file that cannot be moved stays, and `check` reports
    /// the file. Without the folder's lock, all files stay.
    package func settleDocuments(named names: [String]) {
        guard !names.isEmpty, (try? folder.make(forDocuments: true)) != nil else { return }
        try? folder.exclusively {
            let all = (try? documentRows()) ?? []
            for name in Set(names) {
                let users = all.filter { $0.place == .kept && $0.path == name && $0.state != .gone }
                guard !users.isEmpty else { continue }
                let (place, trashed) = (folder.document(name), folder.trashedDocument(name))
                let isPresent = users.contains { $0.state == .present }
                let (from, to) = isPresent ? (trashed, place) : (place, trashed)
                if FileIdentity(path: to) == nil { _ = calls.rename(from, to: to) } else { _ = calls.remove(from) }
            }
        }
    }

    /// Returns all documents, including removed documents, and whether all rows are readable.
    private func readDocuments() throws(StoreError) -> (rows: [DocumentRow], isWhole: Bool) {
        try read { (items) throws(DatabaseError) in
            var isWhole = true
            return (try DocumentRows(items: items).all(isWhole: &isWhole), isWhole)
        } ?? ([], true)
    }

    /// Returns all documents, including removed documents.
    package func documentRows() throws(StoreError) -> [DocumentRow] {
        try read { (rows) throws(DatabaseError) in try DocumentRows(items: rows).all() } ?? []
    }

    // MARK: From elsewhere

    /// True if the library's own document with this hash has no file.
    package func isDocumentWanted(_ hash: String) throws(StoreError) -> Bool {
        let rows = try read { (rows) throws(DatabaseError) in try DocumentRows(items: rows).kept(hash) } ?? []
        return rows.first.map { FileIdentity(path: path(of: $0)) == nil } ?? false
    }

    /// Gives a known document its file. The file has the right content, and is in the folder for parts and on the disk.
    ///
    /// - Returns: False if no document needs the file.
    package func takeIn(documentAt part: String, _ hash: String) throws -> Bool {
        try folder.make(forDocuments: true)
        return try folder.exclusively { () throws -> Bool in
            let rows = try read { (rows) throws(DatabaseError) in try DocumentRows(items: rows).kept(hash) } ?? []
            guard let row = rows.first, FileIdentity(path: path(of: row)) == nil else { return false }
            let code = calls.rename(part, to: path(of: row))
            if code < 0 { throw RecordingLibraryError.writing(path(of: row), FileFault(code: Int32(-code))) }
            _ = calls.synchroniseFolder(FilePlace.folder(of: path(of: row)))
            return true
        }
    }

    // MARK: The trash

    /// Number of documents trashed by themselves, without the documents of trashed recordings.
    package var trashedDocumentCount: Int {
        get throws(StoreError) {
            try documentRows().count { $0.state == .trashed && $0.trashedAt != nil }
        }
    }

    /// Returns the disk space of documents in the trash, in bytes.
    func trashedDocumentBytes() throws(StoreError) -> Int64 {
        let rows = try documentRows()
        let names = rows.filter { $0.place == .kept && $0.state == .trashed && !$0.isFilePresent }.map(\.path)
        return Set(names).reduce(0) { sum, name in
            sum + [folder.document(name), folder.trashedDocument(name)].reduce(0) { $0 + (Self.byteCount($1) ?? 0) }
        }
    }

    /// Removes the files that only the documents of these rows need. The caller holds the folder's lock, and changes
    /// the store afterwards.
    ///
    /// - Returns: Freed bytes.
    func removeDocumentFiles(_ isRemoved: (DocumentRow) -> Bool) throws -> Int64 {
        let (all, isWhole) = try readDocuments()
        // An unreadable row may need any file.
        guard isWhole else { return 0 }
        let kept = all.filter { $0.place == .kept && $0.state != .gone }
        var freed: Int64 = 0
        for name in Set(kept.filter(isRemoved).map(\.path))
        where !kept.contains(where: { $0.path == name && !isRemoved($0) }) {
            for path in [folder.trashedDocument(name), folder.document(name)] { freed += try removeFile(path) }
        }
        return freed
    }

    /// Permanently removes the documents that were trashed by themselves.
    func emptyDocumentTrash() throws -> Int64 {
        guard try trashedDocumentCount > 0 else { return 0 }
        func isEmptied(_ row: DocumentRow) -> Bool { row.state == .trashed && row.trashedAt != nil }
        return try folder.exclusively {
            let bytes = try removeDocumentFiles(isEmptied)
            try change(isRemoval: true) { (rows) throws(DatabaseError) in
                let documents = DocumentRows(items: rows)
                for row in try documents.all() where isEmptied(row) { try documents.forget(row.id) }
            }
            return bytes
        }
    }

    // MARK: The disk

    /// Compares the documents in the store with the disk.
    func checkDocuments(into report: inout LibraryReport) throws(StoreError) {
        let (rows, isWhole) = try readDocuments()
        let kept = rows.filter { $0.place == .kept && $0.state != .gone }
        let present = Set(kept.filter { $0.state == .present }.map(\.path))
        let trashed = Set(kept.map(\.path)).subtracting(present)
        for (path, own, other) in [
            (folder.documents, present, trashed), (folder.trashedDocuments, trashed, present),
        ] {
            for file in Self.files(in: path) {
                let name = fileName(file.path)
                if own.contains(name) { continue }
                if other.contains(name) {
                    report.misplaced.append(file)
                } else if isWhole {
                    report.orphans.append(file)
                }
            }
        }
        let misplaced = Set(report.misplaced.map { fileName($0.path) })
        for (_, group) in Dictionary(grouping: rows, by: \.recording).sorted(by: { $0.key < $1.key }) {
            for (place, row) in group.filter({ $0.trashedAt == nil && !$0.isGone }).enumerated()
            where row.state == .present {
                let document = document(row, index: place + 1)
                guard document.isMissing, row.place == .linked || !misplaced.contains(row.path) else { continue }
                report.missingDocuments.append(document)
            }
        }
    }

    /// True if a file is in one of the folders for documents.
    package func isDocument(_ path: String) -> Bool {
        [folder.documents, folder.trashedDocuments].contains(FilePlace.folder(of: path))
    }
}

extension LibraryFolder {
    package func document(_ name: String) -> String { documents + "/" + name }
    func trashedDocument(_ name: String) -> String { trashedDocuments + "/" + name }
}
