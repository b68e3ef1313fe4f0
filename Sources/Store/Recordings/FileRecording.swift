public import AudioFiles
package import Files
internal import Sections

extension PracticeStore {
    /// The recording in a file. The file's audio is read only if the store has not kept anything of this recording since the file was last changed.
    ///
    /// - Parameter info: The file, as it was opened.
    /// - Throws: `AudioFileError` if the file can no longer be read, or has no audio that identifies it.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    public func recording(of info: AudioFileInfo) throws(AudioFileError) -> PracticeRecording {
        try recording(of: info, details: nil)
    }

    /// - Parameters:
    ///   - details: What its file tells, if that was read already.
    ///   - now: The time on the clock that sets files' times.
    package func recording(
        of info: AudioFileInfo, details: FileDetails? = nil, at now: FileState.Moment = .now
    ) throws(AudioFileError) -> PracticeRecording {
        let file = try OpenedFile(path: info.path)
        let state = try file.state()
        let isStable = state.isStable(at: now)
        // A store that cannot be read says so to whoever asks it for sections.
        let known = isStable ? try? key(ofFileIn: state) : nil
        let key = if let known { known } else { try RecordingKey(of: file) }
        var recording = try PracticeRecording(of: info, key: key, details: details)
        if isStable, try file.state() == state { recording.fileState = state }
        return recording
    }
}

extension PracticeRecording {
    /// A recording in a file, with its title and the sections that it brings along.
    ///
    /// - Parameters:
    ///   - info: The file, as it was opened.
    ///   - key: Its key, if it is known; otherwise the file's audio is read.
    /// - Throws: `AudioFileError` if the file can no longer be read, or has no audio that identifies it.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    public init(of info: AudioFileInfo, key: RecordingKey? = nil) throws(AudioFileError) {
        let key = if let key { key } else { try RecordingKey(ofFileAt: info.path) }
        try self.init(of: info, key: key, details: nil)
    }

    init(of info: AudioFileInfo, key: RecordingKey, details: FileDetails?) throws(AudioFileError) {
        let details = if let details { details } else { try FileDetails(of: info) }
        let title = details.tags.first { $0.key == .title }?.value
        self.init(
            key: key, sampleRate: info.sampleRate, frameCount: info.frameCount, title: Self.line(title ?? ""),
            path: FileName.absolute(info.path) ?? info.path)
        fileSections = Self.drafts(details.marks)
    }

    /// Marked places split the recording, as points that a user marks do; ranges stay what they are.
    private static func drafts(_ marks: FileMarks) -> [SectionDraft] {
        let ranges = Set(marks.marks.compactMap { mark in mark.endFrame.map { mark.frame..<$0 } })
        return marks.sections.map { section in
            SectionDraft(
                section.frames, name: line(section.name), kind: ranges.contains(section.frames) ? .range : .part)
        }
    }

    /// A text from a file as a name: one line, without control characters.
    private static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { line.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar) }
        return String(line)
    }
}
