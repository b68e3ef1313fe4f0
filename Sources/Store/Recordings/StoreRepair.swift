internal import Database
public import Explanations
package import Files
internal import Glibc
internal import JSON

/// The result of repairing a damaged store.
public struct StoreRepair: Explained, Equatable {
    /// The new path of the damaged file, which is unchanged.
    package let damagedPath: String
    /// Number of recovered recordings.
    package let recordingCount: Int
    /// Number of recovered sections.
    package let sectionCount: Int
    /// Number of recovered takes.
    package let takeCount: Int
    /// Number of recovered library items.
    package let itemCount: Int
    /// Number of recovered entries of the practice log.
    package let practiceCount: Int
    /// Number of recovered reviews.
    package let reviewCount: Int
    /// True if everything was readable. If not, lost changes of sections cannot be undone.
    package let isComplete: Bool

    /// The damage and the result, in one plain sentence.
    public var message: String {
        "the store of sections and takes was damaged; \(isComplete ? "all of it" : "only the readable part") was kept: "
            + "\(counted(recordingCount, "recording")) with \(counted(sectionCount, "section")), \(counted(takeCount, "take")), "
            + "\(itemCount) in the library, \(counted(practiceCount, "entry", "entries")) of the practice log "
            + "and \(counted(reviewCount, "rating"))"
    }
    /// The remedy, in one plain sentence.
    public var remedy: String {
        "The damaged file is kept as \(damagedPath)."
            + (isComplete
                ? ""
                : " Bring back recordings with: woodshed library check --fix, and the rest from a backup: woodshed library restore --merge FOLDER")
    }

    /// Number of recovered rows of all tables.
    private let rowCount: Int

    /// Replaces a damaged store, or a store of an earlier version, by a new store with all readable rows.
    ///
    /// - Parameters:
    ///   - path: A copy of the store's file: the original stays unchanged.
    ///   - original: The path of the original, for errors.
    /// - Throws: `StoreError`, of kind `foreign` if the file contains nothing of a store, and `newer`.
    package init(
        ofCopy path: String, of original: String, calls: any FileCalls = SystemFileCalls()
    ) throws(StoreError) {
        let schema = StoreSchema.current
        let isStore = try schema.refuseOther(path, named: original)
        let cause = StoreError(.damaged("it was found damaged"), path: original)
        let repair = try StoreRepair(
            of: path, schema: schema, cause: cause, busyTimeout: 5000, isShared: false, calls: calls)
        guard let repair else {
            throw .cannotOpen(original, "another program has replaced its copy")
        }
        guard isStore || repair.rowCount > 0 else {
            throw StoreError(
                .foreign, "\(original): the file has no readable part of a store",
                remedy: "Name another file, or bring back a backup: woodshed library restore FOLDER")
        }
        self = repair
    }

    /// Moves the rows of a copy into a new store if the copy has triggers, or other tables, views or indexes than a
    /// store. Such parts could later change rows, or refuse changes. Otherwise the copy stays unchanged, even if
    /// damaged.
    ///
    /// - Parameter original: The path of the original, for errors.
    /// - Returns: Nil if the copy has no foreign parts.
    package static func replaceForeignParts(
        ofCopy path: String, of original: String, calls: any FileCalls
    ) throws(StoreError) -> StoreRepair? {
        guard StoreSchema.current.hasForeignParts(path) else { return nil }
        return try StoreRepair(ofCopy: path, of: original, calls: calls)
    }

    /// Replaces a damaged store by a new store with all readable rows.
    ///
    /// - Parameter isShared: True if other programs know the file, and may repair it at the same time.
    /// - Returns: Nil if another program has repaired the store meanwhile.
    /// - Throws: `StoreError`; the damaged file is then unchanged.
    init?(
        of path: String, schema: StoreSchema, cause: StoreError, busyTimeout: Int32, isShared: Bool = true,
        calls: any FileCalls = SystemFileCalls()
    ) throws(StoreError) {
        do throws(StoreError) {
            guard let salvage = try Self.salvage(path, schema, busyTimeout, isShared, calls) else { return nil }
            damagedPath = salvage.aside
            recordingCount = salvage.copied.count("recording")
            sectionCount = salvage.copied.count("section")
            takeCount = salvage.copied.count("take")
            itemCount = salvage.copied.count("item")
            practiceCount = salvage.copied.count("practice")
            reviewCount = salvage.copied.count("review")
            rowCount = salvage.copied.total
            isComplete = salvage.copied.isComplete
        } catch {
            throw error.kind == .busy ? error : .beyondRepair(path, cause, error)
        }
    }

    private static func salvage(
        _ path: String, _ schema: StoreSchema, _ busyTimeout: Int32, _ isShared: Bool, _ calls: any FileCalls
    ) throws(StoreError) -> (copied: Salvage, aside: String)? {
        let path = target(of: path)
        let damaged = FileIdentity(path: path)
        let folder = try isShared ? lockedFolder(of: path, busyTimeout) : -1
        defer { FileLock.release(folder) }
        let repaired = path + ".repairing"
        let copied: Salvage
        let source: Database
        do throws(DatabaseError) {
            source = try Self.source(path, schema, busyTimeout)
            guard let damaged, damaged.isSame(as: FileIdentity(path: path)) else { return nil }
            for ending in endings { unsafe unlink(path + ending) }
            copied = Salvage(from: source, at: path, into: try Database(path: repaired, creating: true))
            try copied.run(schema)
        } catch {
            removeRemains(of: repaired)
            throw StoreError(error, path: path)
        }
        defer { removeRemains(of: repaired) }
        do throws(FileFault) {
            return (
                copied,
                try withExtendedLifetime(source) { () throws(FileFault) in try exchange(path, by: repaired, calls) }
            )
        } catch {
            throw .system(path, error.code)
        }
    }

    /// Returns the path of the file to replace: behind a symbolic link, the link's target.
    fileprivate static func target(of path: String) -> String {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
        return (try? FilePlace(path))?.finalPath ?? path
    }

    /// Locks the folder, so that no other program repairs a store in the folder meanwhile. Two repairs would write the
    /// same file, and one could rename the other's unfinished file. SQLite's locks do not work with a damaged header.
    ///
    /// - Returns: A descriptor of the folder, which holds the lock until closed; -1 if the folder cannot be opened.
    private static func lockedFolder(of path: String, _ busyTimeout: Int32) throws(StoreError) -> Int32 {
        let folder = unsafe open(FilePlace.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            if SystemLimit(errno: errno) != nil { throw .system(path, errno) }
            return -1
        }
        for _ in 0...max(0, busyTimeout / 10) {
            guard (try? FileLock.take(folder)) == .held else { return folder }
            usleep(10_000)
        }
        close(folder)
        throw StoreError(
            .busy, "\(path): another program is repairing the store",
            remedy: "Wait until the other program has finished, or end it.")
    }

    /// Returns a connection that reads the damaged file and keeps other programs from changing the file.
    private static func source(
        _ path: String, _ schema: StoreSchema, _ busyTimeout: Int32
    ) throws(DatabaseError) -> Database {
        let source = try Database(path: path, creating: false, busyTimeout: busyTimeout)
        do throws(DatabaseError) {
            // Permits reading a file shorter than its header says; this connection writes nothing.
            _ = try source.rows("PRAGMA writable_schema=ON") { _ in }
            try source.run("BEGIN EXCLUSIVE")
            return source
        } catch {
            // No program can change a file without a header. A copy with the header of an empty store may be readable.
            guard error.kind == .damaged else { throw error }
            return withHeader(of: schema, path) ?? source
        }
    }

    /// Returns a connection to a copy of the file with the header of an empty store; nil after a failure.
    private static func withHeader(of schema: StoreSchema, _ path: String) -> Database? {
        let (empty, copy) = (path + ".repairing-empty", path + ".repairing-copy")
        // The open connection keeps the copy, so the copy needs no name.
        defer { for name in [empty, copy] { removeRemains(of: name) } }
        for name in [empty, copy] { removeRemains(of: name) }
        do {
            let made = try Database(path: empty, creating: true)
            try made.transaction { () throws(DatabaseError) in try schema.make(in: made) }
            var bytes = try contents(of: path)
            let header = try contents(of: empty).prefix(headerSize)
            guard bytes.count > headerSize, header.count == headerSize else { return nil }
            bytes.replaceSubrange(..<headerSize, with: header)
            // The header's fields for the number of pages, and for the unused pages.
            let pageSize = Int(bytes: header[16..<18], in: 0...65_535) ?? 0
            let pages = UInt32(clamping: pageSize == 0 ? 0 : bytes.count / pageSize)
            for (index, place) in (28..<32).enumerated() {
                bytes[place] = UInt8(truncatingIfNeeded: pages >> (24 - 8 * index))
            }
            for place in 32..<40 { bytes[place] = 0 }
            let file = try WholeFile(copy, suffix: ".new")
            try file.append(bytes)
            try file.commit()
            let source = try Database(path: copy, creating: false)
            _ = try source.rows("PRAGMA writable_schema=ON") { _ in }
            try source.run("BEGIN")
            _ = try source.rows("SELECT count(*) FROM sqlite_schema") { _ in }
            return source
        } catch {
            return nil
        }
    }

    private static let headerSize = 100
    /// Larger files are not read into memory.
    private static let largestCopy = 256 << 20

    private static func contents(of path: String) throws(FileFault) -> [UInt8] {
        let file = try unsafe RegularFile(path)
        guard file.byteCount <= largestCopy else { throw FileFault(code: EFBIG) }
        return try FileBytes.bytes(of: file.descriptor, count: Int(file.byteCount))
    }

    /// Name endings of the files beside a store during a repair.
    fileprivate static let endings =
        [".repairing", ".repairing-empty", ".repairing-copy"].flatMap { [$0, $0 + "-journal"] }
        + [".repairing-copy.new"]

    private static func removeRemains(of path: String) {
        for name in [path, path + "-journal"] { unsafe unlink(name) }
    }

    /// A file that stays open as long as something refers to it.
    private final class OpenFile {
        let file: RegularFile

        init(_ path: String) throws(FileFault) { file = try unsafe RegularFile(path) }
    }

    /// Renames the damaged file, and gives its name to the repaired file. A file of the store's name exists at any
    /// moment. A failure leaves all names unchanged.
    private static func exchange(
        _ path: String, by repaired: String, _ calls: any FileCalls
    ) throws(FileFault) -> String {
        var aside = path + ".damaged"
        var count = 1
        var isMade = true
        // Closing any descriptor of the file would release SQLite's lock.
        var copied: OpenFile?
        defer { withExtendedLifetime(copied) {} }
        while unsafe link(path, aside) != 0 {
            let code = errno
            if [EPERM, EOPNOTSUPP, ENOSYS].contains(code) {
                // exFAT and some network disks support no hard links.
                let source = try OpenFile(path)
                copied = source
                try FileCopy.copy(source.file, to: aside, calls: calls)
                // The copy gets the permissions of the store.
                var status = stat()
                if unsafe fstat(source.file.descriptor, &status) == 0 {
                    _ = unsafe chmod(aside, status.st_mode & 0o777)
                }
                do throws(FileFault) { try FileCopy.synchronise(aside, calls: calls) } catch {
                    _ = calls.remove(aside)
                    throw error
                }
                break
            }
            guard code == EEXIST, count < 10_000 else { throw FileFault(code: code) }
            // An interrupted repair has already linked the file under this name.
            isMade = FileIdentity(path: aside).map { !$0.isSame(as: FileIdentity(path: path)) } ?? true
            if !isMade { break }
            count += 1
            aside = "\(path).damaged-\(count)"
        }
        func removeAside() { if isMade { _ = calls.remove(aside) } }
        let moved = calls.rename(path + "-journal", to: aside + "-journal")
        if moved < 0, moved != -Int(ENOENT) {
            removeAside()
            throw FileFault(code: Int32(-moved))
        }
        // A loss of power must not undo one of these steps and keep the next: the damaged file would be lost, or SQLite
        // would apply its journal to the new file.
        _ = calls.synchroniseFolder(FilePlace.folder(of: path))
        let renamed = calls.rename(repaired, to: path)
        if renamed < 0 {
            // Restore the journal before removing the second name: without its journal the file would pass as complete.
            if moved == 0, calls.rename(aside + "-journal", to: path + "-journal") < 0 {
                throw FileFault(code: Int32(-renamed))
            }
            removeAside()
            throw FileFault(code: Int32(-renamed))
        }
        _ = calls.synchroniseFolder(FilePlace.folder(of: path))
        return aside
    }
}

extension PracticeStore {
    /// The path of the store's file, behind a symbolic link. A new file that replaces the store gets this path.
    package var filePath: String? { path.map(StoreRepair.target) }

    /// The paths of files beside the store during a repair, and after an interrupted repair.
    package var repairPaths: [String] { filePath.map { path in StoreRepair.endings.map { path + $0 } } ?? [] }

    /// Carries out `body`, which may remove the files at ``repairPaths``. Skips `body` if a program repairs a store in
    /// this folder, or if this is unknown. No repair can begin meanwhile.
    package func unlessRepairing<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        guard let path = filePath else { return }
        // A program that creates such files holds the lock until it has removed them.
        try FileLock.asking(forFolder: FilePlace.folder(of: path)) { (lock) throws(Failure) in
            if lock == .taken { try body() }
        }
    }
}
