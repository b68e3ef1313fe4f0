internal import AudioFiles
internal import Clips
package import Sections
package import Store

/// A recording in the store whose sections fit another recording: the same music in another encoding, or the earlier
/// contents of a changed file.
package struct RecognizedCopy: Sendable {
    /// The recording in the store, with its title, its path and the number of its sections.
    package let stored: StoredRecording
    /// The correlation of both levels over time: above 0.99, at most 1. Nil if only the file is the same.
    package let correlation: Double?
    /// Delay of the new recording against the stored recording in seconds: -0.06 to 0.06, in steps of 5 ms. Nearly
    /// always 0.
    package let seconds: Double
}

extension PracticeStore {
    /// The greatest difference in length between copies, in seconds.
    private static let lengthTolerance = 0.05
    /// The greatest number of recordings of the same length to compare.
    private static let mostCandidates = 16

    /// Finds a recording in the store with sections and the same sound as a recording without sections. Otherwise,
    /// finds the recording last seen in the same file.
    ///
    /// Reads nothing unless the store has a recording of the same length. Then decodes the recording once, and each
    /// candidate without a stored fingerprint whose file still exists.
    ///
    /// - Parameters:
    ///   - recording: a recording in a file.
    ///   - goesOn: called many times a second; false ends the search.
    /// - Returns: The recording found; nil if there is none, if the store has sections of the recording itself, or if
    ///   `goesOn` ended the search.
    /// - Throws: `StoreError`, or `AudioFileError` for the recording itself.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    package func copy(of recording: PracticeRecording, goesOn: () -> Bool = { true }) throws -> RecognizedCopy? {
        guard let path = recording.path, try sections(of: recording.key)?.sections.isEmpty ?? true else { return nil }
        if let copy = try soundAlike(recording, path: path, goesOn) { return copy }
        guard goesOn() else { return nil }
        return try recordings(inFileAt: path).first { $0.sectionCount > 0 && $0.recording.key != recording.key }
            .map { RecognizedCopy(stored: $0, correlation: nil, seconds: 0) }
    }

    /// Returns the recording of the same length with sections that sounds most like this recording; nil if none is
    /// similar.
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

    /// Stores the fingerprint that recognises copies of a recording, unless a fingerprint is stored or the recording
    /// has no sections.
    ///
    /// - Parameters:
    ///   - recording: the recording; its file is decoded.
    ///   - goesOn: called many times a second; false ends the decoding.
    /// - Throws: `StoreError`, or `AudioFileError` if the recording's file cannot be read.
    ///
    /// Blocks the calling thread until the recording is decoded. Real-time safe: no.
    package func listen(to recording: PracticeRecording, goesOn: () -> Bool = { true }) throws {
        guard let path = recording.path, let known = try self.recording(recording.key), known.sectionCount > 0,
            try envelope(of: recording.key) == nil,
            let sound = try SoundEnvelope(of: try Clip(path: path), goesOn: goesOn)
        else { return }
        try setEnvelope(sound.bytes, of: recording)
    }

    /// Adopts the sections of a copy, in one step that `undo` reverses. Frames are converted to frames of the
    /// recording's own file.
    ///
    /// The ratings of the sections, their practice log and their takes move along; `undo` moves everything back.
    ///
    /// - Parameters:
    ///   - copy: the result of ``copy(of:goesOn:)``.
    ///   - recording: the recording that gets the sections.
    /// - Returns: The change.
    /// - Throws: `SectionError`, `StoreError`.
    @discardableResult
    package func adopt(_ copy: RecognizedCopy, for recording: PracticeRecording) throws -> SectionChange {
        let from = copy.stored.recording
        let ratio = Double(recording.sampleRate) / Double(from.sampleRate)
        let shift = copy.seconds * Double(recording.sampleRate)
        func frame(_ frame: Int64) -> Int64 {
            let moved = (Double(frame) * ratio + shift).rounded()
            return moved > 0 ? Int64(min(moved, Double(recording.frameCount))) : 0
        }
        // A part that lasts to the end keeps its end at the end of this recording.
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
                // Two identical drafts become one section, with the history of the first.
                guard let new = change.added.first(where: { draft.becomes($0) && origins[$0.id] == nil }) else {
                    continue
                }
                origins[new.id] = SectionOrigin(key: from.key, sectionID: id)
            }
            return origins
        }
    }

    /// Returns the envelope of a stored recording from its file, if the file still holds the same recording.
    private func heard(_ recording: PracticeRecording, _ goesOn: () -> Bool) -> [UInt8]? {
        guard let path = recording.path, (try? RecordingKey(ofFileAt: path)) == recording.key,
            let clip = try? Clip(path: path), let sound = (try? SoundEnvelope(of: clip, goesOn: goesOn)) ?? nil
        else { return nil }
        return sound.bytes
    }
}

extension SectionDraft {
    /// True if a section of a list came from this draft. A part may have become a range there.
    fileprivate func becomes(_ section: SavedSection) -> Bool {
        frames == section.frames && name == section.name && text == section.text && isHard == section.isHard
            && settings == section.settings
    }
}
