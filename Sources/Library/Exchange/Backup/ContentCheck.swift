// Compares the content of files with the keys and hashes of the files' names.
internal import AudioFiles
internal import Catalogue
internal import Explanations
internal import Files

/// Result of comparing a file's content with its key or hash.
enum ContentCheck: Equatable {
    case right
    /// The content differs.
    case wrong
    /// The content could not be compared, for this reason: the file is unreadable, or a program that reads its format
    /// is missing.
    case unknown(String)

    /// Compares the sound of a file with a key.
    static func sound(of path: String, _ key: RecordingKey) -> ContentCheck {
        do throws(AudioFileError) { return try RecordingKey(ofFileAt: path) == key ? .right : .wrong } catch {
            // Other errors can come from the computer as well as from the file.
            return error.kind == .notAudio || error.kind == .empty ? .wrong : .unknown(reason(error, about: path))
        }
    }

    /// Compares all bytes of a file with a hash.
    static func content(of path: String, _ hash: String) -> ContentCheck {
        do throws(RecordingLibraryError) { return try self.hash(of: path) == hash ? .right : .wrong } catch {
            return .unknown(reason(error, about: path))
        }
    }

    /// Returns the hash of all bytes of a file.
    static func hash(of path: String) throws(RecordingLibraryError) -> String {
        do throws(FileFault) {
            let file = try unsafe RegularFile(FileName.systemName(path))
            return try DocumentFile.hash(of: file.descriptor)
        } catch { throw .reading(path, error) }
    }

    /// Returns the message and the remedy of an error, without a leading file path: that path may name a temporary
    /// copy.
    static func reason(_ error: any Error, about path: String) -> String {
        let (words, name) = (reason(error), path + ": ")
        return words.hasPrefix(name) ? String(words.dropFirst(name.count)) : words
    }

    /// Returns the message and the remedy of an error.
    static func reason(_ error: any Error) -> String {
        guard let explained = error as? any ExplainedError else { return "\(error)" }
        return explained.remedy.isEmpty ? explained.message : "\(explained.message). \(explained.remedy)"
    }
}
