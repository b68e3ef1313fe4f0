package import AudioFiles
internal import Explanations
internal import Files
package import Store

/// A file that is about to be added.
package struct NewItem: Sendable {
    package let recording: PracticeRecording
    package var place: LibraryItem.Place
    /// Name in the library's folder, or the path of a linked file.
    package var path: String
    let originalName: String
    let kind: LibraryItem.Kind
    package let byteCount: Int64
    let container, codec: String
    let channelCount: Int
    var words: LibraryItem.Words
    /// Fields in which the user's description differs from the file's tags.
    var told: [String] = []

    /// Reads a file: format, length, key and tags.
    ///
    /// - Parameter name: Name to keep, and to derive a title from if the file has no title; nil for the file's own
    ///   name.
    init(fileAt path: String, named name: String? = nil, store: PracticeStore) throws(AudioFileError) {
        let info = try AudioFileInfo(path: path)
        let details = try FileDetails(of: info)
        recording = try store.recording(of: info, details: details)
        self.path = FileName.absolute(path) ?? path
        place = .linked
        originalName = name ?? fileName(path)
        kind = Self.videos.contains(info.container) && Self.hasPicture(originalName) ? .video : .audio
        byteCount = details.byteCount
        (container, codec, channelCount) = (info.container, info.codec, info.channelCount)
        func tag(_ key: FileTag.Key) -> String { details.tags.first { $0.key == key }.map { line($0.value) } ?? "" }
        let title = tag(.title)
        words = LibraryItem.Words(title: title.isEmpty ? Self.title(of: originalName) : title)
        words.artist = tag(.artist)
    }

    /// A recording without a file here.
    package init(
        missing key: RecordingKey, path: String, originalName: String, kind: LibraryItem.Kind, byteCount: Int64,
        container: String, codec: String, channelCount: Int, words: LibraryItem.Words, sampleRate: Int64,
        frameCount: Int64
    ) {
        recording = PracticeRecording(
            key: key, sampleRate: Int(clamping: max(1, sampleRate)), frameCount: max(0, frameCount), title: words.title)
        (place, self.path, self.originalName, self.kind) = (.kept, path, originalName, kind)
        (self.byteCount, self.container, self.codec) = (byteCount, container, codec)
        (self.channelCount, self.words) = (channelCount, words)
    }

    /// Containers that can hold a video.
    private static let videos: Set = ["mp4", "mov", "matroska", "webm", "avi", "mpegts", "flv"]

    /// True unless the ending marks a file with sound only in one of these containers.
    private static func hasPicture(_ name: String) -> Bool {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return !["m4a", "m4b", "mka", "weba", "m4r", "aac"].contains(ending)
    }

    /// Returns a title from a file's name: without the ending, with blanks for underscores.
    static func title(of name: String) -> String {
        let title = line(fileStem(FileName.readable(name)).replacing("_", with: " "))
        return title.isEmpty ? "untitled" : title
    }
}

/// Returns a text as one line: control characters become blanks, and blanks at both ends are removed.
package func line(_ text: String) -> String {
    // Fast path: nearly every text is already one line.
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && text.first != " " && text.last != " "
    if isPlain { return text }
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let isControl =
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar == "\u{2028}" || scalar == "\u{2029}"
        line.append(isControl ? " " : scalar)
    }
    return String(line).trimmed { $0 == " " }
}
