// Taking files in. A file of the library's own appears in its folder as a whole, and on the disk, before the store knows it; so a program that
// ends between two steps leaves at most a file that the store does not know, which `check` finds.
internal import AudioFiles
internal import Database
internal import Files
internal import Glibc
internal import Practice
internal import RunLog

/// How a file comes into the library.
public enum AddingWay: String, Sendable, CaseIterable {
    /// The library gets a copy.
    case copy
    /// The file stays where it is.
    case link
    /// The file is moved into the library's folder.
    case move
}

/// A file that was added.
public struct AddedItem: Sendable, Hashable {
    /// The recording.
    public let item: LibraryItem
    /// False if the library had it already.
    public let isNew: Bool
}

extension RecordingLibrary {
    /// Adds a file, or finds that the library has its recording already.
    ///
    /// - Throws: `AudioFileError` if it is no recording, `RecordingLibraryError`, `StoreError`. Nothing has changed then.
    @discardableResult
    public func add(fileAt path: String, _ way: AddingWay = .copy) throws -> AddedItem {
        try add([path], way)[0].get()
    }

    /// Adds files, many of them in one step.
    ///
    /// - Parameters:
    ///   - paths: The files.
    ///   - way: How they come into the library.
    ///   - change: Changes what is said about each new recording.
    ///   - isCancelled: Asked before each file; the rest is refused as cancelled if it is true.
    /// - Returns: What became of each, in order.
    public func add(
        _ paths: [String], _ way: AddingWay, change: (inout LibraryItem.Words) -> Void = { _ in },
        isCancelled: () -> Bool = { false }
    ) -> [Result<AddedItem, any Error>] {
        var results: [Result<AddedItem, any Error>] = []
        for start in stride(from: 0, to: paths.count, by: Self.batch) {
            let group = paths[start..<min(start + Self.batch, paths.count)].map { NewFile(path: $0) }
            results += add(group, way, change, isCancelled)
        }
        return results
    }

    /// Takes in a file in the library's own folder for parts: one that was fetched.
    ///
    /// - Parameters:
    ///   - path: The file, which is complete and on the disk.
    ///   - name: The name to keep, without folders.
    ///   - change: Changes what is said about it, if it is new.
    package func takeIn(
        partAt path: String, named name: String, change: (inout LibraryItem.Words) -> Void
    ) throws -> AddedItem {
        try add([NewFile(path: path, name: name)], .move, change, { false })[0].get()
    }

    /// Files that are added in one step, at most: a longer step would keep other programs from the store.
    private static let batch = 256
    /// So many files are put on the disk one by one; for more the whole file system is.
    private static let fewFiles = 8

    /// A file on its way.
    private struct NewFile {
        let path: String
        /// The name to keep; nil for the file's own.
        var name: String?
        var item: NewItem?
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
        var (files, staged) = (files, Int64(0))
        for index in files.indices {
            do {
                if isCancelled() { throw RecordingLibraryError.cancelled }
                try prepare(&files[index], way, staged: staged, change)
                if way != .link { staged += files[index].item?.byteCount ?? 0 }
            } catch { files[index].failure = error }
        }
        var results: [Result<AddedItem, any Error>]
        // Linked files need no folder.
        if files.contains(where: { $0.item?.place == .kept }) {
            results = folder.exclusively {
                place(&files)
                return finish(&files)
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
        do throws(StoreError) { written = try write(files) } catch {
            for file in files { takeBack(file) }
            RunLog.note(.library, .error, "nothing added: \(error.message)")
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

    /// Reads a file, and copies it unless it stays where it is.
    private func prepare(
        _ file: inout NewFile, _ way: AddingWay, staged: Int64, _ change: (inout LibraryItem.Words) -> Void
    ) throws {
        let before = state(file.path)
        var item = try NewItem(fileAt: file.path, named: file.name, store: store)
        if let known = try self.item(item.recording.key), !known.isTrashed, exists(known),
            known.byteCount == item.byteCount, known.place == .kept || way == .link
        {
            file.known = known
            return
        }
        let ofFile = item.words
        change(&item.words)
        item.words = try item.words.checked()
        item.told = ofFile.fields(otherThan: item.words)
        if way != .link {
            try checkQuota(adding: item.byteCount + staged)
            try folder.make()
            let name = LibraryFolder.name(
                item.recording.key, original: item.originalName, container: item.container)
            // From another disk, too, because only on one disk a file can be moved in one step.
            if way == .copy || !isOnLibraryDisk(file.path) {
                file.temporary = try copy(file.path)
                // What was copied is what was read before, if the file has not changed meanwhile.
                guard let before, state(file.path) == before else {
                    takeBack(file)
                    throw RecordingLibraryError(
                        .changed, "\(file.path): the file changed while it was copied", remedy: "Try again.")
                }
            }
            (item.place, item.path) = (.kept, name)
        }
        file.item = item
        if way == .move { file.movedFrom = file.path }
    }

    /// Copies a file into the folder for parts; returns the copy's name.
    private func copy(_ path: String) throws(RecordingLibraryError) -> String {
        let name = folder.parts + "/" + FilePlace.temporaryName()
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
        let second = folder.parts + "/" + FilePlace.temporaryName()
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

    private func write(_ files: [NewFile]) throws(StoreError) -> [AddedItem?] {
        guard files.contains(where: { $0.item != nil }) else { return files.map { _ in nil } }
        let now = Self.now
        let items = files.map(\.item)
        return try self.change { (rows) throws(DatabaseError) in
            try items.map { (item) throws(DatabaseError) -> AddedItem? in
                guard let item else { return nil }
                var recording = item.recording
                recording.path = item.place == .kept ? folder.file(item.path) : item.path
                // Another program may have added it meanwhile.
                let earlier = try rows.item(recording.key)
                let wasThere = earlier.map { !$0.isGone && !$0.item.isTrashed } ?? false
                let row = try rows.rows.see(recording, at: now)
                let number = try rows.add(item, recording: row.id, at: now)
                return try rows.item(number: number).map { AddedItem(item: $0.item, isNew: !wasThere) }
            }
        }
    }

    /// Undoes what was done with a file that the store could not take.
    private func takeBack(_ file: NewFile) {
        if let temporary = file.temporary { _ = calls.remove(temporary) }
        guard let placed = file.placed, !isNeeded(placed) else { return }
        if let origin = file.movedFrom {
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
        // A file that was moved in the folder itself has one name.
        if let origin = file.movedFrom, origin != file.placed { _ = unsafe unlink(FileName.systemName(origin)) }
        if item.place == .kept { _ = calls.remove(folder.trashed(item.path)) }
    }

    /// Whether a recording's file is where it should be.
    func exists(_ item: LibraryItem) -> Bool { !item.isMissing }

    private func state(_ path: String) -> FileState? { unsafe FileState(FileName.systemName(path)) }

    /// Whether a file can be renamed into the library's folder. A name that is not UTF-8 is copied.
    private func isOnLibraryDisk(_ path: String) -> Bool {
        guard FileName.isUTF8(path), let file = FileIdentity(path: path) else { return false }
        return file.device == FileIdentity(path: folder.path)?.device
    }
}

extension LibraryItem {
    /// Whether its file is not where it was.
    public var isMissing: Bool { unsafe FileState(FileName.systemName(path)) == nil }
}
