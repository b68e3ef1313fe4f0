internal import Files
internal import Glibc
internal import RunLog
internal import UserState

/// A file that reserves disk space for removals. SQLite's journal needs space, so on a full disk nothing could be
/// removed without a reserve. Only the user's own store has a reserve: other stores are copies, or short-lived.
struct StoreReserve {
    private let path: String

    /// Enough for the journal of removing several hundred recordings at once.
    private static let byteCount: Int64 = 1 << 20
    /// Free space below which no reserve is made: the reserve never takes the last space of the disk.
    private static let leastFree = 16 << 20

    init(besides store: String) { path = store + ".reserve" }

    /// Allocates the reserve if it was released and the disk has much more free space. After a failure there is no
    /// reserve.
    func keep() {
        if let state = unsafe FileState(path), state.byteCount >= Self.byteCount { return }
        let calls = SystemFileCalls()
        let folder = unsafe open(FilePlace.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        guard calls.freeBytes(folder) >= Self.leastFree else { return }
        // A killed program may have left an empty reserve.
        _ = calls.remove(path)
        let file = calls.create(path)
        guard file >= 0 else { return }
        // A sparse file would take no space.
        if posix_fallocate(Int32(file), 0, off_t(Self.byteCount)) != 0 { _ = calls.remove(path) }
        _ = calls.close(Int32(file))
    }

    /// Releases the reserve; returns false if there is none.
    func release() -> Bool {
        guard SystemFileCalls().remove(path) >= 0 else { return false }
        // Some file systems can use the space only after this call.
        _ = SystemFileCalls().synchroniseFolder(FilePlace.folder(of: path))
        RunLog.note(.sql, .warning, "the disk is full: the room that is reserved for removals is used")
        return true
    }

    /// Removes reproducible files, such as waveforms, if they are on the store's disk; returns false if nothing was
    /// removed. Needed for a store created or upgraded on a nearly full disk, which has no reserve.
    func freeCache() -> Bool {
        guard let cache = CacheFolder.path, let disk = FileIdentity(path: FilePlace.folder(of: path))?.device,
            FileIdentity(path: cache)?.device == disk
        else { return false }
        var freed: Int64 = 0
        Folder.walk(cache) { file, room, isFile in
            if isFile, SystemFileCalls().remove(file) >= 0 { freed += room }
        }
        if freed > 0 { RunLog.note(.sql, .warning, "the disk is full: \(freed) bytes of \(cache) are removed") }
        return freed > 0
    }
}
