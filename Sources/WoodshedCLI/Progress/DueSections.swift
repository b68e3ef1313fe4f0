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
        let now = Int64(time(nil))
        let store: PracticeStore
        let scheduled: [ScheduledSection]
        if let file {
            let kept = try KeptRecording(file: file)
            store = kept.store
            scheduled = try store.schedule(at: now, of: kept.recording.key)
        } else {
            store = try PracticeStore(.user)
            scheduled = try store.schedule(at: now)
        }
        store.tellRepair()
        let due = scheduled.filter(\.isDue)
        guard !due.isEmpty else {
            say("Nothing is due\(file.map { " in " + fileName($0) } ?? "").")
            if let next = scheduled.first {
                say("The next section, \(next.title), is due on \(PracticeCalendar.text(ofDay: next.dueDay)).")
            } else {
                say("A section is due some days after it was rated: press e while the section plays.")
            }
            return nil
        }
        let names = RecordingNames(store)
        var passed: Set<RecordingKey> = []
        for section in due {
            guard let path = file ?? section.recording.path, passed.insert(section.recording.key).inserted else {
                continue
            }
            guard isFile(path) else {
                if file != nil { break }
                say("\(path) is missing.")
                continue
            }
            // The file may have changed in place, and may have other sections or none.
            if file == nil {
                let kept: KeptRecording
                do { kept = try KeptRecording(file: path, store: store) } catch let error as AudioFileError {
                    say(error.message)
                    continue
                }
                guard kept.recording.key == section.recording.key else {
                    // Updates the file's key for `next`, which opens no file. An unwritable store changes nothing here.
                    try? store.see(kept.recording)
                    if try kept.list().sections.isEmpty {
                        say(adopting(path, due.count { $0.recording.key == section.recording.key }))
                    }
                    continue
                }
            }
            let ids = Set(due.filter { $0.recording.key == section.recording.key }.map(\.section.id))
            say("\(names.name(of: section.recording)): \(counted(ids.count, "section is", "sections are")) due")
            return DueSections(file: path, ids: ids)
        }
        throw CommandFailure(
            .notFound, "the recordings of the due sections are missing",
            remedy: "Name the recording: woodshed practice --due FILE")
    }

    /// Returns a sentence about due sections that belong to the file's previous sound.
    static func adopting(_ path: String, _ count: Int) -> String {
        "\(fileName(path)) has changed: \(counted(count, "due section belongs", "due sections belong")) to its earlier content. "
            + "Take the sections over with: woodshed sections \(shellPath(path)) adopt"
    }
}

extension ScheduledSection {
    /// The section's name, or else its number.
    var title: String { section.name.isEmpty ? "section \(number)" : section.name }
}
