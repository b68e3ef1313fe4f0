internal import Database
public import Explanations
package import Files
internal import Glibc

/// What was done about a damaged store.
public struct StoreRepair: Explained, Equatable {
    /// The path to which the damaged file was moved, unchanged.
    public let damagedPath: String
    /// The recordings that could be read.
    package let recordingCount: Int
    /// The sections that could be read.
    package let sectionCount: Int
    /// The takes that could be read.
    package let takeCount: Int
    /// The recordings of the library that could be read.
    package let itemCount: Int
    /// The entries of the practice log that could be read.
    package let practiceCount: Int
    /// The reviews that could be read.
    package let reviewCount: Int
    /// Whether everything could be read. If not, changes of sections that were lost cannot be undone.
    public let isComplete: Bool

    /// What has happened, in one plain sentence.
    public var message: String {
        "the store of sections and takes was damaged; \(isComplete ? "everything in it" : "what could be read") was kept: "
            + "\(counted(recordingCount, "recording")) with \(counted(sectionCount, "section")), \(counted(takeCount, "take")), "
            + "\(itemCount) in the library, \(counted(practiceCount, "entry", "entries")) of the practice log "
            + "and \(counted(reviewCount, "rating"))"
    }
    /// What to do about it, in one plain sentence.
    public var remedy: String {
        "The damaged file is kept as \(damagedPath)."
            + (isComplete
                ? ""
                : " Bring back recordings with: woodshed library check --fix, and the rest from a backup: woodshed library restore --merge FOLDER")
    }

    /// The rows of all tables that could be read.
    private let rowCount: Int

    /// Puts a store with everything that can be read in the place of a damaged one, or of one of an earlier version.
    ///
    /// - Parameters:
    ///   - path: A copy of the store's file: the original stays as it is.
    ///   - original: The path of the original, for errors.
    /// - Throws: `StoreError`, of kind `foreign` if nothing of a store is in the file, and `newer`.
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
                .foreign, "\(original): nothing of a store can be read in this file",
                remedy: "Name another file, or bring back a backup: woodshed library restore FOLDER")
        }
        self = repair
    }

    /// Puts the rows of a copy into a new store if it has other tables, views or indexes than a store, or triggers: those could change rows later, or refuse
    /// changes. Otherwise the copy stays as it is, also if it is damaged.
    ///
    /// - Parameter original: The path of the original, for errors.
    /// - Returns: Nil if it has nothing else.
    package static func replaceForeignParts(
        ofCopy path: String, of original: String, calls: any FileCalls
    ) throws(StoreError) -> StoreRepair? {
        guard StoreSchema.current.hasForeignParts(path) else { return nil }
        return try StoreRepair(ofCopy: path, of: original, calls: calls)
    }

    /// Puts a store with everything that can be read in the place of a damaged one.
    ///
    /// - Parameter isShared: Whether other programs know the file, and may repair it at the same time.
    /// - Returns: Nil if another program has done it meanwhile.
    /// - Throws: `StoreError`; the damaged file is then as it was.
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

    /// Keeps other programs from repairing a store in this folder meanwhile. Both would write the same file, and one would give the store's name to what
    /// the other one has half written. SQLite's locks do not help where the header is damaged.
    ///
    /// - Returns: A descriptor of the folder, whose end ends the lock; -1 if the folder cannot be opened.
    private static func lockedFolder(of path: String, _ busyTimeout: Int32) throws(StoreError) -> Int32 {
        let folder = unsafe open(FilePlace.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return -1 }
        for _ in 0...max(0, busyTimeout / 10) {
            guard (try? FileLock.take(folder)) == .held else { return folder }
            usleep(10_000)
        }
        close(folder)
        throw StoreError(
            .busy, "\(path): another program is repairing the store",
            remedy: "Wait until the other program has finished, or end it.")
    }

    /// A connection that reads the damaged file and keeps other programs from changing it.
    private static func source(
        _ path: String, _ schema: StoreSchema, _ busyTimeout: Int32
    ) throws(DatabaseError) -> Database {
        let source = try Database(path: path, creating: false, busyTimeout: busyTimeout)
        do throws(DatabaseError) {
            // Lets a file be read that is shorter than its header says; nothing is written through this connection.
            _ = try source.rows("PRAGMA writable_schema=ON") { _ in }
            try source.run("BEGIN EXCLUSIVE")
            return source
        } catch {
            // Nobody can change a file without a header. With the header of an empty store a copy of it may be readable.
            guard error.kind == .damaged else { throw error }
            return withHeader(of: schema, path) ?? source
        }
    }

    /// A connection to a copy of the file that has the header of an empty store; nil if it cannot be made.
    private static func withHeader(of schema: StoreSchema, _ path: String) -> Database? {
        let (empty, copy) = (path + ".repairing-empty", path + ".repairing-copy")
        // The connection keeps the copy; it needs no name.
        defer { for name in [empty, copy] { removeRemains(of: name) } }
        for name in [empty, copy] { removeRemains(of: name) }
        do {
            let made = try Database(path: empty, creating: true)
            try made.transaction { () throws(DatabaseError) in try schema.make(in: made) }
            var bytes = try contents(of: path)
            let header = try contents(of: empty).prefix(headerSize)
            guard bytes.count > headerSize, header.count == headerSize else { return nil }
            bytes.replaceSubrange(..<headerSize, with: header)
            // Where the header says how many pages there are, and which of them are unused.
            let pageSize = Int(header[16]) << 8 | Int(header[17])
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

    /// The endings of files beside a store while it is repaired.
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

    /// Gives the damaged file another name, and its name to the repaired one. There is a file of that name at any moment. If it fails, all names are as
    /// before.
    private static func exchange(
        _ path: String, by repaired: String, _ calls: any FileCalls
    ) throws(FileFault) -> String {
        var aside = path + ".damaged"
        var count = 1
        var isMade = true
        // Closing any descriptor of the file would end SQLite's lock of it.
        var copied: OpenFile?
        defer { withExtendedLifetime(copied) {} }
        while unsafe link(path, aside) != 0 {
            let code = errno
            if [EPERM, EOPNOTSUPP, ENOSYS].contains(code) {
                // exFAT and some network disks give no file a second name.
                let source = try OpenFile(path)
                copied = source
                try FileCopy.copy(source.file, to: aside, calls: calls)
                // Others may read the copy only if they may read the store.
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
            // A repair that was interrupted has given it this name.
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
        // A loss of power must not undo one of these steps and leave the next one: the damaged file would be gone, or SQLite would take its
        // journal for the new file's.
        _ = calls.synchroniseFolder(FilePlace.folder(of: path))
        let renamed = calls.rename(repaired, to: path)
        if renamed < 0 {
            // Before the other name goes: a file of that name without its journal would be taken for whole.
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
    /// The paths beside the store that files have during a repair of it, and that those of an interrupted one still have.
    package var repairPaths: [String] { path.map { path in StoreRepair.endings.map { path + $0 } } ?? [] }

    /// Carries out `body`, which may remove the files at ``repairPaths``, unless a program repairs a store in this folder, or that cannot be known. No
    /// program can begin a repair meanwhile.
    package func unlessRepairing<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        guard let path else { return }
        // A program that makes such files has the lock until they are gone.
        try FileLock.asking(forFolder: FilePlace.folder(of: path)) { (lock) throws(Failure) in
            if lock == .taken { try body() }
        }
    }
}
