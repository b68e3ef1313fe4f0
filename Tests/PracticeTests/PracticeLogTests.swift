// A session's entries in the practice log, and the counts in the entries.
import Clips
import Foundation
import Sections
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import Engine
@testable import Practice
@testable import Store

@Suite("Practice log")
struct PracticeLogTests {
    private let scratch: Scratch
    private let store: PracticeStore

    init() throws {
        scratch = try Scratch()
        store = try PracticeStore(.file(scratch.file("practice.db")))
    }

    private static let place = PracticeLogState.Place(
        sectionID: 1, name: "Solo", frames: 0..<10_000, clipFrames: 0..<10_000)

    /// An event at 1000 frames a second.
    private static func event(
        _ kind: PlayerEvent.Kind, _ frame: Int64, _ clipFrame: Int64, speed: Double = 1, reversed: Bool = false
    ) -> PlayerEvent {
        PlayerEvent(
            kind: kind, frame: frame, section: 1, sectionFrames: 0..<0, pass: 1, passes: nil, speed: speed,
            semitones: 0,
            clipFrame: clipFrame,
            sound: .copy, isReversed: reversed)
    }

    /// The entry for a list of events.
    private static func entry(_ events: [PlayerEvent], place: PracticeLogState.Place = place) -> PracticeEntry? {
        var log = PracticeLogState(key: recording().key, sampleRate: 1000, calendar: .utc)
        for event in events { log.take(event, in: place, at: noon(0) + event.frame / 1000) }
        return log.unwritten.last?.entry
    }

    @Test("the log counts the time without pauses, with gaps, and whole passes with their speeds")
    func counting() throws {
        let event = Self.event
        let entry = try #require(
            Self.entry([
                event(.playbackStarted, 0, 0, 0.5, false), event(.passStarted, 0, 0, 0.5, false),
                event(.paused(.user), 5000, 2500, 0.5, false), event(.resumed(.user), 65_000, 2500, 0.5, false),
                event(.passEnded, 80_000, 10_000, 0.5, false),
                // A gap of five seconds.
                event(.passStarted, 85_000, 0, 0.8, false), event(.passEnded, 97_500, 10_000, 0.8, false),
                event(.passStarted, 97_500, 0, 0.7, false), event(.passEnded, 111_786, 10_000, 0.7, false),
                // Left in the middle.
                event(.passStarted, 111_786, 0, 1, false), event(.passEnded, 113_786, 2000, 1, false),
            ]))
        #expect(entry.passes == 3 && entry.speeds == .init(lowest: 0.5, highest: 0.8, last: 0.7))
        #expect(abs(entry.seconds - 53.786) < 1e-9 && entry.began == noon(0) && entry.ended == noon(0) + 113)
        #expect(entry.sectionID == 1 && entry.name == "Solo" && entry.frames == 0..<10_000)
    }

    @Test("a pass counts as whole if no part was left out, with the lowest of its speeds")
    func wholePasses() {
        let event = Self.event
        func passes(_ events: [PlayerEvent]) -> (Int, Double?) {
            let entry = Self.entry(events)
            return (entry?.passes ?? 0, entry?.speeds?.last)
        }
        let start = [event(.playbackStarted, 0, 0, 1, false), event(.passStarted, 0, 0, 1, false)]
        // Back and again, and on.
        #expect(
            passes(start + [event(.moved, 4000, 1000, 1, false), event(.passEnded, 13_000, 10_000, 1, false)]) == (1, 1)
        )
        // Over the middle.
        #expect(
            passes(start + [event(.moved, 4000, 9000, 1, false), event(.passEnded, 5000, 10_000, 1, false)]).0 == 0)
        // Fast only at the end.
        #expect(
            passes(
                [event(.playbackStarted, 0, 0, 0.5, false), event(.passStarted, 0, 0, 0.5, false)]
                    + [event(.speedChanged, 19_000, 9500, 2, false), event(.passEnded, 19_250, 10_000, 2, false)]) == (
                    1, 0.5
                ))
        // Entered in the middle.
        #expect(passes([event(.passStarted, 0, 5000, 1, false), event(.passEnded, 5000, 10_000, 1, false)]).0 == 0)
        let back = [event(.passStarted, 0, 10_000, 1, true), event(.passEnded, 10_000, 0, 1, true)]
        #expect(passes(back) == (1, 1))
    }

    @Test("another section, another loop and another day have entries of their own in the log")
    func entries() {
        var log = PracticeLogState(key: recording().key, sampleRate: 1000, calendar: .utc)
        let other = PracticeLogState.Place(sectionID: 2, name: "", frames: 0..<5, clipFrames: 0..<5)
        let loop = PracticeLogState.Place(name: "", frames: 7..<9, clipFrames: 7..<9)
        let late = noon(0, hour: 24)
        log.take(Self.event(.playbackStarted, 0, 0), in: Self.place, at: late - 20)
        log.take(Self.event(.passStarted, 0, 0), in: Self.place, at: late - 20)
        // A moment in another section, on the way to a loop.
        log.take(Self.event(.moved, 5000, 0), in: other, at: late - 15)
        log.take(Self.event(.moved, 5100, 7), in: loop, at: late - 15)
        log.count(to: 25_100, at: late + 5)
        log.count(to: 30_100, at: late + 10)
        log.take(Self.event(.finished(.stopped), 31_100, 8), in: loop, at: late + 11)
        let entries = log.unwritten.map(\.entry)
        #expect(entries.map(\.sectionID) == [1, nil, nil] && entries.map(\.frames) == [0..<10_000, 7..<9, 7..<9])
        #expect(entries.map(\.seconds) == [5, 20, 6] && entries.map(\.began) == [late - 20, late - 15, late + 5])
        // A section moved during playing is the same section.
        var moved = Self.place
        moved.frames = 5..<9000
        log.take(Self.event(.playbackStarted, 40_000, 0), in: Self.place, at: late + 100)
        log.take(Self.event(.moved, 45_000, 5), in: moved, at: late + 105)
        log.count(to: 50_000, at: late + 110)
        #expect(log.unwritten.count == 4 && log.unwritten[3].entry.seconds == 10)
    }

    @Test("stays without room in the log become part of an entry of the same section and day")
    func manyStays() {
        var log = PracticeLogState(key: recording().key, sampleRate: 1000, calendar: .utc)
        let other = PracticeLogState.Place(sectionID: 2, name: "", frames: 0..<1, clipFrames: 0..<10_000)
        let stays = 3 * WaitingEntries.most
        log.take(Self.event(.playbackStarted, 0, 0), in: Self.place, at: noon(0))
        for stay in 0..<stays {
            let (frame, place) = (Int64(stay) * 10_000, stay.isMultiple(of: 2) ? Self.place : other)
            log.take(Self.event(.passStarted, frame, 0), in: place, at: noon(0))
            // The store refuses one open entry after another.
            if stay.isMultiple(of: 10) {
                _ = log.beginWriting()
                log.noteFailure()
            }
            log.take(Self.event(.passEnded, frame + 10_000, 10_000), in: place, at: noon(0))
        }
        log.end()
        let entries = log.unwritten.map(\.entry)
        #expect(entries.count == WaitingEntries.most && log.lostCount == 0)
        for id in [1, 2] {
            let own = entries.filter { $0.sectionID == id }
            #expect(own.reduce(0) { $0 + $1.passes } == stays / 2)
            #expect(own.reduce(0) { $0 + $1.seconds } == 5 * Double(stays))
        }
    }

    @Test("an entry that may have a row in the store is never part of another entry")
    func writtenStays() {
        var log = PracticeLogState(key: recording().key, sampleRate: 1000, calendar: .utc)
        let stays = WaitingEntries.most
        for stay in 0...stays {
            let place = PracticeLogState.Place(
                sectionID: stay % stays, name: "", frames: 0..<1, clipFrames: 0..<10_000)
            let frame = Int64(stay) * 10_000
            log.take(Self.event(.passStarted, frame, 0), in: place, at: noon(0))
            log.take(Self.event(.passEnded, frame + 10_000, 10_000), in: place, at: noon(0))
            // The last stay is in the section of the first, and is being written at its end.
            if stay == stays { _ = log.beginWriting() }
        }
        log.end()
        let entries = log.unwritten.map(\.entry)
        #expect(entries.map(\.sectionID) == (1..<stays).map { $0 } + [0] && entries.allSatisfy { $0.passes == 1 })
        #expect(log.lostCount == 1)
    }

    @Test("a session is logged at the end of each section, and completely at its own end")
    func session() async throws {
        let plan = SessionPlan(
            PracticePlan(
                sections: [try Section(0..<16_000, name: "A"), try Section(16_000..<28_000, name: "B")],
                passes: .count(2)),
            savedIDs: [1, nil])
        let recording = PracticeRecording(key: recording().key, sampleRate: 8000, frameCount: 32_000)
        try store.apply(.add([SectionDraft(0..<16_000, name: "A")]), to: recording)
        let harness = try LoggedHarness(plan: plan, recording, store)
        harness.play(40_000)
        await harness.waitUntil { try store.practiceLog().first?.passes == 2 }
        // The range is saved during its practice.
        try store.apply(.add([SectionDraft(16_000..<28_000, name: "B")]), to: recording)
        harness.play(24_000)
        await harness.waitUntil { harness.log.finish(seconds: 0) }
        let log = try store.practiceLog()
        try #require(log.count == 2)
        #expect(log.map(\.sectionID) == [1, 2] && log.map(\.name) == ["A", "B"] && log.map(\.passes) == [2, 2])
        // The log reads the player's state, which is ahead of the player's events here: a second may count for either
        // of the two.
        #expect(
            log.reduce(0) { $0 + $1.seconds } == 7
                && log.allSatisfy { $0.speeds == .init(lowest: 1, highest: 1, last: 1) })
        #expect(log[1].frames == 16_000..<28_000 && harness.failures.withLock { $0 } == 0)
    }

    @Test("a log that is ended is written although the player's events do not end")
    func abandoned() async throws {
        let plan = SessionPlan(PracticePlan(sections: [try Section(0..<32_000)], passes: .count(1)))
        let recording = PracticeRecording(key: recording().key, sampleRate: 8000, frameCount: 32_000)
        let harness = try LoggedHarness(plan: plan, recording, store)
        harness.play(20_000)
        // Events come in a thread of their own.
        await harness.waitUntil { try store.practiceLog().count == 1 }
        harness.log.end()
        await harness.waitUntil { harness.log.finish(seconds: 0) }
        #expect(try store.practiceLog().count == 1)
    }

    @Test("a failing store is reported once, and the practice is logged when the store works again")
    func failing() async throws {
        let path = scratch.file("practice.db")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let plan = SessionPlan(
            PracticePlan(sections: [try Section(0..<16_000), try Section(16_000..<32_000)], passes: .count(1)))
        let recording = PracticeRecording(key: recording().key, sampleRate: 8000, frameCount: 32_000)
        let harness = try LoggedHarness(plan: plan, recording, store)
        harness.play(20_000)
        await harness.waitUntil { harness.failures.withLock { $0 } == 1 }
        harness.play(8000)
        try FileManager.default.removeItem(atPath: path)
        harness.play(8000)
        await harness.waitUntil { harness.log.finish(seconds: 0) }
        #expect(try store.practiceLog().reduce(0) { $0 + $1.seconds } == 4 && harness.failures.withLock { $0 } == 1)
    }

    @Test("passes are counted while the log waits for the disk, so no event waits with the log")
    func standingDisk() async throws {
        let path = scratch.file("practice.db")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let plan = SessionPlan(PracticePlan(sections: [try Section(0..<16_000)], passes: .count(2)))
        let recording = PracticeRecording(key: recording().key, sampleRate: 8000, frameCount: 32_000)
        let isReleased = Atomic(false)
        let harness = try LoggedHarness(plan: plan, recording, store) {
            standStill { isReleased.load(ordering: .acquiring) }
        }
        harness.play(12_000)
        await harness.waitUntil { harness.failures.withLock { $0 } == 1 }
        harness.play(8000)
        await harness.waitUntil { harness.log.speeds?.last == 1 }
        isReleased.store(true, ordering: .releasing)
        harness.log.end()
        await harness.waitUntil { harness.log.finish(seconds: 0) }
    }

    @Test("entries lost for a store that always fails are counted, and reported at the end")
    func lost() async throws {
        let path = scratch.file("practice.db")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let count = WaitingEntries.most + 100
        let sections = try (0..<Int64(count)).map { try Section($0 * 16..<$0 * 16 + 16) }
        let plan = SessionPlan(PracticePlan(sections: sections, passes: .count(1)))
        let recording = PracticeRecording(key: recording().key, sampleRate: 8000, frameCount: 32_000)
        let harness = try LoggedHarness(plan: plan, recording, store)
        harness.play(16 * count + 8000)
        await harness.waitUntil { harness.failures.withLock { $0 } == 2 }
        #expect(harness.failures.last?.message.contains("lost 100 entries") == true)
    }

    @Test("a log that is killed at any moment has every acknowledged entry", .enabled(if: !Sanitizers.watchThreads))
    func kills() async throws {
        var generator = SeededGenerator(printedFor: "killed logs")
        let path = scratch.file("practice.db")
        var done = 0
        for round in 0..<cases(8, few: 2) {
            let microseconds = UInt32.random(in: 0...20_000, using: &generator)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, microseconds = microseconds as UInt32] in
                let report = unsafe open(path + ".report", O_RDWR | O_CREAT, 0o600)
                let store = try PracticeStore(.file(path))
                var told = try store.practiceLog().count
                unsafe pwrite(report, &told, 8, 0)
                Thread.detachNewThread {
                    usleep(microseconds)
                    raise(SIGKILL)
                }
                for number in told..<told + 100_000 {
                    let entry = PracticeEntry(
                        key: recording().key, frames: 0..<10, began: Int64(number), ended: 0, seconds: 1)
                    let row = try store.log(entry, of: recording())
                    try store.log(entry, replacing: row, of: recording())
                    told = number + 1
                    unsafe pwrite(report, &told, 8, 0)
                }
                // The killer may come later than all edits.
                sleep(120)
            }
            let report = FileManager.default.contents(atPath: path + ".report") ?? Data()
            let told = report.count < 8 ? 0 : unsafe report.withUnsafeBytes { unsafe $0.loadUnaligned(as: Int.self) }
            let entries = try store.practiceLog()
            #expect(entries.map(\.began) == (0..<Int64(entries.count)).map { $0 }, "round \(round)")
            #expect((told...told + 1).contains(entries.count) && entries.count >= done && store.repair == nil)
            done = entries.count
        }
    }
}

/// A session with a practice log.
private final class LoggedHarness {
    let harness: SessionHarness
    let log: PracticeLog
    let failures: FailureCount

    final class FailureCount: Sendable {
        private let errors = Mutex<[StoreError]>([])
        func add(_ error: StoreError) { errors.withLock { $0.append(error) } }
        func withLock<Value>(_ body: (Int) -> Value) -> Value { body(errors.withLock { $0.count }) }
        var last: StoreError? { errors.withLock { $0.last } }
    }

    /// - Parameter failed: Called on the log's thread after a failure was counted.
    init(
        plan: SessionPlan, _ recording: PracticeRecording, _ store: PracticeStore,
        failed: @escaping @Sendable () -> Void = {}
    ) throws {
        let failures = FailureCount()
        self.failures = failures
        var log: PracticeLog?
        harness = try SessionHarness([Float](repeating: 0, count: 32_000), rate: 8000, plan: plan) { session in
            log = PracticeLog(
                of: session, recording, in: store, calendar: .utc, milliseconds: 50, now: { noon(0) },
                failed: {
                    failures.add($0)
                    failed()
                })
        }
        guard let log else { throw Missing() }
        self.log = log
    }

    private struct Missing: Error {}

    func play(_ frames: Int) { harness.play(frames) }

    /// Waits without blocking a thread that events need.
    func waitUntil(_ isDone: () throws -> Bool) async {
        #expect(await eventuallySuspended { (try? isDone()) == true })
    }
}
