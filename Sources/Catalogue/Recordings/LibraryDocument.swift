internal import AudioFiles
package import Files
internal import Store

/// A file that belongs to a recording of the library, such as sheet music, lyrics or a picture.
public struct LibraryDocument: Sendable, Hashable {
    /// Its place among the documents of its recording, from 1.
    public let index: Int
    /// The number of its recording.
    public let itemNumber: Int
    /// The name that the file had when it was attached, without folders, as one line.
    public let name: String
    /// Whether the library has a file of its own.
    public let place: LibraryItem.Place
    /// Where the file is, from the root of the file system, unless somebody moved or removed it.
    public let path: String
    /// The length of the file in bytes when it was attached.
    public let byteCount: Int64
    /// Identifies its content: 32 hexadecimal digits, as `xxh128sum` prints them.
    public let hash: String
    /// When it was attached, in seconds since 1970.
    public let addedAt: Int64

    /// Whether its file is not where it was.
    public var isMissing: Bool { unsafe FileState(FileName.systemName(path)) == nil }
}

/// A document that was attached.
public struct AttachedDocument: Sendable, Hashable {
    /// The document.
    public let document: LibraryDocument
    /// False if the recording had it already.
    public let isNew: Bool
}

/// What documents' files in the library's folder are called: the hash of the content and an ending. So one content is there once, whatever its
/// names are, and no name can be one that the file system refuses.
package enum DocumentFile {
    private static let pieceSize = 1 << 20
    /// For names without an ordinary ending. No program claims it, so that the content decides what opens the file.
    private static let otherEnding = "document"

    /// The longest name that is kept, in characters.
    static let mostNameCharacters = 1000

    package static func isHash(_ text: String) -> Bool { RecordingKey(text) != nil }

    /// The hash of all bytes of an open file.
    package static func hash(of descriptor: Int32) throws(FileFault) -> String {
        var hash = ByteHash()
        var offset: Int64 = 0
        while true {
            let bytes = try FileBytes.bytes(of: descriptor, at: offset, count: pieceSize)
            if bytes.isEmpty { break }
            hash.update(bytes)
            offset += Int64(bytes.count)
        }
        let digest = hash.digest()
        return ByteHash.hexadecimal(digest.high, digest.low)
    }

    /// The hash of a file; nil if it cannot be read.
    package static func hash(ofFileAt path: String) -> String? {
        do throws(FileFault) {
            let file = try unsafe RegularFile(FileName.systemName(path))
            return try hash(of: file.descriptor)
        } catch { return nil }
    }

    package static func name(_ hash: String, original: String) -> String { "\(hash).\(ending(original))" }

    /// The ending of a name in lower case, if it is an ordinary one.
    package static func ending(_ name: String) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last?.lowercased(), (1...8).contains(ending.utf8.count),
            ending.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) })
        else { return otherEnding }
        return ending
    }

    /// A name as it is kept: one line that is not too long.
    package static func shownName(_ name: String) -> String {
        let shown = line(fileName(name)).prefix(within: mostNameCharacters)
        return shown.isEmpty ? "untitled" : shown
    }
}
