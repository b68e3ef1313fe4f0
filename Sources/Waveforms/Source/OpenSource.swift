// A recording whose waveform is kept: the identity of the file, the time of its last change, and its content.
internal import AudioFiles
internal import Files
internal import Glibc

/// Distinguishes one state of a file from another without reading it.
///
/// The system sets the time of the last change (`changed`) on every write, and no program can set it to a chosen time.
struct SourceIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let byteCount: Int64
    /// The times of the last write to the file and of the last change to the file or its metadata; each in s and ns since 1970.
    let modified, changed: Moment

    struct Moment: Hashable, Sendable, Comparable {
        let seconds, nanoseconds: Int64

        static func < (left: Moment, right: Moment) -> Bool {
            (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
        }

        /// The current time by the clock that sets files' times.
        static var now: Moment {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Moment(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        }
    }

    /// Two changes within one step of a file system's clock look like one: ext4's steps are 4 ms, FAT's 2 s. After this many
    /// seconds without a change, any further change will show in the times.
    static let stableSeconds: Int64 = 3

    /// Whether a change at `now` or later would show in the identity.
    func isStable(at now: Moment) -> Bool {
        let latest = max(modified, changed)
        let (edge, isFarAhead) = latest.seconds.addingReportingOverflow(Self.stableSeconds)
        return !isFarAhead && Moment(seconds: edge, nanoseconds: latest.nanoseconds) < now
    }
}

/// A regular file that is open for reading; closed with its owner.
struct OpenSource: ~Copyable {
    private let file: RegularFile
    /// The file's state when it was opened.
    let identity: SourceIdentity

    /// The size of one read: small enough to stay in the processor's cache until it is hashed.
    private static let blockBytes = 256 << 10

    /// Opens the file at `path`; never waits, whatever kind of file it is.
    init(_ path: String) throws(FileFault) {
        let file = try RegularFile(named: path)
        guard let identity = Self.identity(of: file.descriptor) else { throw FileFault(code: ENODEV) }
        self.identity = identity
        self.file = file
    }

    var descriptor: Int32 { file.descriptor }

    /// The current state of an open file; nil if it is not a regular file.
    static func identity(of descriptor: Int32) -> SourceIdentity? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return identity(status)
    }

    /// The current state of the file at a path; nil if there is no regular file.
    static func identity(at path: String) -> SourceIdentity? {
        var status = stat()
        guard unsafe stat(FileName.systemName(path), &status) == 0 else { return nil }
        return identity(status)
    }

    private static func identity(_ status: stat) -> SourceIdentity? {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        func moment(_ time: timespec) -> SourceIdentity.Moment {
            SourceIdentity.Moment(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        }
        return SourceIdentity(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            modified: moment(status.st_mtim), changed: moment(status.st_ctim))
    }

    /// The key of all the file's bytes.
    func contentKey() throws(FileFault) -> ContentKey {
        var hash = ByteHash()
        var offset: Int64 = 0
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockBytes, alignment: 64)
        defer { unsafe block.deallocate() }
        while true {
            let count = try unsafe FileBytes.read(descriptor, at: offset, into: block)
            unsafe hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
            offset += Int64(count)
            // The file grows: its state has changed since it was opened, and it might grow for ever.
            if offset > identity.byteCount { throw FileFault(code: ESTALE) }
            if count < block.count { return hash.key() }
        }
    }
}
