import Catalogue
import Files
import Glibc
import TextFormats

@testable import AudioFiles
@testable import Library

/// Readers of files, by descriptor.
enum FileReaders {
    /// Reads an archive as an import does: the members, and the catalogue among the members. The reader `catalogue`
    /// covers a library's use of a catalogue.
    static func bundle(_ bytes: [UInt8]) throws -> Bool {
        let file = try UnnamedFile(bytes)
        var reader = TarReader(file.descriptor)
        var isCatalogue = false
        do {
            while let member = try reader.next() {
                let kind = BundleMember(member.name)
                let isSame = kind.map { Array($0.name.utf8) == member.name } ?? true
                try BrokenPromise.check(isSame, "a member has two names")
                // An import ends at a member of ours before the catalogue.
                if member.isFile, !isCatalogue, let kind, kind != .catalogue { return false }
                guard member.isFile, kind == .catalogue, member.byteCount <= RecordingLibrary.largestCatalogue else {
                    continue
                }
                guard let pieces = try? reader.catalogue() else { return false }
                _ = try? pieces.recordings(0..<pieces.count)
                isCatalogue = true
            }
        } catch is TarReader.Fault { return false }
        return isCatalogue
    }

    /// Everything read from a recording's file without decoding: tags, marks, loudness, the stated end, and the key.
    static func tags(_ bytes: [UInt8]) throws -> Bool {
        let source = ByteSource(bytes)
        let kind = FileSniffer.kind(of: source)
        if bytes.isEmpty { return false }
        let file = try UnnamedFile(bytes)
        _ = StatedEnd.fault(inFileAt: file.path, frameCount: 100_000)
        // Other programs read the rest of these files.
        if case .foreign = kind { return false }
        let info = AudioFileInfo(
            path: file.path, container: "any", codec: "any", sampleRate: 44_100, channelCount: 2, frameCount: 100_000)
        let details = try FileDetails(of: info)
        let marks = details.marks
        try BrokenPromise.check(
            marks.marks.allSatisfy { (0...100_000).contains($0.frame) && ($0.endFrame ?? .max) > $0.frame },
            "a mark lies beyond the recording")
        try BrokenPromise.check(
            marks.sections.allSatisfy { !$0.frames.isEmpty && $0.frames.upperBound <= 100_000 },
            "a section of a file is empty, or lies beyond the recording")
        try BrokenPromise.check(details.tags.allSatisfy { $0.value.utf8.count <= 4096 }, "a tag is too long")
        let loudness = try LoudnessTags(of: info)
        _ = OpusPositions(source)
        _ = OggTail(source)
        if kind != .unknown {
            let opened = try OpenedFile(path: file.path)
            let key = try RecordingKey(of: opened)
            try BrokenPromise.check(RecordingKey("\(key)") == key, "a key is written as another one")
        }
        return !details.tags.isEmpty || !marks.marks.isEmpty || !loudness.isEmpty
    }
}

/// A regular file without a name in any folder.
private struct UnnamedFile: ~Copyable {
    let descriptor: Int32
    /// A name by which this process can open the file again.
    var path: String { "/proc/self/fd/\(descriptor)" }

    init(_ bytes: [UInt8]) throws { descriptor = try Self.opened(with: bytes) }

    private static func opened(with bytes: [UInt8]) throws -> Int32 {
        // /dev/shm is in memory; not every machine has the folder.
        var opened: Int32 = -1
        for folder in ["/dev/shm", "/tmp"] where opened < 0 {
            opened = unsafe open(folder, O_RDWR | O_CLOEXEC | __O_TMPFILE | O_DIRECTORY, 0o600)
        }
        guard opened >= 0 else { throw FileFault(code: errno) }
        do { try FileBytes.write(bytes, at: 0, of: opened) } catch {
            close(opened)
            throw error
        }
        return opened
    }

    deinit { close(descriptor) }
}
