internal import AudioFiles
internal import Clips
public import Sections

/// A recording in the store whose sections are offered to another one: it is the same music in another encoding, or what the other one's file
/// held before it was changed.
public struct RecognizedCopy: Sendable {
    /// The recording in the store, with its title, its path and the number of its sections.
    public let stored: StoredRecording
    /// How well the courses of both levels agree: above 0.99, at most 1. Nil if only the file is the same, and the sound was not found.
    public let correlation: Double?
    /// By how many seconds the new recording lies behind the stored one: -0.06 to 0.06, in steps of 5 ms. Nearly always 0.
    public let seconds: Double
}

extension PracticeStore {
    /// Copies differ in length by this much at most, in seconds.
    private static let lengthTolerance = 0.05
    /// Further recordings of the same length are not compared.
    private static let mostCandidates = 16

    /// The recording with sections that sounds most like one that the store has no sections of; if there is none, the one that was last seen in
    /// the same file.
    ///
    /// Nothing is read unless the store has a recording of the same length. The recording itself is then decoded once, and so is a
    /// stored one that was never listened to for this purpose, if its file is still there.
    ///
    /// - Parameters:
    ///   - recording: A recording in a file.
    ///   - goesOn: Asked many times a second; false ends the search.
    /// - Returns: nil if there is none, if the store has sections of the recording itself, or if the search was ended.
    /// - Throws: `StoreError`, or `AudioFileError` for the recording itself.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    public func copy(of recording: PracticeRecording, goesOn: () -> Bool = { true }) throws -> RecognizedCopy? {
        guard let path = recording.path, try sections(of: recording.key)?.sections.isEmpty ?? true else { return nil }
        if let copy = try soundAlike(recording, path: path, goesOn) { return copy }
        guard goesOn() else { return nil }
        return try recordings(inFileAt: path).first { $0.sectionCount > 0 && $0.recording.key != recording.key }
            .map { RecognizedCopy(stored: $0, correlation: nil, seconds: 0) }
    }

    /// The recording of the same length with sections that sounds most like this one; nil if none does.
    private func soundAlike(
        _ recording: PracticeRecording, path: String, _ goesOn: () -> Bool
    ) throws -> RecognizedCopy? {
        let seconds = Double(recording.frameCount) / Double(recording.sampleRate)
        let candidates = try recordings(lasting: seconds - Self.lengthTolerance...seconds + Self.lengthTolerance)
            .filter { $0.sectionCount > 0 && $0.recording.key != recording.key }
        guard !candidates.isEmpty else { return nil }
        guard let sound = try SoundEnvelope(of: try Clip(path: path), goesOn: goesOn) else { return nil }
        var best: RecognizedCopy?
        for candidate in candidates.prefix(Self.mostCandidates) {
            guard goesOn() else { return nil }
            guard let kept = try envelope(of: candidate.recording.key) ?? heard(candidate.recording, goesOn),
                let match = sound.match(kept), match.correlation > SoundEnvelope.leastCorrelation,
                match.correlation > (best?.correlation ?? 0)
            else { continue }
            best = RecognizedCopy(stored: candidate, correlation: match.correlation, seconds: match.seconds)
        }
        return best
    }

    /// Keeps what copies of a recording will be recognised by, unless it is kept already. Without sections there is nothing to keep it for.
    ///
    /// - Parameters:
    ///   - recording: The recording; its file is decoded.
    ///   - goesOn: Asked many times a second; false ends the decoding.
    /// - Throws: `StoreError`, or `AudioFileError` if the recording's file cannot be read.
    ///
    /// Blocks the calling thread for as long as the recording is decoded. Real-time safe: no.
    public func listen(to recording: PracticeRecording, goesOn: () -> Bool = { true }) throws {
        guard let path = recording.path, let known = try self.recording(recording.key), known.sectionCount > 0,
            try envelope(of: recording.key) == nil,
            let sound = try SoundEnvelope(of: try Clip(path: path), goesOn: goesOn)
        else { return }
        try setEnvelope(sound.bytes, of: recording)
    }

    /// Takes the sections of a copy over, in one step for `undo`. Frames are converted to those of the recording's own file.
    ///
    /// The ratings of the sections, what was practised of them, and their takes go with them; `undo` brings all of it back to where it was.
    ///
    /// - Returns: What has changed.
    /// - Throws: `SectionError`, `StoreError`.
    @discardableResult
    public func adopt(_ copy: RecognizedCopy, for recording: PracticeRecording) throws -> SectionChange {
        let from = copy.stored.recording
        let ratio = Double(recording.sampleRate) / Double(from.sampleRate)
        let shift = copy.seconds * Double(recording.sampleRate)
        func frame(_ frame: Int64) -> Int64 {
            min(max(0, Int64((Double(frame) * ratio + shift).rounded())), recording.frameCount)
        }
        // Of a part that lasts to the end, the end is that of this recording.
        func end(_ end: Int64) -> Int64 { end == from.frameCount ? recording.frameCount : frame(end) }
        let kept = try sections(of: from.key)?.sections ?? []
        let pairs = kept.compactMap { section -> (draft: SectionDraft, id: Int)? in
            let frames = (frame(section.frames.lowerBound), end(section.frames.upperBound))
            guard frames.0 < frames.1 else { return nil }
            let draft = SectionDraft(
                frames.0..<frames.1, name: section.name, text: section.text, kind: section.kind,
                isHard: section.isHard, settings: section.settings)
            return (draft, section.id)
        }
        let drafts = pairs.map(\.draft)
        let lost = drafts.count < kept.count ? " of \(kept.count)" : ""
        let count = drafts.count == 1 && lost.isEmpty ? "1 section" : "\(drafts.count)\(lost) sections"
        return try apply(.all([.add(drafts)], summary: "took over \(count)"), to: recording) { change in
            var origins: [Int: SectionOrigin] = [:]
            for (draft, id) in pairs {
                // Two that are alike become one; it has the history of the first.
                guard let new = change.added.first(where: { draft.becomes($0) && origins[$0.id] == nil }) else {
                    continue
                }
                origins[new.id] = SectionOrigin(key: from.key, sectionID: id)
            }
            return origins
        }
    }

    /// The envelope of a stored recording from its file, if that is still the same recording.
    private func heard(_ recording: PracticeRecording, _ goesOn: () -> Bool) -> [UInt8]? {
        guard let path = recording.path, (try? RecordingKey(ofFileAt: path)) == recording.key,
            let clip = try? Clip(path: path), let sound = (try? SoundEnvelope(of: clip, goesOn: goesOn)) ?? nil
        else { return nil }
        return sound.bytes
    }
}

extension SectionDraft {
    /// Whether a section is this one in a list. A part may have become a range there.
    fileprivate func becomes(_ section: SavedSection) -> Bool {
        frames == section.frames && name == section.name && text == section.text && isHard == section.isHard
            && settings == section.settings
    }
}
