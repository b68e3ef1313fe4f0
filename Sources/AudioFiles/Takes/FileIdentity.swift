internal import CLinux
internal import Glibc

/// Which file a name or a descriptor stands for: its number on its disk, and when it was made, as numbers are used again.
struct FileIdentity: Equatable {
    let device: UInt64
    let inode: UInt64
    /// Nanoseconds since 1970; 0 where the file system does not keep it.
    let birth: Int64

    init(device: UInt64, inode: UInt64, birth: Int64) {
        (self.device, self.inode, self.birth) = (device, inode, birth)
    }

    /// The file that `path` names; nil where there is none.
    init?(path: String) { self.init(folder: AT_FDCWD, path: path) }

    /// The file that is open.
    init?(descriptor: Int32) { self.init(folder: descriptor, path: "") }

    private init?(folder: Int32, path: String) {
        var status = statx()
        guard unsafe linux_status(folder, path, UInt32(STATX_INO) | UInt32(STATX_BTIME), &status) == 0 else {
            return nil
        }
        device = UInt64(status.stx_dev_major) << 32 | UInt64(status.stx_dev_minor)
        inode = status.stx_ino
        let isKept = status.stx_mask & UInt32(STATX_BTIME) != 0
        birth = isKept ? status.stx_btime.tv_sec * 1_000_000_000 + Int64(status.stx_btime.tv_nsec) : 0
    }

    /// Whether both are one file. A disk's number may differ after a restart, the time at which a file was made does not; so where
    /// both are known to have one, it decides.
    func isSame(as other: FileIdentity?) -> Bool {
        guard let other, inode == other.inode else { return false }
        return birth != 0 && other.birth != 0 ? birth == other.birth : device == other.device
    }
}
