// Selection of the take and the recording to compare, from the typed words.
import Terminal
import WoodshedPractice

/// A take and its recording.
struct ComparedPair {
    /// The recording's file.
    let recording: String
    /// The take's file.
    let take: String
    /// The store's data about the take's passage; nil if the take belongs to another recording.
    let model: StoredTake.Model?
    /// The named saved section; nil without a name.
    let section: SavedSection?

    /// Finds the take and the recording.
    ///
    /// - Parameters:
    ///   - file: The recording; or `@1` for a take with a recording known to the store.
    ///   - word: The take: a number, `@1` or a file. Nil is the newest take of the section or of the recording, or else
    ///     the newest take without a recording.
    ///   - isTakeName: True if a `word` that is no number names a file, even a missing file.
    ///   - section: The name or number of a saved section.
    init(file: String, take word: String?, isTakeName: Bool, section name: String?) throws {
        if let word, isFile(word) || isTakeName && TakeWord.newest(word) == nil && wholeNumber(word) == nil {
            (recording, take, model) = (file, word, nil)
            section = try name.map { try KeptRecording(file: file).list().meant(by: $0) }
            return
        }
        let takeAlone = word == nil && TakeWord.newest(file) != nil && !isFile(file)
        // A missing recording is the first error to report.
        if !takeAlone { _ = try AudioFileInfo(path: file) }
        TakeAdoption.run(quiet: false)
        let store = try PracticeStore(.user)
        var found = try (takeAlone ? file : word).map { try TakeWord.heard($0, in: store) }
        if takeAlone, let found {
            let remedy = "Name the recording: woodshed compare FILE \(shellPath(file))"
            guard let model = found.model else { throw PairFile.noModel(found, remedy: remedy) }
            recording = try PairFile.recordingFile(of: model, in: store, named: nil, remedy: remedy)
        } else {
            recording = file
        }
        let kept = try KeptRecording(file: recording, store: store)
        section = try name.map { try kept.list().meant(by: $0) }
        if found == nil { found = try Self.newest(of: kept.recording.key, section?.id, in: store) }
        guard let found else {
            throw CommandFailure(
                .notFound, "there is no take of \(name.map { "\($0) in " } ?? "")\(file) yet",
                remedy: "Record a take with: woodshed practice \(shellPath(file)) --record passes")
        }
        take = found.currentPath
        model = found.model.flatMap { $0.key == kept.recording.key ? $0 : nil }
    }

    /// Returns the compared passage, in frames of the recording's file: the take's passage, unless the user gave a
    /// range or another section.
    ///
    /// - Parameter range: The range from `--from` and `--to`.
    func frames(_ range: RangeOptions, of timeline: Timeline) throws -> Range<Int64> {
        let whole = 0..<timeline.clipFrames
        if let model, !range.isGiven, section.map({ $0.id == model.sectionID }) ?? true {
            let heard = model.frames.clamped(to: whole)
            if !heard.isEmpty { return heard }
        }
        return try section.map { try $0.section(of: timeline).range } ?? range.range.section(of: timeline).range
    }

    /// Returns the newest take of a section or of a recording, or else the newest take without a recording; nil without
    /// any take.
    private static func newest(of key: RecordingKey, _ section: Int?, in store: PracticeStore) throws -> StoredTake? {
        // Excludes a take still being recorded, which has no length yet.
        func hasSound(_ take: StoredTake) -> Bool { take.sound.frameCount > 0 && !take.isReplaced }
        return try store.takes(TakeFilter(key: key, sectionID: section)).first(where: hasSound)
            ?? store.takes().first { $0.model == nil && hasSound($0) }
    }
}
