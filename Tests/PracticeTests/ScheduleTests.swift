// Due days of sections: the arithmetic, compared with py-fsrs, and the reviews in a store.
import AudioFiles
import Foundation
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Practice
@testable import Store

/// Noon at Greenwich, some days after the first of January 2026.
func noon(_ day: Int, hour: Int = 12) -> Int64 { 1_767_225_600 + Int64(day) * 86_400 + Int64(hour) * 3600 }

@Suite("Schedule")
struct ScheduleTests {
    private let scratch: Scratch
    private let store: PracticeStore

    init() throws {
        scratch = try Scratch()
        store = try PracticeStore(.file(scratch.file("practice.db")))
    }

    @Test("FSRS-6 gives the stabilities, difficulties and intervals of py-fsrs for 400 random sequences")
    func reference() throws {
        let path = #filePath.replacing("ScheduleTests.swift", with: "Schedules/fsrs-6.csv")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
        var (sequence, state, sameDay): (String, MemoryState?, Int) = ("", nil, 0)
        for line in lines {
            let cells = line.split(separator: ",").map(String.init)
            let days = try #require(parsed(cells[1], as: Int.self))
            let rating = try #require(parsed(cells[2]).flatMap(ReviewRating.init(rawValue:)))
            if cells[0] != sequence { (sequence, state) = (cells[0], nil) }
            if state != nil, days == 0 { sameDay += 1 }
            let next = state?.rated(rating, afterDays: days) ?? MemoryState(first: rating)
            let (stability, difficulty) = (
                try #require(parsed(cells[3], as: Double.self)), try #require(parsed(cells[4], as: Double.self))
            )
            #expect(abs(next.stability - stability) <= 1e-9 * stability, "\(line)")
            #expect(abs(next.difficulty - difficulty) <= 1e-9 * difficulty, "\(line)")
            #expect(next.intervalDays == parsed(cells[5]), "\(line)")
            state = next
        }
        #expect(lines.count > 2000 && sameDay > 300)
    }

    @Test("retrievability is 1 at once, and 90 % when the section is due")
    func forgetting() {
        let state = MemoryState(stability: 20, difficulty: 5)
        #expect(state.retrievability(afterDays: 0) == 1 && state.retrievability(afterDays: -3) == 1)
        #expect(abs(state.retrievability(afterDays: 20) - 0.9) < 1e-12 && state.intervalDays == 20)
        #expect(state.retrievability(afterDays: 21) < 0.9 && state.retrievability(afterDays: 36_500) > 0)
        #expect(MemoryState(stability: 0, difficulty: 99) == MemoryState(stability: 0.001, difficulty: 10))
        #expect(MemoryState(stability: 1e9, difficulty: 1).intervalDays == 36_500)
    }

    @Test(
        "the first rating schedules a section, due from the start of its day, the most overdue first"
    )
    func due() throws {
        try store.apply(.add([SectionDraft(0..<10, name: "A"), SectionDraft(10..<20, name: "B")]), to: recording())
        try store.apply(.add([SectionDraft(0..<10, name: "C")]), to: recording(2))
        #expect(try store.schedule(at: noon(0), calendar: .utc).isEmpty)
        let first = try store.review(section: 1, of: recording(), .good, at: noon(0, hour: 22), calendar: .utc)
        #expect(first.before == nil && first.intervalDays == 2 && first.after == MemoryState(first: .good))
        try store.review(section: 2, of: recording(), .again, at: noon(0), calendar: .utc)
        try store.review(section: 1, of: recording(2), .easy, at: noon(0), calendar: .utc)
        func due(_ day: Int, _ hour: Int = 12) throws -> [String] {
            try store.due(at: noon(day, hour: hour), calendar: .utc).map(\.section.name)
        }
        #expect(try due(0) == [] && due(0, 23) == [] && due(1, 0) == ["B"] && due(2, 0) == ["B", "A"])
        #expect(
            try due(8) == ["B", "A", "C"] && store.due(at: noon(8), of: recording(2).key, calendar: .utc).count == 1)
        let all = try store.schedule(at: noon(2), calendar: .utc)
        #expect(all.map(\.overdueDays) == [1, 0, -6] && all.map(\.isDue) == [true, true, false])
        #expect(all[1].number == 1 && all[1].reviewCount == 1 && all[1].recording == recording())
        // Less than a day later by the clock, but on the next day.
        let second = try store.review(section: 1, of: recording(), .good, at: noon(1, hour: 8), calendar: .utc)
        #expect(second.after == first.after.rated(.good, afterDays: 1) && second.before == first.after)
        #expect(try store.reviews(of: recording().key).count == 3 && store.reviews().count == 4)
    }

    @Test("a section counts as replaced while another recording was seen later in its file")
    func replaced() throws {
        func changed(_ number: UInt64) -> PracticeRecording {
            PracticeRecording(
                key: RecordingKey(high: number, low: 0), sampleRate: 44_100, frameCount: 1000, title: "", path: "/a.wav"
            )
        }
        for number in [1, 2, 3] as [UInt64] {
            try store.apply(.add([SectionDraft(0..<10, name: "A")]), to: changed(number))
            try store.review(section: 1, of: changed(number), .good, at: noon(0), calendar: .utc)
        }
        try store.apply(.mark(frame: 5), to: recording())
        try store.review(section: 1, of: recording(), .good, at: noon(0), calendar: .utc)
        func replaced() throws -> [UInt64] {
            try store.schedule(at: noon(9), calendar: .utc).filter(\.isReplaced).map(\.recording.key.high).sorted()
        }
        // Recordings seen in the same second are ordered by their sightings. A file may be restored within the second.
        #expect(try replaced() == [1, 2])
        try store.see(changed(1))
        #expect(try replaced() == [2, 3])
        #expect(try store.recordings(inFileAt: "/a.wav").map(\.recording.key.high) == [1, 3, 2])
        try store.see(changed(3))
        #expect(try replaced() == [1, 2])
        #expect(try store.due(at: noon(9), of: changed(1).key, calendar: .utc).map(\.isReplaced) == [true])
    }

    @Test("a review keeps its evidence, or has the speed of the day's fastest whole pass")
    func evidence() throws {
        try store.apply(.add([SectionDraft(0..<10, name: "A")]), to: recording())
        var evidence = ReviewEvidence(speed: 0.75)
        (evidence.offsetSeconds, evidence.pitchCents) = (0.012, 31.5)
        let one = try store.review(section: 1, of: recording(), .hard, at: noon(0), evidence: evidence, calendar: .utc)
        #expect(one.evidence == evidence)
        for (hour, speed) in [(1, 0.8), (2, 0.9), (3, 0.7)] {
            let entry = PracticeEntry(
                key: recording().key, sectionID: 1, frames: 0..<10, began: noon(1, hour: hour),
                ended: noon(1, hour: hour),
                seconds: 1, passes: 1, speeds: .init(lowest: speed, highest: speed, last: speed))
            try store.log(entry, of: recording())
        }
        try store.review(section: 1, of: recording(), .good, at: noon(1, hour: 20), calendar: .utc)
        try store.review(section: 1, of: recording(), .good, at: noon(3), calendar: .utc)
        let kept = try PracticeStore(.file(scratch.file("practice.db"))).reviews()
        #expect(kept.map(\.evidence) == [evidence, ReviewEvidence(speed: 0.9), ReviewEvidence()])
        #expect(kept[0] == one && kept.map(\.rating) == [.hard, .good, .good])
        #expect(try store.schedule(at: noon(3), calendar: .utc)[0].lastSpeed == 0.7)
    }

    @Test(
        "a section keeps its reviews through renames, moves, joins and removals"
    )
    func changes() throws {
        let one = recording()
        try store.apply(.add([SectionDraft(0..<10, name: "A"), SectionDraft(10..<20, name: "B")]), to: one)
        for id in 1...2 { try store.review(section: id, of: one, .good, at: noon(0), calendar: .utc) }
        func due() throws -> [Int] { try store.due(at: noon(9), calendar: .utc).map(\.section.id) }
        try store.apply(.rename(id: 1, name: "Solo"), to: one)
        try store.apply(.move(id: 1, frames: 2..<10), to: one)
        #expect(try due() == [1, 2] && store.due(at: noon(9), calendar: .utc)[0].section.name == "Solo")
        try store.apply(.remove(ids: [1]), to: one)
        #expect(try due() == [2] && store.reviews().count == 2)
        #expect(throws: SectionError.self) { try store.review(section: 1, of: one, .good, at: noon(9)) }
        try store.undo(one.key)
        #expect(try due() == [1, 2])
        try store.apply(.join(ids: [1, 2]), to: one)
        #expect(try due() == [1] && store.reviews().map(\.sectionID) == [1, 2])
        // The recording under another name, and with another title, is found by its key.
        let moved = PracticeRecording(
            key: one.key, sampleRate: one.sampleRate, frameCount: one.frameCount, title: "New", path: "/new.flac")
        try store.review(section: 1, of: moved, .easy, at: noon(9), calendar: .utc)
        #expect(try store.schedule(at: noon(9), calendar: .utc)[0].recording == moved)
        #expect(try store.schedule(at: noon(9), calendar: .utc)[0].reviewCount == 2)
    }

    @Test("rating an unknown section makes no store, and marks of a file become sections")
    func unknown() throws {
        #expect(throws: SectionError.self) { try store.review(section: 1, of: recording(), .good, at: noon(0)) }
        #expect(try store.due(at: noon(0)).isEmpty && store.reviews().isEmpty && scratch.names.isEmpty)
        var marked = recording()
        marked.fileSections = [SectionDraft(0..<10, name: "Chapter", kind: .part)]
        try store.review(section: 1, of: marked, .good, at: noon(0), calendar: .utc)
        #expect(try store.due(at: noon(5), calendar: .utc).map(\.section.name) == ["Chapter"])
        #expect(try store.history(of: marked.key).undo == "took over the sections of the file")
    }

    @Test(
        "two processes that rate at once lose no review, and compute none from an old one",
        .enabled(if: !Sanitizers.watchThreads))
    func twoProcesses() async throws {
        let path = scratch.file("practice.db")
        try store.apply(.add([SectionDraft(0..<10, name: "A")]), to: recording())
        let count = cases(20, few: 5)
        await withTaskGroup { group in
            for writer in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [path = path as String, writer = writer as Int, count = count as Int] in
                        // A busy machine may delay the other process while this process holds the store.
                        let store = try PracticeStore(.file(path), schema: .current, busyTimeout: 120_000)
                        for number in 0..<count {
                            try store.review(
                                section: 1, of: recording(), writer == 0 ? .good : .hard, at: noon(number),
                                calendar: .utc)
                        }
                        exit(0)
                    }
                }
            }
        }
        let reviews = try store.reviews()
        #expect(reviews.count == 2 * count && reviews.count { $0.rating == .hard } == count)
        #expect(zip(reviews, reviews.dropFirst()).allSatisfy { $1.before == $0.after })
    }
}
