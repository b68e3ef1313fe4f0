package import AudioFiles
internal import Files
package import Store

/// What is known of a file that is to be added.
package struct NewItem: Sendable {
    package let recording: PracticeRecording
    package var place: LibraryItem.Place
    /// The name in the library's folder, or the path of a linked file.
    package var path: String
    let originalName: String
    let kind: LibraryItem.Kind
    package let byteCount: Int64
    let container, codec: String
    let channelCount: Int
    var words: LibraryItem.Words
    /// The fields that the user told, other than the file says.
    var told: [String] = []

    /// Reads a file: its format, its length, its key and its tags.
    ///
    /// - Parameter name: The name to go by if the file has no title, and to keep; by default the file's own.
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

    /// A recording whose file is not here.
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

    /// Files with sound alone have endings of their own in the same containers.
    private static func hasPicture(_ name: String) -> Bool {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return !["m4a", "m4b", "mka", "weba", "m4r", "aac"].contains(ending)
    }

    /// A file's name as a title: without its ending, with blanks for underscores.
    static func title(of name: String) -> String {
        let name = FileName.readable(name)
        let stem = name.lastIndex(of: ".").map { $0 == name.startIndex ? name : String(name[..<$0]) } ?? name
        let title = line(stem.replacing("_", with: " "))
        return title.isEmpty ? "untitled" : title
    }
}

/// A text as one line: control characters are blanks, and there are none at its ends.
package func line(_ text: String) -> String {
    // Nearly every text is one already.
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && text.first != " " && text.last != " "
    if isPlain { return text }
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let isControl =
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar == "\u{2028}" || scalar == "\u{2029}"
        line.append(isControl ? " " : scalar)
    }
    let words = String(line).split(separator: " ", omittingEmptySubsequences: false)
    return words.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed().joined(separator: " ")
}
