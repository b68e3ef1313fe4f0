// A recording in the waveform cache: the state of its file, and its content.
internal import AudioFiles
internal import Files
internal import Glibc

/// A regular file open for reading; closed with its owner.
struct OpenSource: ~Copyable {
    private let file: RegularFile
    /// The file's state at opening.
    let state: FileState

    /// The size of each read: small enough to stay in the processor's cache until hashed.
    private static let blockBytes = 256 << 10

    /// Opens the file at `path`; never waits, whatever kind of file it is.
    init(_ path: String) throws(FileFault) {
        let file = try RegularFile(named: path)
        guard let state = FileState(descriptor: file.descriptor) else { throw FileFault(code: ENODEV) }
        self.state = state
        self.file = file
    }

    /// Returns the key of all the file's bytes. Throws `ESTALE` if the file was changed since opening: bytes read
    /// partly before and partly after a change belong to no recording.
    func contentKey() throws(FileFault) -> ContentKey {
        var hash = ByteHash()
        var offset: Int64 = 0
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockBytes, alignment: 64)
        defer { unsafe block.deallocate() }
        while true {
            let count = try unsafe FileBytes.read(file.descriptor, at: offset, into: block)
            unsafe hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
            offset += Int64(count)
            // The file grows: its state has changed since opening, and the growth might never end.
            if offset > state.byteCount { throw FileFault(code: ESTALE) }
            if count < block.count { break }
        }
        guard FileState(descriptor: file.descriptor) == state else { throw FileFault(code: ESTALE) }
        return hash.key()
    }
}
