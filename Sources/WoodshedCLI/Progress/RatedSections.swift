// The rated sections of a store, for `next` and `practice --due`.
import Explanations
import Files
import WoodshedPractice

/// Sections with a rating, the most overdue first: those of present recordings, and those of recordings whose file was
/// replaced by another recording.
struct RatedSections {
    /// The sections of all recordings; of a named recording, those of the file's present content.
    let all: [ScheduledSection]
    /// The sections whose file still holds their recording, as far as known.
    private(set) var present: [ScheduledSection]
    /// The sections whose file holds another recording.
    private(set) var replaced: [ScheduledSection]
    private let store: PracticeStore
    private let named: PracticeRecording?

    /// Reads the rated sections. Opens a file only if the store saw another recording in the file: the file may have
    /// been restored since.
    ///
    /// - Parameters:
    ///   - named: The recording in a file named by the user; nil for all recordings.
    ///   - time: Now, in seconds since 1970.
    init(_ store: PracticeStore, of named: PracticeRecording?, at time: Int64) throws {
        (self.store, self.named) = (store, named)
        var known = try store.schedule(at: time)
        if let named {
            // The present sound of the file determines the key, so none of the recording's sections is replaced.
            all = known.filter { $0.recording.key == named.key }
            replaced = known.filter { $0.recording.key != named.key && $0.recording.path == named.path }
            present = all
            return
        }
        let paths = Set(known.filter(\.isReplaced).compactMap(\.recording.path)).filter(isFile)
        for path in paths {
            guard let info = try? AudioFileInfo(path: path), let recording = try? store.recording(of: info) else {
                continue
            }
            // Only a restored file is news. An unwritable store changes nothing here.
            let last = try? store.recordings(inFileAt: path).first?.recording.key
            if last != recording.key { try? store.see(recording) }
        }
        if !paths.isEmpty { known = try store.schedule(at: time) }
        // A recording without a file is missing, whatever the file was last.
        func isReplaced(_ section: ScheduledSection) -> Bool {
            section.isReplaced && section.recording.path.map(paths.contains) == true
        }
        (all, present, replaced) = (known, known.filter { !isReplaced($0) }, known.filter(isReplaced))
    }

    /// Notes that the file of a recording holds another recording.
    mutating func noteReplaced(_ key: RecordingKey) {
        replaced += present.filter { $0.recording.key == key }
        present.removeAll { $0.recording.key == key }
    }

    /// Returns a line for each file whose earlier content has due sections, with the command that takes the sections
    /// over. New sections of the file show that the user does not need the earlier sections.
    func offers() throws -> [String] {
        let byPath = Dictionary(grouping: replaced.filter(\.isDue)) { $0.recording.path ?? "" }
        return try byPath.sorted { $0.key < $1.key }.compactMap { path, sections in
            let key = try named?.key ?? store.recordings(inFileAt: path).first?.recording.key
            guard try key.flatMap({ try store.sections(of: $0) })?.sections.isEmpty ?? true else { return nil }
            let count = counted(sections.count, "due section belongs", "due sections belong")
            return "\(fileName(path)) has changed: \(count) to its earlier content. "
                + "Take the sections over with: woodshed sections \(shellPath(path)) adopt"
        }
    }

    /// Returns lines that say why none of the sections is due, or when the first will be due.
    func nothingDue(among sections: [ScheduledSection]) -> [String] {
        let nothing = "Nothing is due" + (named?.path.map { " in " + fileName($0) } ?? "")
        if let next = sections.first {
            return ["\(nothing). \(next.title) is due on \(PracticeCalendar.text(ofDay: next.dueDay))."]
        }
        let files = Set(replaced.compactMap(\.recording.path).map(fileName))
        if let name = files.first {
            let places = files.count == 1 ? name : "\(files.count) files"
            return ["\(nothing): the rated sections belong to the earlier content of \(places)."]
        }
        return [
            "\(nothing): no section was rated yet.",
            "next: press e in woodshed practice, or: woodshed next FILE --section SECTION --rate good",
        ]
    }
}
