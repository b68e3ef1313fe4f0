internal import CLinux
internal import Glibc

/// Which file a name or a descriptor stands for: its number on its disk, and when it was made, as numbers are used again.
package struct FileIdentity: Equatable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// Nanoseconds since 1970; 0 where the file system does not keep it.
    package let birth: Int64
    /// Whether files keep their numbers when the disk is mounted again.
    package let numbersLast: Bool

    package init(device: UInt64, inode: UInt64, birth: Int64, numbersLast: Bool = true) {
        (self.device, self.inode, self.birth, self.numbersLast) = (device, inode, birth, numbersLast)
    }

    /// The file that `path` names; nil where there is none.
    package init?(path: String) { self.init(folder: AT_FDCWD, path: path) }

    /// The file that is open.
    package init?(descriptor: Int32) { self.init(folder: descriptor, path: "") }

    private init?(folder: Int32, path: String) {
        var status = statx()
        guard unsafe linux_status(folder, path, UInt32(STATX_INO) | UInt32(STATX_BTIME), &status) == 0 else {
            return nil
        }
        device = UInt64(status.stx_dev_major) << 32 | UInt64(status.stx_dev_minor)
        inode = status.stx_ino
        let isKept = status.stx_mask & UInt32(STATX_BTIME) != 0
        numbersLast = unsafe !Self.systemsOfPassingNumbers.contains(linux_file_system(folder, path))
        birth = isKept ? status.stx_btime.tv_sec * 1_000_000_000 + Int64(status.stx_btime.tv_nsec) : 0
    }

    /// Whether both are one file. A disk's number may differ after a restart, the time at which a file was made does not; so where
    /// both are known to have one, it decides.
    package func isSame(as other: FileIdentity?) -> Bool {
        guard let other, inode == other.inode else { return false }
        return birth != 0 && other.birth != 0 ? birth == other.birth : device == other.device
    }

    /// Whether this file, found where the other was long ago, may be that one: its number and its disk's may have changed since, as the
    /// disk was mounted anew. FAT, exFAT and file systems of programs make up numbers with each mount, and FAT's times move with the
    /// time zone; there only what the file holds can tell.
    package func mayBe(_ earlier: FileIdentity) -> Bool {
        isSame(as: earlier) || !numbersLast || birth != 0 && birth == earlier.birth
    }

    /// FAT, exFAT, NTFS and FUSE (linux/magic.h; exFAT's and NTFS's are in their drivers).
    private static let systemsOfPassingNumbers: Set<UInt32> = [0x4D44, 0x2011_BAB0, 0x7366_746E, 0x6573_5546]
}
