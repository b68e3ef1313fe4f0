internal import Glibc

/// Distinguishes one state of a regular file from another without reading it.
///
/// The system sets the time of the last change (`changed`) on every write, and no program can set it to a chosen time.
package struct FileState: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let byteCount: Int64
    /// The times of the last write to the file and of the last change to the file or its metadata; each in s and ns since 1970.
    package let modified, changed: Moment

    package struct Moment: Hashable, Sendable, Comparable {
        package let seconds, nanoseconds: Int64

        package init(seconds: Int64, nanoseconds: Int64) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }

        package static func < (left: Moment, right: Moment) -> Bool {
            (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
        }

        /// The current time by the clock that sets files' times.
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

    /// The current state of an open file; nil if it is not a regular file.
    package init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The current state of the file with a name in the system's form; nil if there is no regular file.
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

    /// Two changes within one step of a file system's clock look like one: ext4's steps are 4 ms, FAT's 2 s. After this many
    /// seconds without a change, any further change will show in the times.
    private static let stableSeconds: Int64 = 3

    /// Whether a change at `now` or later would show in the state.
    package func isStable(at now: Moment) -> Bool {
        let latest = max(modified, changed)
        let (edge, isFarAhead) = latest.seconds.addingReportingOverflow(Self.stableSeconds)
        return !isFarAhead && Moment(seconds: edge, nanoseconds: latest.nanoseconds) < now
    }
}
