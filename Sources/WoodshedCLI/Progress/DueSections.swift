// Selects the sections for `practice --due`.
import Explanations
import Files
import Glibc
import Terminal
import WoodshedPractice

/// Due sections of a recording.
struct DueSections {
    let file: String
    /// The identities of the sections.
    let ids: Set<Int>

    /// Finds due sections, and prints their recording and number.
    ///
    /// - Parameters:
    ///   - file: A recording; nil for the recording with the most overdue section.
    ///   - isQuiet: True to print nothing.
    /// - Returns: Nil if nothing is due.
    static func find(in file: String?, isQuiet: Bool) throws -> DueSections? {
        func say(_ words: String) { if !isQuiet { StandardStream.error.note(printable(words)) } }
        let kept = try file.map { try KeptRecording(file: $0) }
        let store = try kept?.store ?? PracticeStore(.user)
        var rated = try RatedSections(store, of: kept?.recording, at: Int64(time(nil)))
        store.tellRepair()
        let names = RecordingNames(store)
        var passed: Set<RecordingKey> = []
        for section in rated.present.filter(\.isDue) {
            let key = section.recording.key
            guard let path = file ?? section.recording.path, passed.insert(key).inserted else { continue }
            // The file may have changed in place, and may have other sections or none.
            if file == nil {
                guard isFile(path) else {
                    say("\(path) is missing.")
                    continue
                }
                let kept: KeptRecording
                do { kept = try KeptRecording(file: path, store: store) } catch let error as AudioFileError {
                    say(error.message)
                    continue
                }
                guard kept.recording.key == key else {
                    // Updates the file's key for `next`, which does not open this file. An unwritable store changes
                    // nothing here.
                    try? store.see(kept.recording)
                    rated.noteReplaced(key)
                    continue
                }
            }
            let ids = Set(rated.present.filter { $0.isDue && $0.recording.key == key }.map(\.section.id))
            say("\(names.name(of: section.recording)): \(counted(ids.count, "section is", "sections are")) due")
            return DueSections(file: path, ids: ids)
        }
        let offers = try rated.offers()
        offers.forEach(say)
        if rated.present.contains(where: \.isDue) {
            throw CommandFailure(
                .notFound, "the recordings of the due sections are missing or cannot be read",
                remedy: "Name the recording: woodshed practice --due FILE")
        }
        if file == nil, !offers.isEmpty {
            throw CommandFailure(
                .notFound, "the due sections belong to the earlier content of their files",
                remedy: "Take the sections over with: woodshed sections FILE adopt")
        }
        rated.nothingDue(among: rated.present).forEach(say)
        return nil
    }
}

extension ScheduledSection {
    /// The section's name, or else its number.
    var title: String { section.name.isEmpty ? "section \(number)" : section.name }
}
