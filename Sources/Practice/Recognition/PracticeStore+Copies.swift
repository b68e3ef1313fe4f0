internal import AudioFiles
internal import Clips
public import Sections
public import Store

/// A recording in the store whose sections fit another one: the same music in another encoding, or what the other one's file contained before it
/// was changed.
public struct RecognizedCopy: Sendable {
    /// The recording in the store, with its title, its path and the number of its sections.
    public let stored: StoredRecording
    /// The correlation of both levels over time: above 0.99, at most 1. Nil if only the file is the same.
    public let correlation: Double?
    /// By how many seconds the new recording lies behind the stored one: -0.06 to 0.06, in steps of 5 ms. Nearly always 0.
    public let seconds: Double
}

extension PracticeStore {
    /// Copies differ in length by this much at most, in seconds.
    private static let lengthTolerance = 0.05
    /// Further recordings of the same length are not compared.
    private static let mostCandidates = 16

    /// Finds a recording in the store that has sections and the same sound as one without. If there is none, the recording that was last seen in
    /// the same file is found.
    ///
    /// Nothing is read unless the store has a recording of the same length. The recording is then decoded once, and so is each candidate that has
    /// no stored fingerprint yet and whose file is still there.
    ///
    /// - Parameters:
    ///   - recording: a recording in a file.
    ///   - goesOn: called many times a second; if it returns false, the search ends.
    /// - Returns: The recording found; nil if there is none, if the store has sections of the recording itself, or if the search was ended.
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

    /// Stores the fingerprint by which copies of a recording are recognised, unless it is stored already or the recording has no sections.
    ///
    /// - Parameters:
    ///   - recording: the recording; its file is decoded.
    ///   - goesOn: called many times a second; if it returns false, decoding ends.
    /// - Throws: `StoreError`, or `AudioFileError` if the recording's file cannot be read.
    ///
    /// Blocks the calling thread until the recording is decoded. Real-time safe: no.
    public func listen(to recording: PracticeRecording, goesOn: () -> Bool = { true }) throws {
        guard let path = recording.path, let known = try self.recording(recording.key), known.sectionCount > 0,
            try envelope(of: recording.key) == nil,
            let sound = try SoundEnvelope(of: try Clip(path: path), goesOn: goesOn)
        else { return }
        try setEnvelope(sound.bytes, of: recording)
    }

    /// Takes over the sections of a copy, in one step that `undo` takes back. Frames are converted to those of the recording's own file.
    ///
    /// The ratings of the sections, their practice log and their takes are taken over too; `undo` returns all of it.
    ///
    /// - Parameters:
    ///   - copy: what ``copy(of:goesOn:)`` found.
    ///   - recording: the recording that gets the sections.
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
