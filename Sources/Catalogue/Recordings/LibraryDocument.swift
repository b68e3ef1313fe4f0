internal import AudioFiles
package import Files
internal import Store

/// A file that belongs to a recording of the library, such as sheet music, lyrics or a picture.
package struct LibraryDocument: Sendable, Hashable {
    /// Place among the documents of the recording, from 1.
    package let index: Int
    /// Number of the recording.
    package let itemNumber: Int
    /// Name of the file when attached, without folders, as one line.
    package let name: String
    /// `kept` if the library has its own copy of the file, `linked` if not.
    package let place: LibraryItem.Place
    /// Absolute path of the file, unless the file was moved or removed.
    package let path: String
    /// Length of the file in bytes when attached.
    package let byteCount: Int64
    /// Hash of the content: 32 hexadecimal digits, as printed by `xxh128sum`.
    package let hash: String
    /// Time of attachment, in seconds since 1970.
    package let addedAt: Int64

    /// True if the file is no longer in its place.
    package var isMissing: Bool { unsafe FileState(FileName.systemName(path)) == nil }
}

/// Result of attaching a document.
package struct AttachedDocument: Sendable, Hashable {
    /// The document.
    package let document: LibraryDocument
    /// False if the recording already had the document.
    package let isNew: Bool
}

/// Names of document files in the library's folder: the hash of the content and an ending. Equal contents are therefore
/// stored once, whatever their names, and file systems accept every name.
package enum DocumentFile {
    private static let pieceSize = 1 << 20
    /// Ending for names without an ordinary ending. No program claims this ending, so the content decides which program
    /// opens the file.
    private static let otherEnding = "document"

    /// Longest kept name, in characters.
    static let mostNameCharacters = 1000

    package static func isHash(_ text: String) -> Bool { RecordingKey(text) != nil }

    /// Returns the hash of all bytes of an open file.
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

    /// Returns the hash of a file; nil if unreadable.
    package static func hash(ofFileAt path: String) -> String? {
        do throws(FileFault) {
            let file = try unsafe RegularFile(FileName.systemName(path))
            return try hash(of: file.descriptor)
        } catch { return nil }
    }

    package static func name(_ hash: String, original: String) -> String { "\(hash).\(ending(original))" }

    /// Returns the ending of a name in lower case, or the replacement for an ending that is not ordinary.
    package static func ending(_ name: String) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last?.lowercased(), LibraryFolder.isOrdinary(ending, longest: 8)
        else {
            return otherEnding
        }
        return ending
    }

    /// Returns a name as stored: one line of limited length.
    package static func shownName(_ name: String) -> String {
        let shown = line(fileName(name)).prefix(within: mostNameCharacters)
        return shown.isEmpty ? "untitled" : shown
    }
}
