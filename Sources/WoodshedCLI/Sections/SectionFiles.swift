// Import and export of sections: files, and messages about them.
import Files
import Glibc
import Terminal
import WoodshedPractice

/// Reads and writes files of sections.
struct SectionFiles {
    let kept: KeptRecording
    /// The recording's name without its folder, as named in cue sheets and edit lists.
    private var recordingName: String { fileName(kept.file) }

    /// The names of all formats.
    static var formats: String { SectionFormat.allCases.map(\.rawValue).joined(separator: ", ") }

    /// Reads the sections of a file: subtitles and the like, or the marks of another recording.
    func read(_ path: String) throws -> (drafts: [SectionDraft], format: String, notes: [String]) {
        let list = try kept.list()
        do {
            let found = try SectionFormat.read(
                try bytes(of: path), fileName: path, for: list, recordingName: recordingName)
            return (found.drafts, found.format.name, found.notes)
        } catch let error as SectionFormatError where error.kind == .unknownFormat || error.kind == .tooLarge {
            // Marks of another recording help if it is the same recording in another file.
            guard let other = try? kept.store.recording(of: AudioFileInfo(path: path)) else { throw error }
            guard !other.fileSections.isEmpty else {
                throw CommandFailure(
                    .badData, "\(path): this recording has no marks", remedy: "Give a file of sections.")
            }
            let drafts = other.fileSections.compactMap { $0.converted(from: other.sampleRate, to: list) }
            let lost = other.fileSections.count - drafts.count
            return (drafts, "marks", lost == 0 ? [] : ["\(lost) marks lay outside the recording"])
        }
    }

    /// Returns the refusal for a recording without sections to export.
    static func noSections(_ file: String) -> CommandFailure {
        CommandFailure(
            .notFound, "\(file) has no sections",
            remedy: "Add a section with: woodshed sections \(shellPath(file)) add 2.0-3.0")
    }

    private func bytes(of path: String) throws -> [UInt8] {
        do throws(FileFault) {
            if path == "-" { return try FileBytes.bytes(of: STDIN_FILENO, count: SectionFormat.mostBytes + 1) }
            let file = try RegularFile(named: path)
            return try FileBytes.bytes(
                of: file.descriptor, count: Int(min(file.byteCount, Int64(SectionFormat.mostBytes) + 1)))
        } catch {
            throw CommandFailure.reading(path, error)
        }
    }

    /// Writes all sections to a file, or to standard output.
    ///
    /// - Returns: The format, and notes about data the format cannot hold.
    func write(to path: String, _ given: SectionFormat?) throws -> (format: SectionFormat, notes: [String]) {
        guard let format = given ?? SectionFormat(fileName: path) else {
            throw CommandFailure(
                .usage, "'\(path)' has no ending that names a format",
                remedy: "Write --format, with one of: \(SectionExport.names).")
        }
        let list = try kept.list()
        guard !list.sections.isEmpty else { throw Self.noSections(kept.file) }
        let file = format.write(list, recordingName: recordingName)
        if path == "-" {
            try StandardStream.output.write(bytes: file.bytes[...])
        } else {
            try OutputFile.refuseInputs([kept.file], outputs: [path])
            try OutputFile.write(file.bytes, to: path)
        }
        return (format, file.notes)
    }
}

extension SectionDraft {
    /// Returns the draft at the rate of another file; nil if the draft lies outside.
    fileprivate func converted(from rate: Int, to list: SectionList) -> SectionDraft? {
        var draft = self
        let start = TimePoint.converted(frames.lowerBound, from: rate, to: list.sampleRate)
        let end = min(TimePoint.converted(frames.upperBound, from: rate, to: list.sampleRate), list.frameCount)
        guard start < end else { return nil }
        draft.frames = start..<end
        return draft
    }
}
