// The part of a backup's configuration that is safe to restore.
internal import AudioFiles
internal import Catalogue
internal import Files

/// The text of a configuration without the options that can start programs. A backup may come from another person, and
/// programs named in its configuration would run here.
struct RestoredSettings {
    /// The text as bytes.
    let bytes: [UInt8]
    /// Lines left out.
    let omitted: [String]

    /// Options whose values name programs.
    private static let programs: Set<String> = ["extractor", "opener"]
    /// Options whose values name devices. With ALSA's `file` and `tee`, or a definition in braces, a device name can
    /// write files or start a program.
    private static let devices: Set<String> = ["output", "input"]
    private static let riskyParts = ["|", "{", "file:", "tee:"]
    private static let largest: Int64 = 16 << 20

    /// Reads a configuration.
    init(fileAt path: String) throws(RecordingLibraryError) {
        let bytes: [UInt8]
        do throws(FileFault) {
            let file = try unsafe RegularFile(FileName.systemName(path))
            bytes = try FileBytes.bytes(of: file.descriptor, count: Int(min(file.byteCount, Self.largest)))
        } catch { throw .reading(path, error) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            // Not UTF-8, so no configuration; the program refuses the file as a whole.
            (self.bytes, omitted) = (bytes, [])
            return
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let found = lines.filter(Self.namesProgram)
        omitted = found.map(String.init)
        if found.isEmpty {
            self.bytes = bytes
        } else {
            self.bytes = Array(lines.filter { !Self.namesProgram($0) }.joined(separator: "\n").utf8)
        }
    }

    private static func namesProgram(_ line: Substring) -> Bool {
        guard let sign = line.firstIndex(of: "=") else { return false }
        let words = line[..<sign].split(whereSeparator: \.isWhitespace)
        guard words.count == 1 else { return false }
        let (name, value) = (String(words[0]), line[sign...])
        if programs.contains(name) { return true }
        // Compares bytes: a combining mark after a sign does not hide the sign from ALSA.
        return devices.contains(name) && riskyParts.contains { value.utf8.firstRange(of: $0.utf8) != nil }
    }
}
