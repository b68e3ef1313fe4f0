// A recording that waveforms are kept of: which file it is, since when it is as it is, and what it holds.
internal import AudioFiles
internal import Files
internal import Glibc

/// What tells one state of a file from another without reading it.
///
/// The system sets the time of the last change (`changed`) with every write, and no program can set it to a time of its choice.
struct SourceIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let byteCount: Int64
    /// When it was last written, and when it or what is known of it was last changed; each in s and ns since 1970.
    let modified, changed: Moment

    struct Moment: Hashable, Sendable, Comparable {
        let seconds, nanoseconds: Int64

        static func < (left: Moment, right: Moment) -> Bool {
            (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
        }

        /// Now, by the clock that files' times are set by.
        static var now: Moment {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Moment(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        }
    }

    /// Two changes within one step of a file system's clock look like one: ext4's steps are 4 ms, FAT's 2 s. What has been as it is
    /// for longer than this many seconds cannot change again without being seen to.
    static let stableSeconds: Int64 = 3

    /// Whether a change at `now` or later would show.
    func isStable(at now: Moment) -> Bool {
        let latest = max(modified, changed)
        let (edge, isFarAhead) = latest.seconds.addingReportingOverflow(Self.stableSeconds)
        return !isFarAhead && Moment(seconds: edge, nanoseconds: latest.nanoseconds) < now
    }
}

/// A regular file that is open for reading; closed with its owner.
struct OpenSource: ~Copyable {
    private let file: RegularFile
    /// What it was when it was opened.
    let identity: SourceIdentity

    /// What a file is read by at a time: small enough to stay in the processor's cache until it is hashed.
    private static let blockBytes = 256 << 10

    /// Opens what `path` names; never waits, whatever that is.
    init(_ path: String) throws(FileFault) {
        let file = try RegularFile(named: path)
        guard let identity = Self.identity(of: file.descriptor) else { throw FileFault(code: ENODEV) }
        self.identity = identity
        self.file = file
    }

    var descriptor: Int32 { file.descriptor }

    /// What the file is now; nil when it is no regular one.
    static func identity(of descriptor: Int32) -> SourceIdentity? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return identity(status)
    }

    /// What the file of a name is now; nil when there is no regular one.
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
            // It grows: what it was when it was opened is past, and it might grow for ever.
            if offset > identity.byteCount { throw FileFault(code: ESTALE) }
            if count < block.count { return hash.key() }
        }
    }
}
