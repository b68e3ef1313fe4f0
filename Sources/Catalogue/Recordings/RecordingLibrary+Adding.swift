// Adding files. The library's own file appears under its name complete and on the disk, before the store lists the
// file. A program that ends between two steps leaves at most an unlisted file, which `check` finds.
internal import AudioFiles
internal import Database
internal import Files
internal import Glibc
internal import Realtime
internal import RunLog
internal import Store

extension RecordingLibrary {
    /// Adds a recording, unless the library already has its sound. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - path: A file in any readable format.
    ///   - way: Copy, move or link the file.
    /// - Returns: The recording, and whether it is new.
    /// - Throws: `AudioFileError` if the file is not a recording, `RecordingLibraryError`, `StoreError`. Nothing has
    ///   changed.
    @discardableResult
    public func add(fileAt path: String, _ way: AddingWay = .copy) throws -> AddedItem {
        try add([path], way)[0].get()
    }

    /// Adds several recordings, many of them in one step. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - paths: Paths of the files.
    ///   - way: Copy, move or link the files.
    ///   - change: Changes the description of each new recording.
    ///   - isCancelled: Called before each file. If it returns true, the remaining files are refused as cancelled.
    ///   - told: Called with the index in `paths` and the result of each file, in order, as soon as it is in the store.
    /// - Returns: The result of each file, in order.
    public func add(
        _ paths: [String], _ way: AddingWay, change: (inout LibraryItem.Words) -> Void = { _ in },
        isCancelled: () -> Bool = { false }, told: (Int, Result<AddedItem, any Error>) -> Void = { _, _ in }
    ) -> [Result<AddedItem, any Error>] {
        var results: [Result<AddedItem, any Error>] = []
        while results.count < paths.count {
            let first = results.count
            results += add(group(paths[first...], way), way, change, isCancelled)
            for index in first..<results.count { told(index, results[index]) }
        }
        return results
    }

    /// Returns the files of the next step.
    private func group(_ paths: ArraySlice<String>, _ way: AddingWay) -> [NewFile] {
        var (files, bytes) = ([NewFile](), Int64(0))
        for path in paths.prefix(Self.mostFiles) where bytes < Self.mostBytes || files.isEmpty {
            let file = NewFile(path: path, name: nil, before: state(path))
            if way != .link { bytes += file.before?.byteCount ?? 0 }
            files.append(file)
        }
        return files
    }

    /// Adds a fetched file from the library's own folder for parts.
    ///
    /// - Parameters:
    ///   - path: Path of the file, which is complete and on the disk.
    ///   - name: Name to keep, without folders.
    ///   - keepingTitle: True to keep the store's title of the recording, false to use the title of the file.
    ///   - change: Changes the description, if the recording is new.
    package func takeIn(
        partAt path: String, named name: String, keepingTitle: Bool = false, change: (inout LibraryItem.Words) -> Void
    ) throws -> AddedItem {
        try takeIn(partAt: path, named: name, keepingTitle: keepingTitle, alongside: nil, change: change)
    }

    typealias StoreChange = @Sendable (StoreRows) throws(DatabaseError) -> RecordingLibraryError?

    /// Also changes the store by `alongside`, in the step that adds the recording. An error from `alongside` cancels
    /// the step.
    func takeIn(
        partAt path: String, named name: String, keepingTitle: Bool, alongside: StoreChange?,
        change: (inout LibraryItem.Words) -> Void
    ) throws -> AddedItem {
        let file = NewFile(path: path, name: name, before: state(path), keepsTitle: keepingTitle, alongside: alongside)
        return try add([file], .move, change, { false })[0].get()
    }

    /// Maximum number of files added in one step: a longer step would block other programs from the store.
    private static let mostFiles = 1024
    /// Copied bytes after which a step ends: a killed program loses at most this much work.
    private static let mostBytes: Int64 = 256 << 20
    /// Maximum number of files synchronised one by one. For more files, the whole file system is synchronised.
    private static let fewFiles = 8

    /// Files read or copied at the same time: on a disk, more files would wait for each other.
    private static var threads: Int { min(SharedWork.processorCount, 4) }

    /// A file that is being added.
    private struct NewFile: Sendable {
        let path: String
        /// Name to keep; nil for the file's own name.
        let name: String?
        /// State of the file before reading; nil if there was no file.
        let before: FileState?
        /// True to keep the title of the recording.
        var keepsTitle = false
        var alongside: StoreChange?
        var item: NewItem?
        /// True if the library gets a copy, false if it gets the file itself.
        var isToCopy = false
        var failure: (any Error)?
        /// Path of the copy, until the copy gets its name.
        var temporary: String?
        /// Path of the library's file.
        var placed: String?
        /// Former path of a moved file.
        var movedFrom: String?
        var known: LibraryItem?
    }

    private func add(
        _ files: [NewFile], _ way: AddingWay, _ change: (inout LibraryItem.Words) -> Void, _ isCancelled: () -> Bool
    ) -> [Result<AddedItem, any Error>] {
        var files = worked(on: files, isCancelled) { try $0.read(&$1) }
        settle(&files, way, change)
        let results: [Result<AddedItem, any Error>]
        // Linked files need no folder.
        if files.contains(where: { $0.item?.place == .kept }) {
            do {
                results = try folder.writingParts {
                    if files.contains(where: \.isToCopy) { files = worked(on: files, isCancelled) { try $0.copy(&$1) } }
                    return try folder.exclusively {
                        place(&files)
                        return finish(&files)
                    }
                }
            } catch { results = refused(files, error) }
        } else {
            results = finish(&files)
        }
        // Documents of a recording restored from the trash were in the trash, too.
        settleDocuments(of: results.compactMap { try? $0.get() }.filter(\.isNew).map(\.item.number))
        return results
    }

    /// Writes the rows, and cleans up, whether writing succeeds or not.
    private func finish(_ files: inout [NewFile]) -> [Result<AddedItem, any Error>] {
        let written: [AddedItem?]
        do { written = try write(files) } catch { return refused(files, error) }
        for file in files { cleanUp(file) }
        return zip(files, written).map { file, added in
            if let failure = file.failure {
                RunLog.note(.library, .warning, "not added: \(file.path): \(failure)")
                return .failure(failure)
            }
            RunLog.note(.library, .info, "\(file.known == nil ? "added" : "has already"): \(file.path)")
            if let known = file.known { return .success(AddedItem(item: known, isNew: false)) }
            return added.map { .success($0) } ?? .failure(RecordingLibraryError.unknown(0))
        }
    }

    /// Removes the copies of files that cannot be added.
    private func refused(_ files: [NewFile], _ error: any Error) -> [Result<AddedItem, any Error>] {
        for file in files { takeBack(file) }
        RunLog.note(.library, .error, "nothing added: \(error)")
        return files.map { .failure($0.failure ?? error) }
    }

    /// Executes a step of the work for each file, several files at a time.
    private func worked(
        on files: [NewFile], _ isCancelled: () -> Bool,
        _ step: @escaping @Sendable (RecordingLibrary, inout NewFile) throws -> Void
    ) -> [NewFile] {
        var done = files
        let begun =
            isCancelled()
            ? 0
            : SharedWork.inOrder(files.count, threads: Self.threads) { index in
                var file = files[index]
                guard file.failure == nil else { return file }
                do { try step(self, &file) } catch { (file.failure, file.item) = (error, nil) }
                return file
            } take: { index, file in
                done[index] = file
                return !isCancelled()
            }
        for index in begun..<files.count where done[index].failure == nil {
            (done[index].failure, done[index].item) = (RecordingLibraryError.cancelled, nil)
        }
        return done
    }

    /// Reads a file.
    private func read(_ file: inout NewFile) throws {
        file.item = try NewItem(fileAt: file.path, named: file.name, store: store)
    }

    /// Finds the files that the library already has, and decides about all other files.
    private func settle(_ files: inout [NewFile], _ way: AddingWay, _ change: (inout LibraryItem.Words) -> Void) {
        let known: [LibraryItem?]
        do throws(StoreError) { known = try items(files.map(\.item?.recording.key)) } catch {
            for index in files.indices where files[index].failure == nil { files[index].failure = error }
            return
        }
        var (staged, hasFolder) = (Int64(0), false)
        for (index, known) in zip(files.indices, known) {
            guard files[index].failure == nil, let item = files[index].item else { continue }
            if let known, !known.isTrashed, exists(known), known.byteCount == item.byteCount,
                !known.recording.isLost, known.place == .kept || way == .link
            {
                (files[index].known, files[index].item) = (known, nil)
                continue
            }
            do {
                try settle(&files[index], item, way, staged: staged, change)
                guard way != .link else { continue }
                staged += item.byteCount
                if !hasFolder { try folder.make() }
                hasFolder = true
            } catch { (files[index].failure, files[index].item) = (error, nil) }
        }
    }

    private func settle(
        _ file: inout NewFile, _ item: NewItem, _ way: AddingWay, staged: Int64,
        _ change: (inout LibraryItem.Words) -> Void
    ) throws {
        var item = item
        let ofFile = item.words
        change(&item.words)
        item.words = try item.words.checked()
        item.told = ofFile.fields(otherThan: item.words)
        if way != .link {
            try checkQuota(adding: item.byteCount + staged)
            let name = LibraryFolder.name(
                item.recording.key, original: item.originalName, container: item.container)
            file.isToCopy = way == .copy || !canBeRenamed(file.path)
            (item.place, item.path) = (.kept, name)
        }
        file.item = item
        if way == .move { file.movedFrom = file.path }
    }

    /// Copies a file into the folder for parts, if necessary.
    private func copy(_ file: inout NewFile) throws {
        guard file.isToCopy else { return }
        let temporary = try copy(file.path)
        // The copy equals the file as read, if the file has not changed meanwhile.
        guard let before = file.before, state(file.path) == before else {
            _ = calls.remove(temporary)
            throw RecordingLibraryError.changed(file.path, "copied")
        }
        file.temporary = temporary
    }

    /// Copies a file into the folder for parts. Returns the path of the copy.
    private func copy(_ path: String) throws(RecordingLibraryError) -> String {
        let name = folder.newPart()
        let source: RegularFile
        do throws(FileFault) { source = try unsafe RegularFile(FileName.systemName(path)) } catch {
            throw .writing(path, error)
        }
        do throws(FileFault) { try FileCopy.copy(source, to: name, calls: calls) } catch {
            throw .writing(folder.path, error)
        }
        return name
    }

    /// Gives copied and moved files their names in the folder, once on the disk.
    private func place(_ files: inout [NewFile]) {
        let own = files.indices.filter { files[$0].item?.place == .kept }
        guard !own.isEmpty else { return }
        let isMany = own.count > Self.fewFiles
        let areSafe =
            isMany && FileFault.thrown { () throws(FileFault) in try FileCopy.synchroniseAll(of: folder.path) } == nil
        for index in own {
            guard let item = files[index].item else { continue }
            let target = folder.file(item.path)
            do throws(FileFault) {
                let source = files[index].temporary ?? files[index].path
                // The key would belong to another sound.
                guard files[index].temporary != nil || isUnchanged(files[index]) else {
                    files[index].item = nil
                    files[index].failure = RecordingLibraryError.changed(files[index].path, "read")
                    continue
                }
                if !areSafe { try FileCopy.synchronise(source, calls: calls) }
                try put(source, to: target, isMoved: files[index].temporary == nil)
                files[index].placed = target
            } catch {
                takeBack(files[index])
                files[index].item = nil
                files[index].failure = RecordingLibraryError.writing(files[index].path, error)
            }
        }
        _ = calls.synchroniseFolder(folder.path)
    }

    /// Gives a file its name in the folder. If possible, a moved file keeps its old name until the store lists the
    /// file.
    private func put(_ path: String, to target: String, isMoved: Bool) throws(FileFault) {
        guard isMoved, path != target else { return try rename(path, to: target) }
        let second = folder.newPart()
        guard FileFault.thrown(by: { () throws(FileFault) in try FileCopy.link(path, to: second) }) == nil else {
            return try rename(path, to: target)
        }
        do throws(FileFault) { try rename(second, to: target) } catch {
            _ = calls.remove(second)
            throw error
        }
        // If both names were already the same file, renaming has left the second name.
        _ = calls.remove(second)
    }

    private func rename(_ path: String, to target: String) throws(FileFault) {
        let code = calls.rename(path, to: target)
        if code < 0 { throw FileFault(code: Int32(-code), isCreating: true) }
    }

    private func write(_ files: [NewFile]) throws -> [AddedItem?] {
        guard files.contains(where: { $0.item != nil }) else { return files.map { _ in nil } }
        let now = Self.now
        let items = files.map { (new: $0.item, keepsTitle: $0.keepsTitle) }
        let changes = files.filter { $0.item != nil }.compactMap(\.alongside)
        return try self.change { (rows) throws(DatabaseError) -> Result<[AddedItem?], RecordingLibraryError> in
            for change in changes { if let error = try change(rows.rows) { return .failure(error) } }
            let added = try rows.addingWordsAtOnce { (rows) throws(DatabaseError) in
                try items.map { (item) throws(DatabaseError) -> AddedItem? in
                    guard let new = item.new else { return nil }
                    return try write(new, keepingTitle: item.keepsTitle, in: rows, at: now)
                }
            }
            return .success(added)
        }.get()
    }

    private func write(
        _ item: NewItem, keepingTitle: Bool, in rows: ItemRows, at now: Int64
    ) throws(DatabaseError) -> AddedItem? {
        var recording = item.recording
        recording.path = item.place == .kept ? folder.file(item.path) : item.path
        if keepingTitle, let known = try rows.rows.recording(recording.key) {
            recording.title = known.stored.recording.title
        }
        // Another program may have added the recording meanwhile.
        let earlier = try rows.item(recording.key)
        let wasThere = earlier.map { !$0.isGone && !$0.item.isTrashed } ?? false
        let row = try rows.rows.see(recording, at: now)
        // Before the file was here, another library's catalogue may have given another rate.
        try rows.rows.database.run(
            "UPDATE recording SET sample_rate = ? WHERE id = ?", .integer(recording.sampleRate), .integer(row.id))
        let number = try rows.add(item, recording: row.id, at: now)
        return try rows.item(number: number).map { AddedItem(item: $0.item, isNew: !wasThere) }
    }

    /// Undoes the work on a file that the store could not list.
    private func takeBack(_ file: NewFile) {
        if let temporary = file.temporary { _ = calls.remove(temporary) }
        guard let placed = file.placed, !isNeeded(placed) else { return }
        if let origin = file.movedFrom {
            // A file of the library's folder itself has stayed in place.
            if origin == placed || FileName.absolute(origin) == FileName.absolute(placed) { return }
            if state(origin) == nil { _ = calls.rename(placed, to: origin) } else { _ = calls.remove(placed) }
        } else {
            _ = calls.remove(placed)
        }
    }

    /// True if another program has added this very file to the library, or if this is unknown.
    private func isNeeded(_ path: String) -> Bool {
        guard let key = LibraryFolder.key(fileName(path)) else { return true }
        do throws(StoreError) { return try item(key).map { !$0.isTrashed } ?? false } catch { return true }
    }

    /// Removes leftovers once the store lists the file.
    private func cleanUp(_ file: NewFile) {
        guard let item = file.item else { return }
        // A file moved within the folder has one name. If another file has the name by now, or was written, it stays.
        if let origin = file.movedFrom, origin != file.placed, isUnchanged(file) {
            _ = unsafe unlink(FileName.systemName(origin))
        }
        if item.place == .kept { _ = calls.remove(folder.trashed(item.path)) }
    }

    /// True if a recording's file is in its place.
    func exists(_ item: LibraryItem) -> Bool { !item.isMissing }

    /// True if the file's content is unchanged since before reading. A further hard link does not count as a change.
    private func isUnchanged(_ file: NewFile) -> Bool {
        guard let before = file.before, let now = state(file.path) else { return false }
        return now.inode == before.inode && now.byteCount == before.byteCount && now.modified == before.modified
    }

    private func state(_ path: String) -> FileState? { unsafe FileState(FileName.systemName(path)) }

    /// True if a file can be renamed into the library's folder: a regular file on the same disk. A link would move
    /// without its sound. A name that is not UTF-8 requires a copy.
    private func canBeRenamed(_ path: String) -> Bool {
        var status = stat()
        guard FileName.isUTF8(path), unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let file = FileIdentity(path: path)
        else { return false }
        return file.device == FileIdentity(path: folder.path)?.device
    }
}

extension LibraryItem {
    /// True if no file exists at the path. Real-time safe: no (asks the file system).
    public var isMissing: Bool { unsafe FileState(FileName.systemName(path)) == nil }
}
