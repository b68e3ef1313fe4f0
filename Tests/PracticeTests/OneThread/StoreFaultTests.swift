import AudioFiles
import Database
import Foundation
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Practice
@testable import Store

@Suite("Unusable stores")
struct StoreFaultTests {
    @Test("without a home the store is refused, and the error names the variable to set")
    func noHome() async {
        await #expect(processExitsWith: .success) {
            unsafe unsetenv("XDG_DATA_HOME")
            unsafe setenv("HOME", "/there/is/no/such/home", 1)
            exit(storeError { _ = try PracticeStore(.user) } == .noHome ? 0 : 1)
        }
    }

    @Test("the user's store is in the data folder, and only the user may enter it")
    func place() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            unsafe setenv("XDG_DATA_HOME", scratch.file("data"), 1)
            let store = try PracticeStore(.user)
            try store.apply(.mark(frame: 5), to: recording())
            var status = stat()
            guard store.path == scratch.file("data/woodshed/practice.db"),
                unsafe stat(scratch.file("data/woodshed"), &status) == 0,
                status.st_mode & 0o777 == 0o700, unsafe stat(scratch.file("data/woodshed/practice.db"), &status) == 0
            else { exit(1) }
            exit(0)
        }
    }

    @Test("a store in a read-only folder stays readable, and the error names the folder")
    func readOnly() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let path = scratch.file("closed/practice.db")
            try PracticeStore(.file(path)).apply(.mark(frame: 5), to: recording())
            unsafe chmod(scratch.path, 0o755)
            unsafe chmod(path, 0o444)
            unsafe chmod(scratch.file("closed"), 0o555)
            guard Privileges.giveUp() else { exit(1) }
            let store = try PracticeStore(.file(path))
            guard try store.sections(of: recording()).sections.count == 2 else { exit(2) }
            guard storeError({ try store.apply(.mark(frame: 6), to: recording()) }) == .readOnly else { exit(3) }
            let new = try PracticeStore(.file(scratch.file("closed/deeper/new.db")))
            guard storeError({ try new.apply(.mark(frame: 6), to: recording()) }) == .permissionDenied else { exit(4) }
            guard try new.recordings().isEmpty, try store.sections(of: recording()).sections.count == 2 else { exit(5) }
            exit(0)
        }
    }

    @Test("a read-only store of an earlier version is refused with an error about the version")
    func earlierReadOnly() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let path = scratch.file("closed/practice.db")
            try PracticeStore(.file(path)).apply(.mark(frame: 5), to: recording())
            unsafe chmod(scratch.path, 0o755)
            unsafe chmod(path, 0o444)
            unsafe chmod(scratch.file("closed"), 0o555)
            guard Privileges.giveUp() else { exit(1) }
            do throws(StoreError) {
                let next = StoreSchema(versions: StoreSchema.current.versions + [["CREATE TABLE extra (a)"]])
                _ = try PracticeStore(.file(path), schema: next).recordings()
                exit(2)
            } catch {
                exit(error.message.contains("earlier version") ? 0 : 3)
            }
        }
    }

    // In a separate process: the limit counts for the whole process.
    @Test("a full disk loses no stored edit, and an edit that fits is stored afterwards")
    func noRoom() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let scratch = try Scratch()
            let path = scratch.file("practice.db")
            let store = try PracticeStore(.file(path))
            try store.apply(.mark(frame: 5), to: recording())
            let before = try store.sections(of: recording())
            let size = rlim_t(try scratch.size("practice.db"))
            var limit = rlimit(rlim_cur: size + 8192, rlim_max: rlim_t.max)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(1) }
            let large = (0..<500).map { SectionDraft($0..<$0 + 1, text: String(repeating: "words ", count: 100)) }
            // SQLite distinguishes a full disk from other failures, but not always this limit.
            let kind = storeError { try store.apply(.add(large), to: recording()) }
            guard kind == .diskFull || kind == .io else { exit(2) }
            guard try store.sections(of: recording()) == before else { exit(3) }
            limit.rlim_cur = rlim_t.max
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(4) }
            try store.apply(.add(large), to: recording())
            guard try PracticeStore(.file(path)).sections(of: recording()).sections.count == 502 else { exit(5) }
            exit(0)
        }
    }

    @Test("a store path that is no regular file is refused without waiting")
    func notFiles() throws {
        let scratch = try Scratch()
        let isMade = unsafe mkfifo(scratch.file("pipe"), 0o600) == 0
        #expect(isMade)
        for path in [scratch.path, scratch.file("pipe"), "/dev/null"] {
            let store = try PracticeStore(.file(path))
            #expect(storeError { _ = try store.recordings() } == .cannotOpen)
            #expect(storeError { try store.apply(.mark(frame: 1), to: recording()) } == .cannotOpen)
        }
    }

    @Test("another program's database and a newer version's stay as they are, to the byte")
    func foreign() throws {
        let scratch = try Scratch()
        for (name, statements, kind) in [
            ("foreign.db", ["CREATE TABLE note (a)"], StoreError.Kind.foreign),
            (
                "newer.db",
                [
                    "CREATE TABLE note (a)", "PRAGMA application_id=\(StoreSchema.applicationID)",
                    "PRAGMA user_version=99",
                ], .newer
            ),
        ] {
            let path = scratch.file(name)
            do {
                let database = try Database(path: path, creating: true)
                for statement in statements { _ = try database.rows(statement) { _ in } }
            }
            let before = FileManager.default.contents(atPath: path)
            let store = try PracticeStore(.file(path))
            #expect(storeError { _ = try store.recordings() } == kind)
            #expect(storeError { try store.apply(.mark(frame: 1), to: recording()) } == kind)
            #expect(FileManager.default.contents(atPath: path) == before)
        }
        #expect(scratch.names == ["foreign.db", "newer.db"])
    }

    @Test("a store held by another program is reported as busy, and can be used afterwards")
    func busy() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        let store = try PracticeStore(.file(path), schema: .current, busyTimeout: 10)
        try store.apply(.mark(frame: 1), to: recording())
        let other = try Database(path: path, creating: false)
        try other.run("BEGIN IMMEDIATE")
        #expect(storeError { try store.apply(.mark(frame: 2), to: recording()) } == .busy)
        #expect(try store.sections(of: recording()).sections.count == 2)
        try other.run("COMMIT")
        try store.apply(.mark(frame: 2), to: recording())
    }

    @Test("an upgrade of the tables happens in one step, after a copy was kept")
    func migration() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        try PracticeStore(.file(path)).apply(.mark(frame: 7), to: recording())
        let first = StoreSchema.current.version
        let broken = StoreSchema(versions: StoreSchema.current.versions + [["CREATE TABLE extra (a)", "SELEKT"]])
        #expect(storeError { _ = try PracticeStore(.file(path), schema: broken).recordings() } == .io)
        #expect(try PracticeStore(.file(path)).recordings().count == 1)
        let next = StoreSchema(versions: StoreSchema.current.versions + [["CREATE TABLE extra (a)"]])
        #expect(try PracticeStore(.file(path), schema: next).sections(of: recording()).sections.count == 2)
        #expect(storeError { _ = try PracticeStore(.file(path)).recordings() } == .newer)
        #expect(try PracticeStore(.file("\(path).v\(first)-backup")).sections(of: recording()).sections.count == 2)
    }

    @Test("a store that is removed or replaced while it is open is detected")
    func replaced() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        let store = try PracticeStore(.file(path))
        try store.apply(.mark(frame: 7), to: recording(1))
        try FileManager.default.removeItem(atPath: path)
        #expect(try store.recordings().isEmpty)
        try store.apply(.mark(frame: 8), to: recording(2))
        try PracticeStore(.file(scratch.file("other.db"))).apply(.mark(frame: 9), to: recording(3))
        #expect(unsafe rename(scratch.file("other.db"), path) == 0)
        try store.apply(.mark(frame: 9), to: recording(4))
        #expect(try Set(store.recordings().map(\.recording.key.high)) == [3, 4])
    }

    @Test("a store of each version opens with all its contents, and its last changes can be undone", arguments: 1...7)
    func earlierVersion(_ version: Int) throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        let kept = #filePath.replacing("OneThread/StoreFaultTests.swift", with: "Stores/version-\(version).db")
        try FileManager.default.copyItem(atPath: kept, toPath: path)
        let store = try PracticeStore(.file(path))
        let known = try #require(try store.recording(recording().key))
        #expect(known.recording == recording() && known.position == 4321 && known.settings == ["speed": "70%"])
        let list = try store.sections(of: recording())
        #expect(list.sections.map(\.name) == ["All", "Solo"] && list.sections.map(\.id) == [3, 1])
        #expect(list.sections[1].text == "first line\nsecond" && list.sections[1].isHard)
        #expect(list.sections[1].settings == ["speed": "60%"] && known.sectionCount == 2)
        #expect(try store.recordings(matching: "solo").count == 1 && store.envelope(of: recording().key) == [1, 2, 3])
        #expect(try store.practiceLog().map(\.passes) == (version < 4 ? [] : [3]))
        #expect(try store.reviews().map(\.rating) == (version < 4 ? [] : [.again, .good]))
        if version >= 4 {
            let (entry, review) = (try store.practiceLog()[0], try store.reviews()[1])
            #expect(entry.speeds == .init(lowest: 0.6, highest: 0.75, last: 0.7) && entry.seconds == 61.5)
            #expect(entry.sectionID == 1 && entry.name == "Solo" && entry.frames == 1000..<2500)
            #expect(review.before == MemoryState(first: .again) && review.evidence.speed == 0.75)
            #expect(review.after == MemoryState(first: .again).rated(.good, afterDays: 1))
        }
        try store.review(section: 3, of: recording(), .good, at: 1_790_200_000)
        #expect(try store.undo(recording().key).removed.map(\.name) == ["All"])
        #expect(try store.undo(recording().key).removed == [list.sections[1]])
        #expect(try store.takes().map(\.name) == (version < 3 ? [] : ["slow"]))
    }

    @Test(
        "a store of an earlier version with a damaged word index is repaired when it is opened",
        arguments: ["DELETE FROM item_words_config", "DROP TABLE item_words_config"])
    func earlierDamaged(_ damage: String) throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        let kept = #filePath.replacing("OneThread/StoreFaultTests.swift", with: "Stores/version-6.db")
        try FileManager.default.copyItem(atPath: kept, toPath: path)
        try Database(path: path, creating: false).run(damage)
        let store = try PracticeStore(.file(path))
        #expect(try store.sections(of: recording()).sections.map(\.name) == ["All", "Solo"])
        #expect(try store.recordings(matching: "solo").count == 1 && store.repair != nil)
        try StoreSchema.checkWords(in: Database(path: path, creating: false))
    }

    @Test("letters are folded in a store that an earlier version has indexed", arguments: 1...6)
    func earlierWords(_ version: Int) throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        let kept = #filePath.replacing("OneThread/StoreFaultTests.swift", with: "Stores/version-\(version).db")
        try FileManager.default.copyItem(atPath: kept, toPath: path)
        let old = try Database(path: path, creating: false)
        try old.run("UPDATE recording SET title = 'Große Straße'")
        try old.run("UPDATE section SET name = 'Łódź'")
        let store = try PracticeStore(.file(path))
        for text in ["strasse", "lodz"] { #expect(try !store.recordings(matching: text).isEmpty, "\(text)") }
        #expect(store.repair == nil)
        try StoreSchema.checkWords(in: Database(path: path, creating: false))
    }
}
