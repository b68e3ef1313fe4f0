internal import Anki
internal import AudioFiles
internal import Clips
internal import Explanations
internal import Files
internal import Glibc
internal import Sections
package import Store

/// Exports the sections of a recording as flash cards for the program Anki: a package (`.apkg`) with a note for each
/// section.
///
///     let summary = try CardExport.write(recording, store, fileAt: "song.mp3", to: "song.apkg")
///
/// A card asks with the section's name and sound, and answers with the section's text, its best take and the take's
/// note. The recording's key and the section's identity identify a note. So importing a package again updates the notes
/// in Anki, under any file name, and keeps their due dates. Sounds are MP3, at the recording's own speed; a take sounds
/// as played.
package enum CardExport {
    /// The result of an export.
    package struct Summary: Sendable, Hashable {
        /// Number of notes: one for each section.
        package internal(set) var noteCount = 0
        /// Number of notes with a take.
        package internal(set) var takeCount = 0
        /// The omissions, in plain sentences.
        package internal(set) var notes: [String] = []
    }

    /// Writes a package, which appears under its name when complete. One sound at a time is on the disk, and none in
    /// memory.
    ///
    /// - Parameters:
    ///   - recording: The recording.
    ///   - store: The store of the sections and takes.
    ///   - file: The recording's file.
    ///   - path: The package; replaces an existing file.
    ///   - now: Time of the change of the notes, in seconds since 1970: Anki updates its notes from an earlier time.
    ///     Nil for the current time.
    ///   - progress: Called with the finished share.
    ///   - isCancelled: Called often; true cancels.
    /// - Throws: `CardError`; `StoreError`; `AudioFileError` if the recording cannot be read or the package cannot be
    ///   written. An unreadable take is left out, and reported in the summary.
    ///
    /// Real-time safe: no.
    package static func write(
        _ recording: PracticeRecording, _ store: PracticeStore, fileAt file: String, to path: String,
        at now: Int64? = nil, progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
    ) throws -> Summary {
        let list = try store.sections(of: recording)
        guard !list.sections.isEmpty else { throw CardError.noSections(file) }
        let info = try AudioFileInfo(path: file)
        let clip = try Clip(
            path: file, sampleRate: CardSound.sampleRate(for: info.sampleRate), memoryBudget: memoryBudget)
        do {
            let maker = CardMaker(
                recording: recording, store: store, clip: clip, list: list, output: try AnkiPackage(path: path),
                path: path)
            return try maker.write(at: now ?? Int64(time(nil)), progress: progress, isCancelled: isCancelled)
        } catch let fault as PackageFault {
            throw CardError.explained(fault, path)
        }
    }

    /// Memory for a clip: sounds are read once, in order.
    static let memoryBudget = 8 << 20
}

/// Makes the notes of one recording.
private struct CardMaker {
    let recording: PracticeRecording
    let store: PracticeStore
    let clip: Clip
    let list: SectionList
    let output: AnkiPackage
    let path: String

    func write(at now: Int64, progress: (Double) -> Void, isCancelled: () -> Bool) throws -> CardExport.Summary {
        var summary = CardExport.Summary()
        var notes: [AnkiNote] = []
        let heard = try store.takes(TakeFilter(key: recording.key)).filter { !$0.isReplaced }
        let takes = Dictionary(grouping: heard) { $0.model?.sectionID }
        for (index, section) in list.sections.enumerated() {
            // Each section counts as one share, with half of it for the model.
            func goesOn(_ share: Double) -> Bool {
                progress((Double(index) + share) / Double(list.sections.count))
                return !isCancelled()
            }
            var take: (sound: String, take: StoredTake)?
            let model = try add(CardSound(clip: clip, frames: frames(of: section)), "\(section.id)-model") {
                goesOn($0 / 2)
            }
            if let best = Self.best(takes[section.id] ?? []) {
                do {
                    take = (try add(try sound(of: best), "\(section.id)-take") { goesOn(0.5 + $0 / 2) }, best)
                } catch let error as any ExplainedError where Self.isAboutTake(error, best) {
                    summary.notes.append("the card of \(name(section)) has no take: \(error.message)")
                }
            }
            notes.append(note(section, model: model, take: take))
            summary.takeCount += take == nil ? 0 : 1
        }
        summary.noteCount = notes.count
        let title = AnkiText.deckName(title)
        let deck = AnkiDeck(
            id: 1_000_000_000_000 + Int64(recording.key.low % 1_000_000_000_000),
            name: "Woodshed" + (title.isEmpty ? "" : "::\(title)"))
        try output.finish(notes, of: .section, in: deck, at: now)
        return summary
    }

    private func frames(of section: SavedSection) -> Range<Int64> {
        let first = min(clip.frame(forFileFrame: section.frames.lowerBound), clip.frameCount - 1)
        let end = min(clip.frame(forFileFrame: section.frames.upperBound), clip.frameCount)
        return first..<max(first + 1, end)
    }

    // MARK: Sounds

    /// Encodes a sound, and adds the sound to the package.
    private func add(_ sound: CardSound, _ name: String, goesOn: (Double) -> Bool) throws -> String {
        let descriptor: Int32
        do throws(FileFault) { descriptor = try UnnamedFile.open(in: output.folder) } catch {
            throw PackageFault.file(error)
        }
        defer { close(descriptor) }
        try sound.write(to: descriptor, partOf: path) { goesOn(Double($0) / Double(sound.frames.count)) }
        return try output.add(descriptor, named: "woodshed-\(recording.key)-\(name)", ending: "mp3")
    }

    /// Returns the take for the card: the take with the best rating, the newest of several; the newest if none has a
    /// rating.
    private static func best(_ takes: [StoredTake]) -> StoredTake? {
        // The list begins with the newest.
        takes.max { ($0.rating ?? 0, $0.number) < ($1.rating ?? 0, $1.number) }
    }

    /// Returns the part of a take that overlaps with the section; the whole take if there is no overlap.
    private func sound(of take: StoredTake) throws -> CardSound {
        let info = try AudioFileInfo(path: take.currentPath)
        let sound = try Clip(
            path: take.currentPath, sampleRate: CardSound.sampleRate(for: info.sampleRate),
            memoryBudget: CardExport.memoryBudget)
        let frames = 0..<sound.frameCount
        guard !frames.isEmpty else {
            throw HearingError(
                .unreadable, "take \(take.number) has no sound", remedy: "Delete the take from the list.")
        }
        guard let model = take.model, let part = heard(model, of: sound, info) else {
            return CardSound(clip: sound, frames: frames)
        }
        return CardSound(clip: sound, frames: part)
    }

    private func heard(_ model: StoredTake.Model, of sound: Clip, _ info: AudioFileInfo) -> Range<Int64>? {
        // The layout counts frames at the recording's rate.
        let ratio = Double(sound.sampleRate) / Double(clip.sampleRate)
        let length = Int64((Double(sound.frameCount) / ratio).rounded())
        guard let layout = PairLayout(model, takeRate: info.sampleRate, takeFrames: length, in: clip) else {
            return nil
        }
        func frame(_ frame: Int64) -> Int64 { Int64((Double(frame) * ratio).rounded()) }
        let part = (frame(layout.takeStart)..<frame(layout.takeStart + layout.frameCount))
            .clamped(to: 0..<sound.frameCount)
        return part.isEmpty ? nil : part
    }

    /// True if an error concerns the reading of a take, without which the card can be made.
    private static func isAboutTake(_ error: any ExplainedError, _ take: StoredTake) -> Bool {
        (error as? AudioFileError)?.path == take.currentPath || error is HearingError
    }

    // MARK: Texts

    private func note(_ section: SavedSection, model: String, take: (sound: String, take: StoredTake)?) -> AnkiNote {
        var words: [String] = []
        if let take = take?.take {
            words = [PracticeCalendar.text(ofDay: PracticeCalendar.local.day(of: take.sound.time))]
            if let model = take.model, model.speed != 1 { words.append("at \(Int((model.speed * 100).rounded())) %") }
            if let rating = take.rating { words.append("rated \(rating) of 5") }
        }
        let about = words.joined(separator: ", ") + (take.map { $0.take.note.isEmpty ? "" : "\n\($0.take.note)" } ?? "")
        return AnkiNote(
            identity: "woodshed-\(recording.key)-\(section.id)",
            fields: [
                AnkiText.html(name(section)), AnkiText.html(section.text), AnkiText.sound(model),
                take.map { AnkiText.sound($0.sound) } ?? "", AnkiText.html(about),
                AnkiText.html(title),
                "\(clock(section.frames.lowerBound))–\(clock(section.frames.upperBound))",
            ], tags: ["woodshed"] + (section.isHard ? ["woodshed::hard"] : []))
    }

    private func name(_ section: SavedSection) -> String {
        section.name.isEmpty ? "Section \(list.number(ofID: section.id) ?? section.id)" : section.name
    }

    /// The recording's title, or else its file's name.
    private var title: String {
        guard recording.title.isEmpty else { return recording.title }
        return (recording.path ?? "").split(separator: "/").last.map(String.init) ?? ""
    }

    /// Returns a frame of the file as `1:02.345`.
    private func clock(_ frame: Int64) -> String {
        let milliseconds = Int64((Double(frame) * 1000 / Double(recording.sampleRate)).rounded())
        let (seconds, rest) = (milliseconds / 1000 % 60, milliseconds % 1000)
        return "\(milliseconds / 60_000):\(zeroPadded(seconds, to: 2)).\(zeroPadded(rest, to: 3))"
    }
}

extension AnkiNoteType {
    /// The type of all notes. Its fields and its card never change: Anki would treat a changed type as another type.
    fileprivate static let section = AnkiNoteType(
        id: 1_764_000_000_017, name: "Woodshed", changed: 1_764_000_000,
        fields: ["Name", "Text", "Model", "Take", "About the take", "Source", "Range"],
        front: """
            <div class="name">{{Name}}</div>
            {{Model}}
            """,
        back: """
            {{FrontSide}}
            <hr id="answer">
            {{#Text}}<div class="text">{{Text}}</div>{{/Text}}
            {{#Take}}<div class="take">{{Take}}<div>{{About the take}}</div></div>{{/Take}}
            <div class="source">{{Source}}, {{Range}}</div>
            """,
        style: """
            .card { font-family: sans-serif; font-size: 20px; text-align: center; }
            .name { font-weight: bold; }
            .take, .source { margin-top: 1em; font-size: 70%; }
            .source { opacity: 0.7; }
            """)
}
