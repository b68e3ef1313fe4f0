internal import Files
internal import Glibc
internal import RunLog
internal import UserState

/// Room on the store's disk that is kept for removals: on a full disk there is none for SQLite's journal, and so nothing could be removed.
/// Only the user's own store has one: other stores are copies, or short-lived.
struct StoreReserve {
    private let path: String

    /// Enough for the journal of removing several hundred recordings at once.
    private static let byteCount: Int64 = 1 << 20
    /// It takes nobody's last room.
    private static let leastFree = 16 << 20

    init(besides store: String) { path = store + ".reserve" }

    /// Takes the room if it was given back and the disk has much more. If that fails, there is none.
    func keep() {
        if let state = unsafe FileState(path), state.byteCount >= Self.byteCount { return }
        let calls = SystemFileCalls()
        let folder = unsafe open(FilePlace.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        guard calls.freeBytes(folder) >= Self.leastFree else { return }
        // A program that was killed may have left an empty one.
        _ = calls.remove(path)
        let file = calls.create(path)
        guard file >= 0 else { return }
        // A hole would take no room.
        if posix_fallocate(Int32(file), 0, off_t(Self.byteCount)) != 0 { _ = calls.remove(path) }
        _ = calls.close(Int32(file))
    }

    /// Gives the room back; false if there is none.
    func release() -> Bool {
        guard SystemFileCalls().remove(path) >= 0 else { return false }
        // Some file systems can use it only after this.
        _ = SystemFileCalls().synchroniseFolder(FilePlace.folder(of: path))
        RunLog.note(.sql, .warning, "the disk is full: the room that is reserved for removals is used")
        return true
    }

    /// Removes files that can be made again, such as waveforms, if they are on the store's disk; false if there are none. A store that was made or upgraded
    /// on a disk that was nearly full has no reserve.
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
