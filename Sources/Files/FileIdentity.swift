internal import CLinux
internal import Glibc

/// Identifies the file behind a name or a descriptor: by the inode number on its disk, and by its creation time,
/// because inode numbers are reused.
package struct FileIdentity: Equatable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// Creation time in nanoseconds since 1970; 0 if the file system does not store it.
    package let birth: Int64
    /// True if files keep their inode numbers when the disk is mounted again.
    package let numbersLast: Bool

    package init(device: UInt64, inode: UInt64, birth: Int64, numbersLast: Bool = true) {
        (self.device, self.inode, self.birth, self.numbersLast) = (device, inode, birth, numbersLast)
    }

    /// Identifies the file at `path`; nil if there is none.
    package init?(path: String) { self.init(folder: AT_FDCWD, path: path) }

    /// Identifies an open file.
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

    /// Returns true if both are the same file. A disk's number may change after a restart, but the creation time of a
    /// file does not. If both files have a creation time, the creation time decides.
    package func isSame(as other: FileIdentity?) -> Bool {
        guard let other, inode == other.inode else { return false }
        return birth != 0 && other.birth != 0 ? birth == other.birth : device == other.device
    }

    /// Returns true if this file, found at the place of an earlier file, may be the same. The numbers of the file and
    /// its disk may have changed because the disk was mounted again. FAT, exFAT and FUSE assign new numbers with each
    /// mount, and FAT's times move with the time zone; there only the contents can tell.
    package func mayBe(_ earlier: FileIdentity) -> Bool {
        isSame(as: earlier) || !numbersLast || birth != 0 && birth == earlier.birth
    }

    /// Magic numbers of FAT, exFAT, NTFS and FUSE (linux/magic.h; for exFAT and NTFS, their drivers).
    private static let systemsOfPassingNumbers: Set<UInt32> = [0x4D44, 0x2011_BAB0, 0x7366_746E, 0x6573_5546]
}
