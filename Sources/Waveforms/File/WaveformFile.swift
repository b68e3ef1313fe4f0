// Woodshed's own file format for waveforms; docs/waveform-format.md describes it in tables.
internal import AudioFiles
package import DSP

/// A waveform and the key of its recording, as stored in a file.
///
/// All levels are stored, because the upper levels come from exact sums which the lower levels do not keep. A checksum
/// covers everything: a file with one wrong bit is refused.
package struct WaveformFile: Equatable, Sendable {
    /// The format's version; a file of any other version is refused.
    package static let version = 1

    /// The waveform of the recording.
    package let waveform: Waveform
    /// The recording's content; `nil` if unknown.
    package let contentKey: ContentKey?

    /// Creates the content of a file.
    ///
    /// - Parameters:
    ///   - waveform: The waveform of a whole recording.
    ///   - contentKey: The key of the recording behind the waveform.
    package init(waveform: Waveform, contentKey: ContentKey? = nil) {
        self.waveform = waveform
        self.contentKey = contentKey
    }

    /// Returns the bytes of a file.
    ///
    /// Real-time safe: no.
    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(header.fileByteCount)
        unsafe write { (run: UnsafeRawBufferPointer) throws(Never) in unsafe bytes.append(contentsOf: run) }
        return bytes
    }

    /// Decodes the bytes of a file.
    ///
    /// Nothing is allocated before the header has passed the check against the number of bytes.
    ///
    /// - Throws: `WaveformFileError` for any bytes not written by ``encoded()``.
    ///
    /// Real-time safe: no.
    package init(decoding bytes: [UInt8]) throws(WaveformFileError) {
        var position = 0
        try unsafe self.init(byteCount: bytes.count) { (target) throws(WaveformFileError) in
            guard target.count <= bytes.count - position else { throw .truncated }
            unsafe bytes.withUnsafeBytes {
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position...].prefix(target.count)))
            }
            position += target.count
        }
    }

    // MARK: - In pieces

    /// Passes the bytes of a file to `sink`, run by run.
    func write<Failure: Error>(to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
        var hash = ByteHash()
        let header = header.bytes
        hash.update(header)
        try unsafe Self.hand(header, to: sink)
        try unsafe waveform.forEachRunOfBytes { (run) throws(Failure) in
            unsafe hash.update(run)
            try unsafe sink(run)
        }
        try unsafe Self.hand(hash.key().bytes, to: sink)
    }

    /// Decodes a file; `read` fills the given memory with the next bytes, or throws.
    init(
        byteCount: Int, read: (UnsafeMutableRawBufferPointer) throws(WaveformFileError) -> Void
    ) throws(WaveformFileError) {
        guard byteCount >= WaveformHeader.byteCount + ContentKey.byteCount else { throw .truncated }
        var hash = ByteHash()
        let start = try unsafe Self.bytes(WaveformHeader.byteCount, read: read)
        hash.update(start)
        let header = try WaveformHeader(decoding: start)
        guard byteCount >= header.fileByteCount else { throw .truncated }
        guard byteCount == header.fileByteCount else { throw .trailingBytes }
        waveform = try unsafe Waveform(
            sampleRate: header.sampleRate, frameCount: header.frameCount, channelCount: header.channelCount,
            hasTones: header.hasTones
        ) { (target) throws(WaveformFileError) in
            try unsafe read(target)
            unsafe hash.update(UnsafeRawBufferPointer(target))
        }
        contentKey = header.contentKey
        guard try unsafe Self.bytes(ContentKey.byteCount, read: read) == hash.key().bytes else { throw .wrongChecksum }
    }

    private var header: WaveformHeader { WaveformHeader(waveform, contentKey: contentKey) }

    private static func bytes(
        _ count: Int, read: (UnsafeMutableRawBufferPointer) throws(WaveformFileError) -> Void
    ) throws(WaveformFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var failure: WaveformFileError?
        unsafe bytes.withUnsafeMutableBytes { target in
            do throws(WaveformFileError) { try unsafe read(target) } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    private static func hand<Failure: Error>(
        _ bytes: [UInt8], to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        unsafe bytes.withUnsafeBytes { run in
            do throws(Failure) { try unsafe sink(run) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

extension ContentKey {
    static let byteCount = 16

    /// The hash's canonical form, the highest byte first.
    var bytes: [UInt8] {
        var list = ByteList()
        list.big(high)
        list.big(low)
        return list.bytes
    }
}
