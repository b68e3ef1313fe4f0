// Taking files in. A file of the library's own appears in its folder as a whole, and on the disk, before the store knows it; so a program that
// ends between two steps leaves at most a file that the store does not know, which `check` finds.
internal import AudioFiles
internal import Database
internal import Files
internal import Glibc
internal import Realtime
internal import RunLog
internal import Store

extension RecordingLibrary {
    /// Adds a recording, unless the library has it already: recordings are known by their sound. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - path: a file in any readable format.
    ///   - way: whether the file is copied, moved or linked.
    /// - Returns: The recording, and whether it is new.
    /// - Throws: `AudioFileError` if the file is not a recording, `RecordingLibraryError`, `StoreError`. Nothing has changed then.
    @discardableResult
    public func add(fileAt path: String, _ way: AddingWay = .copy) throws -> AddedItem {
        try add([path], way)[0].get()
    }

    /// Adds several recordings, many of them in one step. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - paths: the files.
    ///   - way: whether files are copied, moved or linked.
    ///   - change: changes the description of each new recording.
    ///   - isCancelled: called before each file; if it returns true, the other files are refused as cancelled.
    ///   - told: called with the index in `paths` and the result of each file, in order, as soon as it is in the store.
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

    /// The files of the next step.
    private func group(_ paths: ArraySlice<String>, _ way: AddingWay) -> [NewFile] {
        var (files, bytes) = ([NewFile](), Int64(0))
        for path in paths.prefix(Self.mostFiles) where bytes < Self.mostBytes || files.isEmpty {
            let file = NewFile(path: path, name: nil, before: state(path))
            if way != .link { bytes += file.before?.byteCount ?? 0 }
            files.append(file)
        }
        return files
    }

    /// Takes in a file in the library's own folder for parts: one that was fetched.
    ///
    /// - Parameters:
    ///   - path: The file, which is complete and on the disk.
    ///   - name: The name to keep, without folders.
    ///   - keepingTitle: Whether the title stays that the store has of the recording outside of the library. Otherwise it becomes the one of the file.
    ///   - change: Changes what is said about it, if it is new.
    package func takeIn(
        partAt path: String, named name: String, keepingTitle: Bool = false, change: (inout LibraryItem.Words) -> Void
    ) throws -> AddedItem {
        try takeIn(partAt: path, named: name, keepingTitle: keepingTitle, alongside: nil, change: change)
    }

    typealias StoreChange = @Sendable (StoreRows) throws(DatabaseError) -> RecordingLibraryError?

    /// The same with `alongside`, which changes more of the store in the step that adds the recording; an error that it returns holds the step back.
    func takeIn(
        partAt path: String, named name: String, keepingTitle: Bool, alongside: StoreChange?,
        change: (inout LibraryItem.Words) -> Void
    ) throws -> AddedItem {
        let file = NewFile(path: path, name: name, before: state(path), keepsTitle: keepingTitle, alongside: alongside)
        return try add([file], .move, change, { false })[0].get()
    }

    /// Files that are added in one step, at most: a longer step would keep other programs from the store.
    private static let mostFiles = 1024
    /// A step ends after so many bytes of copies: they are what is lost if the program is killed.
    private static let mostBytes: Int64 = 256 << 20
    /// So many files are put on the disk one by one; for more the whole file system is.
    private static let fewFiles = 8

    /// Files that are read or copied at the same time: on a disk, more would wait for each other.
    private static var threads: Int { min(SharedWork.processorCount, 4) }

    /// A file on its way.
    private struct NewFile: Sendable {
        let path: String
        /// The name to keep; nil for the file's own.
        let name: String?
        /// The file before it was read; nil if there was none.
        let before: FileState?
        /// Whether the title of the recording stays.
        var keepsTitle = false
        var alongside: StoreChange?
        var item: NewItem?
        /// Whether the library gets a copy, and not the file itself.
        var isToCopy = false
        var failure: (any Error)?
        /// The copy, until it gets its name.
        var temporary: String?
        /// Where the file of its own was put.
        var placed: String?
        /// Where it was moved from.
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
            results = folder.writingParts {
                if files.contains(where: \.isToCopy) { files = worked(on: files, isCancelled) { try $0.copy(&$1) } }
                return folder.exclusively {
                    place(&files)
                    return finish(&files)
                }
            }
        } else {
            results = finish(&files)
        }
        // Of a recording that was in the trash, they were there, too.
        settleDocuments(of: results.compactMap { try? $0.get() }.filter(\.isNew).map(\.item.number))
        return results
    }

    /// Tells the store, and clears away what is not needed, whether that succeeds or not.
    private func finish(_ files: inout [NewFile]) -> [Result<AddedItem, any Error>] {
        let written: [AddedItem?]
        do { written = try write(files) } catch {
            for file in files { takeBack(file) }
            RunLog.note(.library, .error, "nothing added: \(error)")
            return files.map { .failure($0.failure ?? error) }
        }
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

    /// Does a step of the work with each file, several at a time.
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

    /// Finds out which files the library has already, and what becomes of the others.
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

    /// Copies a file into the folder for parts, if that is needed.
    private func copy(_ file: inout NewFile) throws {
        guard file.isToCopy else { return }
        let temporary = try copy(file.path)
        // What was copied is what was read before, if the file has not changed meanwhile.
        guard let before = file.before, state(file.path) == before else {
            _ = calls.remove(temporary)
            throw RecordingLibraryError.changed(file.path, "copied")
        }
        file.temporary = temporary
    }

    /// Copies a file into the folder for parts; returns the copy's name.
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

    /// Gives files that are copied or moved their names in the folder, when they are on the disk.
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
                // Its key would be that of another sound.
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

    /// Gives a file its name in the folder. One that is moved keeps its old name until the store knows it, where the disk permits that.
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
        // If both were the same file already, renaming has left the second name.
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
        // Another program may have added it meanwhile.
        let earlier = try rows.item(recording.key)
        let wasThere = earlier.map { !$0.isGone && !$0.item.isTrashed } ?? false
        let row = try rows.rows.see(recording, at: now)
        // The catalogue of another library may have said another rate before the file was here.
        try rows.rows.database.run(
            "UPDATE recording SET sample_rate = ? WHERE id = ?", .integer(recording.sampleRate), .integer(row.id))
        let number = try rows.add(item, recording: row.id, at: now)
        return try rows.item(number: number).map { AddedItem(item: $0.item, isNew: !wasThere) }
    }

    /// Undoes what was done with a file that the store could not take.
    private func takeBack(_ file: NewFile) {
        if let temporary = file.temporary { _ = calls.remove(temporary) }
        guard let placed = file.placed, !isNeeded(placed) else { return }
        if let origin = file.movedFrom {
            // A file of the library's folder itself has stayed where it was.
            if origin == placed || FileName.absolute(origin) == FileName.absolute(placed) { return }
            if state(origin) == nil { _ = calls.rename(placed, to: origin) } else { _ = calls.remove(placed) }
        } else {
            _ = calls.remove(placed)
        }
    }

    /// Whether the library has this very file, by another program; also if that cannot be found out.
    private func isNeeded(_ path: String) -> Bool {
        guard let key = LibraryFolder.key(fileName(path)) else { return true }
        do throws(StoreError) { return try item(key).map { !$0.isTrashed } ?? false } catch { return true }
    }

    /// Removes what is no longer needed, now that the store knows the file.
    private func cleanUp(_ file: NewFile) {
        guard let item = file.item else { return }
        // A file that was moved in the folder itself has one name. A copy lacks what was written into the file since, so the file stays.
        if let origin = file.movedFrom, origin != file.placed, file.temporary == nil || isUnchanged(file) {
            _ = unsafe unlink(FileName.systemName(origin))
        }
        if item.place == .kept { _ = calls.remove(folder.trashed(item.path)) }
    }

    /// Whether a recording's file is where it should be.
    func exists(_ item: LibraryItem) -> Bool { !item.isMissing }

    /// Whether nothing was written into a file since before it was read. Another name of it, which changes its time of change, is nothing written.
    private func isUnchanged(_ file: NewFile) -> Bool {
        guard let before = file.before, let now = state(file.path) else { return false }
        return now.inode == before.inode && now.byteCount == before.byteCount && now.modified == before.modified
    }

    private func state(_ path: String) -> FileState? { unsafe FileState(FileName.systemName(path)) }

    /// Whether a file can be renamed into the library's folder: it is on the same disk, and no link, which would be moved without the sound. A
    /// name that is not UTF-8 is copied.
    private func canBeRenamed(_ path: String) -> Bool {
        var status = stat()
        guard FileName.isUTF8(path), unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let file = FileIdentity(path: path)
        else { return false }
        return file.device == FileIdentity(path: folder.path)?.device
    }
}

extension LibraryItem {
    /// Whether there is no file at its path. Real-time safe: no (asks the file system).
    public var isMissing: Bool { unsafe FileState(FileName.systemName(path)) == nil }
}
