import ArgumentParser
import Files
import Terminal
import Woodshed

/// Names of files to write, made from the user's pattern: `{}` stands for a recording's own name, without folder and
/// extension.
enum OutputNames {
    private static let mark = "{}"

    /// Checks the pattern of `-o` before any other work.
    static func check(_ pattern: String, isForOne: Bool) throws(ValidationError) {
        let name = fileName(pattern)
        if name != pattern, pattern.dropLast(name.count).contains(mark) {
            throw ValidationError("-o takes \(mark) in the file's name, not in a folder's.")
        }
        if !isForOne, !name.contains(mark) {
            throw ValidationError(
                "-o for several recordings needs \(mark) in place of their names, as in -o '\(mark).wav'.")
        }
    }

    /// Returns a name for each recording. Refuses to write a file twice or to replace a recording.
    ///
    /// - Parameter files: The recordings; nil for a missing recording, whose name does not matter.
    static func names(_ pattern: String, for files: [String?]) throws(CommandFailure) -> [String] {
        let parts = pattern.split(separator: mark, omittingEmptySubsequences: false)
        let names = files.map { file in
            parts.count == 1 ? pattern : parts.joined(separator: file.map(ownName) ?? "")
        }
        var writers: [String: String] = [:]
        for (name, file) in zip(names, files) {
            guard let file else { continue }
            if !FileName.isUTF8(name) {
                throw CommandFailure(
                    .usage, "'\(file)' is not UTF-8, and no file is written under such a name",
                    remedy: "Rename the file, or run the command with this file alone.")
            }
            if let other = writers.updateValue(file, forKey: name) {
                throw CommandFailure(
                    .usage, "\(other) and \(file) would both be written to \(name)",
                    remedy: "Run the command for each file separately, with different names for -o.")
            }
        }
        try OutputFile.refuseInputs(files.compactMap { $0 }, outputs: names)
        return names
    }

    /// Returns a recording's own name: the file's name without its extension, or the title where the library chose the
    /// file's name.
    private static func ownName(_ file: String) -> String {
        let title = RecordingWord.title(ofFile: file)
        guard title == fileName(file) else {
            // A slash followed by a combining mark would still lead into another folder.
            return title.unicodeScalars.split(separator: "/").map { String($0) }.joined(separator: "-")
        }
        return fileStem(title)
    }
}
