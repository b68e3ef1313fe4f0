public import AudioFiles
package import Files
internal import Sections

extension PracticeStore {
    /// Returns the recording in a file. Reads the file's audio only if the store has no key for the file in its current
    /// state.
    ///
    /// - Parameter info: The opened file.
    /// - Throws: `AudioFileError` if the file can no longer be read, or has no audio that identifies it.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    public func recording(of info: AudioFileInfo) throws(AudioFileError) -> PracticeRecording {
        try recording(of: info, details: nil)
    }

    /// - Parameters:
    ///   - details: Tags and marks of the file, if already read.
    ///   - now: The current time of the clock that sets file times.
    package func recording(
        of info: AudioFileInfo, details: FileDetails? = nil, at now: FileState.Moment = .now
    ) throws(AudioFileError) -> PracticeRecording {
        let file = try OpenedFile(path: info.path)
        let state = try file.state()
        let isStable = state.isStable(at: now)
        // An unreadable store reports its error when sections are requested.
        let known = isStable ? try? key(ofFileIn: state) : nil
        let key = if let known { known } else { try RecordingKey(of: file) }
        var recording = try PracticeRecording(of: info, key: key, details: details)
        if isStable, try file.state() == state { recording.fileState = state }
        return recording
    }
}

extension PracticeRecording {
    /// Creates a recording from a file, with the file's title and sections.
    ///
    /// - Parameters:
    ///   - info: The opened file.
    ///   - key: The recording's key, if known; nil reads the file's audio.
    /// - Throws: `AudioFileError` if the file can no longer be read, or has no audio that identifies it.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    package init(of info: AudioFileInfo, key: RecordingKey? = nil) throws(AudioFileError) {
        let key = if let key { key } else { try RecordingKey(ofFileAt: info.path) }
        try self.init(of: info, key: key, details: nil)
    }

    init(of info: AudioFileInfo, key: RecordingKey, details: FileDetails?) throws(AudioFileError) {
        let details = if let details { details } else { try FileDetails(of: info) }
        let title = details.tags.first { $0.key == .title }?.value
        self.init(
            key: key, sampleRate: info.sampleRate, frameCount: info.frameCount, title: SectionLimits.line(title ?? ""),
            path: FileName.absolute(info.path) ?? info.path)
        fileSections = Self.drafts(details.marks)
    }

    /// Marked places split the recording into parts, as a user's points do; ranges stay ranges.
    private static func drafts(_ marks: FileMarks) -> [SectionDraft] {
        let ranges = Set(marks.marks.compactMap { mark in mark.endFrame.map { mark.frame..<$0 } })
        return marks.sections.map { section in
            SectionDraft(
                section.frames, name: SectionLimits.line(section.name),
                kind: ranges.contains(section.frames) ? .range : .part)
        }
    }
}
