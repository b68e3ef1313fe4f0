// A recording, together with its data in the user's store.
import Explanations
import Files
import Terminal
import WoodshedPractice

/// A recording with changeable data in the user's store.
struct KeptRecording: Sendable {
    let store: PracticeStore
    let recording: PracticeRecording
    /// The file's name, as typed by the user.
    let file: String

    /// Opens a recording. A file unknown to the store is read completely.
    init(file: String, store: PracticeStore? = nil) throws {
        let info = try AudioFileInfo(path: file)
        tellShortfall(info)
        try self.init(info, file: file, store: store)
    }

    /// Creates the value for an already opened file.
    init(_ info: AudioFileInfo, file: String, store: PracticeStore? = nil) throws {
        self.store = try store ?? PracticeStore(.user)
        recording = try self.store.recording(of: info)
        self.file = file
    }

    /// Returns the recording's sections, and reports a repair of the store.
    func list() throws -> SectionList {
        let list = try store.sections(of: recording)
        store.tellRepair()
        return list
    }

    /// Returns a recording with sections and the same sound, for a recording without sections.
    func copy(goesOn: () -> Bool = { true }) throws -> RecognizedCopy? { try store.copy(of: recording, goesOn: goesOn) }

    /// Times as typed mean frames of the file.
    var timeline: Timeline {
        Timeline(
            fileRate: recording.sampleRate, fileFrames: recording.frameCount, clipRate: recording.sampleRate,
            clipFrames: recording.frameCount)
    }

    /// Returns a frame of the file as a time for people.
    func clock(_ frame: Int64) -> String { clockText(Double(frame) / Double(recording.sampleRate), decimals: 3) }
}

extension RecognizedCopy {
    /// The offer, in a sentence.
    var offer: String {
        let name = stored.recording.path.map(fileName) ?? stored.recording.title
        let count = counted(stored.sectionCount, "section")
        guard correlation != nil else {
            let seconds = Double(stored.recording.frameCount) / Double(stored.recording.sampleRate)
            return printable("\(name) has changed: it lasted \(clockText(seconds, decimals: 1)), and had \(count).")
        }
        return printable("\(name) sounds the same, and has \(count).")
    }
}

extension PracticeStore {
    /// Reports the repair of a damaged store, and its unreadable parts.
    func tellRepair() {
        for message in unreadable.sorted() { StandardStream.error.note("woodshed: \(message)") }
        guard let repair else { return }
        StandardStream.error.note("woodshed: " + printable(repair.message))
        StandardStream.error.note(printable(repair.remedy))
    }
}

extension SectionList {
    /// Returns the section for a name or number. The error for an unknown section suggests the nearest name.
    func meant(by text: String) throws -> SavedSection {
        do throws(SectionError) {
            return try section(named: text)
        } catch {
            guard error.kind == .unknown else { throw error }
            let names = sections.map(\.name).filter { !$0.isEmpty }
            guard let name = suggestion(for: text, among: names) else { throw error }
            throw CommandFailure(error.exitStatus, error.message, remedy: "Did you mean '\(name)'?")
        }
    }

    /// Returns the sections for words: names, numbers, and ranges of numbers such as `3-5`.
    func meant(by words: [String]) throws -> [SavedSection] {
        var result: [SavedSection] = []
        for word in words {
            let parts = word.split(separator: "-", omittingEmptySubsequences: false).map { wholeNumber($0) }
            let isName = sections.contains { $0.name == word }
            if !isName, parts.count == 2, let first = parts[0], let last = parts[1], first <= last {
                guard first >= 1, last <= Int64(sections.count) else {
                    throw SectionError(
                        .unknown, "there is no section '\(last > Int64(sections.count) ? last : first)'",
                        remedy: "Choose numbers from 1 to \(sections.count).")
                }
                result += sections[Int(first) - 1...Int(last) - 1]
            } else {
                result.append(try meant(by: word))
            }
        }
        var seen: Set<Int> = []
        return result.filter { seen.insert($0.id).inserted }
    }
}
