internal import Glibc

/// Distinguishes one state of a regular file from another without reading it.
///
/// The system sets the time of the last change (`changed`) on every write, and no program can set it to a chosen time.
package struct FileState: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let byteCount: Int64
    /// Time of the last write to the file, and time of the last change to the file or its metadata; each in s and ns
    /// since 1970.
    package let modified, changed: Moment

    package struct Moment: Hashable, Sendable, Comparable {
        package let seconds, nanoseconds: Int64

        package init(seconds: Int64, nanoseconds: Int64) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }

        package static func < (left: Moment, right: Moment) -> Bool {
            (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
        }

        /// Current time by the clock that sets files' times.
        package static var now: Moment {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Moment(time)
        }

        fileprivate init(_ time: timespec) {
            self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        }
    }

    package init(device: UInt64, inode: UInt64, byteCount: Int64, modified: Moment, changed: Moment) {
        (self.device, self.inode, self.byteCount) = (device, inode, byteCount)
        (self.modified, self.changed) = (modified, changed)
    }

    /// Reads the current state of an open file; nil if the file is not regular.
    package init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the current state of the file with a name in the system's form; nil if there is no regular file.
    package init?(_ name: UnsafePointer<CChar>) {
        var status = stat()
        guard unsafe stat(name, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            modified: Moment(status.st_mtim), changed: Moment(status.st_ctim))
    }

    /// Seconds without a change after which any further change will show in the times. Two changes within the same step
    /// of a file system's clock look the same: ext4's steps are 4 ms, FAT's 2 s.
    private static let stableSeconds: Int64 = 3

    /// Returns true if a change at `now` or later would show in the state.
    package func isStable(at now: Moment) -> Bool {
        let latest = max(modified, changed)
        let (edge, isFarAhead) = latest.seconds.addingReportingOverflow(Self.stableSeconds)
        return !isFarAhead && Moment(seconds: edge, nanoseconds: latest.nanoseconds) < now
    }
}
