import AudioFiles
import Database
import Files
import Foundation
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store
@testable import Transfers

/// A task that changes a user's files, and must lose no file at any early end.
enum LossTask: String, CaseIterable, Sendable {
    /// The repair of a store whose header is damaged, so that SQLite cannot read it.
    case repairHeader
    /// The repair of a store with a damaged page of rows.
    case repairRows
    /// The recovery of rows from an earlier file of the store.
    case salvage
    /// The import of a bundle with recordings, a take and a document.
    case importBundle
    /// A backup into a folder with an earlier backup.
    case backup
    /// The cancellation of a fetch whose part is kept.
    case cancel
    /// The cancellation of a fetch whose part is removed.
    case discard
}

/// The files of a user, on which a task runs again and again.
final class LossBench {
    let task: LossTask
    /// The folder of everything that the task changes.
    let root: String
    private let full: FullLibrary
    private let outside: Scratch
    /// The library before the task, and after an uninterrupted task.
    private var before: [String] = [], after: [String] = []
    private var sounds: (old: Set<RecordingKey>, new: Set<RecordingKey>) = ([], [])
    /// The damaged store of a repair.
    private var damaged: [UInt8] = []
    /// The number of steps of an uninterrupted task.
    private(set) var stepCount = 0

    static let addresses = ["https://example.org/kept.wav", "https://example.org/a.wav", "https://example.org/b.wav"]
    private static let partBytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    init(_ task: LossTask) throws {
        self.task = task
        (full, outside) = (try FullLibrary(), try Scratch())
        root = FilePlace.resolved(full.harness.scratch.path) ?? full.harness.scratch.path
        try prepare()
        try FileManager.default.copyItem(atPath: root, toPath: outside.file("template"))
        let end = EarlyEnd(.room, after: .max)
        _ = try end.watchingDatabases(in: root) { try perform(end) }
        stepCount = end.stepCount
        after = try state()
        try reset()
    }

    private var store: String { root + "/data/practice.db" }

    private func library(_ calls: any FileCalls = SystemFileCalls()) throws -> RecordingLibrary {
        try Self.library(root, calls)
    }

    private static func library(_ root: String, _ calls: any FileCalls) throws -> RecordingLibrary {
        try RecordingLibrary(
            PracticeStore(.file(root + "/data/practice.db")), folder: root + "/data/library", calls: calls)
    }

    private func bytes(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

    /// Everything that the library lists. Reading repairs a damaged store.
    private func state() throws -> [String] { try contents(library()) }

    // MARK: Before the task

    private func prepare() throws {
        let library = try library()
        before = try contents(library)
        switch task {
        case .repairHeader, .repairRows: try damage()
        case .salvage:
            try FileManager.default.copyItem(atPath: store, toPath: Self.earlierStore(outside.path))
            try Database(path: store, creating: false).run("DELETE FROM episode")
        case .importBundle:
            let other = try LibraryHarness()
            let songs = try (21...22).map {
                try other.library.add(fileAt: other.wave("\($0).wav", seed: UInt64($0), frames: 3000)).item
            }
            try other.store.apply(.add([SectionDraft(5..<50, name: "Head")]), to: songs[0].recording)
            let take = try other.wave("take.wav", seed: 30, frames: 300)
            let sound = StoredTake.Sound(time: 7, sampleRate: 44_100, channelCount: 1, frameCount: 300)
            try other.store.addTake(inFileAt: take, sound)
            _ = try other.library.attach(fileAt: other.text("words.txt", "la la"), to: songs[1].number)
            try other.library.writeBundle(to: Self.bundle(outside.path))
            // Folders are made by calls that the bench does not see.
            try FileManager.default.createDirectory(
                atPath: root + "/data/takes", withIntermediateDirectories: true)
        case .backup:
            try library.backUp(to: root + "/target")
            sounds.old = try keys(of: library)
            try library.add(fileAt: full.harness.wave("6.wav", seed: 6, frames: 3000))
            _ = try library.attach(fileAt: full.harness.text("more.pdf", "more"), to: full.songs[0].number)
            sounds.new = try keys(of: library)
        case .cancel, .discard:
            for address in Self.addresses {
                _ = try library.askFor(address)
                let place = library.folder.parts + "/" + RecordingLibrary.partName(address)
                let part = try PartFile(TransferRequest(try WebAddress(address), to: place), calls: SystemFileCalls())
                defer { part.close() }
                try part.begin(PartRecord(address: address))
                try unsafe Self.partBytes.withUnsafeBytes { try unsafe part.write($0, at: 0) }
                try part.note(Int64(Self.partBytes.count))
            }
        }
        if task != .repairHeader, task != .repairRows { before = try contents(library) }
    }

    private func damage() throws {
        var place: UInt64 = 0
        if task == .repairRows {
            let page = try Database(path: store, creating: false).first(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'take'"
            ) { (row) throws(DatabaseError) in try row.integer(0) }
            place = UInt64(4096 * (try #require(page) - 1))
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store))
        try file.seek(toOffset: place)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 16))
        try file.close()
        damaged = bytes(store) ?? []
    }

    private static func bundle(_ outside: String) -> String { outside + "/all.tar" }
    private static func earlierStore(_ outside: String) -> String { outside + "/earlier.db" }

    private func keys(of library: RecordingLibrary) throws -> Set<RecordingKey> {
        Set(try library.items().map(\.key) + library.items { $0.isTrash = true }.map(\.key))
    }

    /// Restores all files to their state before the task.
    func reset() throws {
        for name in try Folder.names(in: root) { try FileManager.default.removeItem(atPath: root + "/" + name) }
        let template = outside.file("template")
        for name in try Folder.names(in: template) {
            try FileManager.default.copyItem(atPath: template + "/" + name, toPath: root + "/" + name)
        }
    }

    // MARK: The task

    /// - Returns: Whether the whole task succeeded, and the user saw a report of success.
    func perform(_ calls: any FileCalls) throws -> Bool {
        try Self.perform(task, root, outside: outside.path, calls)
    }

    static func perform(_ task: LossTask, _ root: String, outside: String, _ calls: any FileCalls) throws -> Bool {
        let store = root + "/data/practice.db"
        switch task {
        case .repairHeader, .repairRows:
            let cause = StoreError(.damaged("a test"), path: store)
            return try StoreRepair(of: store, schema: .current, cause: cause, busyTimeout: 5000, calls: calls) != nil
        case .salvage: return try library(root, calls).salvage(storeAt: earlierStore(outside)).isComplete
        case .importBundle:
            let summary = try library(root, calls).importFile(at: bundle(outside))
            return summary.problem == nil && summary.refused.isEmpty
        case .backup: return try library(root, calls).backUp(to: root + "/target").problems.isEmpty
        case .cancel, .discard:
            let library = try library(root, calls)
            for fetch in try library.pendingFetches() where fetch.address == addresses[1] {
                try library.cancelFetch(fetch.number, discarding: task == .discard)
            }
            return true
        }
    }

    /// Runs the task in this process, which ends after some of the task's steps, or at the latest after noting its
    /// completion.
    static func performUntilKilled(_ task: LossTask, _ root: String, outside: String, after last: Int) throws {
        let end = EarlyEnd(.process, after: last)
        let isDone = try end.watchingDatabases(in: root) {
            try perform(task, root, outside: outside, end)
        }
        if isDone { try Data().write(to: URL(fileURLWithPath: outside + "/done")) }
        raise(SIGKILL)
    }

    var outsidePath: String { outside.path }

    /// Whether a killed process had noted its completion. Deletes the note.
    func takeNote() -> Bool { (try? FileManager.default.removeItem(atPath: outside.path + "/done")) != nil }

    // MARK: After the task

    /// The names of unfinished files in the library's folder and beside the store.
    func remains() throws -> [String] {
        let parts = root + "/data/library/parts"
        let known = Set(Self.addresses.flatMap { RecordingLibrary.partNames($0) })
        return try Folder.names(in: parts).filter { !known.contains($0) }
            + Folder.names(in: root + "/data").filter { $0.contains(".repairing") }
    }

    /// The losses by an interrupted task, also after a second run of the task; nil without a loss.
    ///
    /// - Parameter isDone: Whether the user saw a report of complete success.
    func loss(isDone: Bool) throws -> String? {
        switch task {
        case .repairHeader, .repairRows: try lossOfRepair()
        case .salvage: try lossOfSalvage(isDone)
        case .importBundle: try lossOfImport(isDone)
        case .backup: try lossOfBackup(isDone)
        case .cancel, .discard: try lossOfCancellation(isDone)
        }
    }

    private func difference(_ found: [String], _ wanted: [String]) -> String? {
        let change = Set(found).symmetricDifference(wanted).sorted()
        return change.isEmpty ? nil : "\(change.count) lines differ: \(change.prefix(4))"
    }

    private func lossOfRepair() throws -> String? {
        if let difference = difference(try state(), after) { return difference }
        let names = try Folder.names(in: root + "/data").filter { $0.contains(".damaged") }
        return names.contains { bytes(root + "/data/" + $0) == damaged } ? nil : "the damaged file is gone"
    }

    private func lossOfSalvage(_ isDone: Bool) throws -> String? {
        let found = try state()
        let lost = Set(before).subtracting(found).sorted()
        if !lost.isEmpty { return "lost: \(lost.prefix(4))" }
        if isDone, let difference = difference(found, after) { return "after the end: \(difference)" }
        guard try perform(SystemFileCalls()) else { return "the next one cannot read everything" }
        if let difference = difference(try state(), after) { return "after the next one: \(difference)" }
        _ = try library().clean(library().check().parts)
        return try remains().first.map { "\($0) stays" }
    }

    private func brokenSound(in library: RecordingLibrary) throws -> String? {
        for item in try library.items() where !item.isMissing {
            if (try? RecordingKey(ofFileAt: item.path)) != item.key { return "\(item.words.title) is not whole" }
        }
        for take in try library.store.takes() where (try? AudioFileInfo(path: take.path)) == nil {
            return "take \(take.path) is not whole"
        }
        return nil
    }

    private func lossOfImport(_ isDone: Bool) throws -> String? {
        let found = try state()
        let lost = Set(before).subtracting(found).sorted()
        if !lost.isEmpty { return "lost: \(lost.prefix(4))" }
        if isDone, let difference = difference(found, after) { return "after the end: \(difference)" }
        if let broken = try brokenSound(in: library()) { return broken }
        guard try perform(SystemFileCalls()) else { return "the next import is refused" }
        if let difference = difference(try state(), after) { return "after the next import: \(difference)" }
        if let broken = try brokenSound(in: library()) { return "after the next import: \(broken)" }
        _ = try library().clean(library().check().parts)
        let report = try library().check()
        return report.isClean ? nil : "after the next import: \(report)"
    }

    private func lossOfBackup(_ isDone: Bool) throws -> String? {
        if let difference = difference(try state(), before) { return difference }
        let first = try restored()
        if let problem = first.problem { return problem }
        guard first.sounds == sounds.new || !isDone && first.sounds == sounds.old else {
            return "\(first.sounds.count) recordings in the backup"
        }
        guard try perform(SystemFileCalls()) else { return "the next backup has problems" }
        let second = try restored()
        return second.problem ?? (second.sounds == sounds.new ? nil : "the next backup is not whole")
    }

    /// The recordings of the backup, as a restoration brings the recordings back.
    private func restored() throws -> (sounds: Set<RecordingKey>, problem: String?) {
        let place = outside.file("restored")
        try? FileManager.default.removeItem(atPath: place)
        let there = try Self.library(place, SystemFileCalls())
        let summary = try there.restore(from: root + "/target")
        var problem = summary.refused.first ?? summary.problem?.message
        if problem == nil { problem = try brokenSound(in: there) }
        let missing = try there.items().first { $0.isMissing }
        if problem == nil, let missing { problem = "\(missing.words.title) is missing" }
        return (try keys(of: there), problem)
    }

    private func lossOfCancellation(_ isDone: Bool) throws -> String? {
        func lines(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("fetch https://example.org/a.wav") } }
        if let difference = difference(lines(try state()), lines(before)) { return difference }
        let library = try library()
        func isListed() throws -> Bool { try library.pendingFetches().contains { $0.address == Self.addresses[1] } }
        if isDone, try isListed() { return "it is on the list again" }
        func part(_ index: Int) -> [UInt8]? {
            bytes(library.folder.parts + "/" + RecordingLibrary.partName(Self.addresses[index]) + ".part")
        }
        let kept = task == .cancel ? [0, 1, 2] : [0, 2]
        for index in kept where part(index) != Self.partBytes { return "part \(index) is not what it was" }
        if try isListed() { _ = try perform(SystemFileCalls()) }
        if try isListed() { return "it cannot be cancelled" }
        if task == .discard {
            // As the next fetch of the address does.
            library.removeUnwanted(Self.addresses[1])
            if part(1) != nil, library.isUnwanted(Self.addresses[1]) { return "its part stays" }
        }
        for index in kept where part(index) != Self.partBytes { return "at last, part \(index) is not what it was" }
        return nil
    }
}
