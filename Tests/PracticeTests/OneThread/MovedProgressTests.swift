// Progress that moves with sections to a copy of the recording.
import AudioFiles
import Foundation
import Sections
import Testing

@testable import Practice
@testable import Store

@Suite("Progress of adopted sections")
struct MovedProgressTests {
    private let store: PracticeStore
    private let old = PracticeRecording(
        key: RecordingKey(high: 1, low: 1), sampleRate: 8000, frameCount: 80_000, title: "old")
    private let new = PracticeRecording(
        key: RecordingKey(high: 2, low: 2), sampleRate: 16_000, frameCount: 160_000, title: "new")
    private static let day: Int64 = 86_400
    private static let calendar = PracticeCalendar.utc
    private static let now: Int64 = 1_764_000_000

    init() throws { store = try PracticeStore(.memory) }

    /// Two sections, the second of which was rated twice and practised once.
    private func practise() throws -> RecognizedCopy {
        try store.apply(.add([SectionDraft(0..<800, name: "A"), SectionDraft(800..<1600, name: "B")]), to: old)
        for days in [9, 3] as [Int64] {
            try store.review(
                section: 2, of: old, .good, at: Self.now - days * Self.day, calendar: Self.calendar)
        }
        try store.log(
            PracticeEntry(
                key: old.key, sectionID: 2, name: "B", frames: 800..<1600, began: Self.now - 100, ended: Self.now - 90,
                seconds: 10, passes: 2, speeds: .init(lowest: 0.5, highest: 0.7, last: 0.6)), of: old)
        return RecognizedCopy(stored: try #require(try store.recording(old.key)), correlation: 1, seconds: 0)
    }

    private func due(_ recording: PracticeRecording) throws -> [String] {
        try store.schedule(at: Self.now, of: recording.key, calendar: Self.calendar).map {
            "\($0.section.name) \($0.reviewCount) \($0.lastSpeed ?? 0)"
        }
    }

    @Test("ratings and the log go with adopted sections, undo returns them, and redo moves them again")
    func follows() throws {
        let copy = try practise()
        let scheduled = try store.schedule(at: Self.now, calendar: Self.calendar)
        #expect(try due(old) == ["B 2 0.6"] && due(new).isEmpty)
        for step in 0..<3 {
            switch step {
            case 0: try store.adopt(copy, for: new)
            default: try store.redo(new.key)
            }
            #expect(try due(old).isEmpty && due(new) == ["B 2 0.6"])
            // The intervals continue unchanged.
            let moved = try store.schedule(at: Self.now, calendar: Self.calendar)
            #expect(
                moved.map(\.dueDay) == scheduled.map(\.dueDay)
                    && moved.first?.review.after == scheduled.first?.review.after)
            let entry = try #require(try store.practiceLog(of: new.key).first)
            #expect(entry.frames == 1600..<3200 && entry.seconds == 10 && entry.speeds?.highest == 0.7)
            #expect(try store.practiceLog(of: old.key).isEmpty && store.practiceLog().count == 1)
            try store.undo(new.key)
            #expect(try due(old) == ["B 2 0.6"] && due(new).isEmpty)
            #expect(try store.practiceLog(of: old.key).first?.frames == 800..<1600)
        }
    }

    @Test("takes go with adopted sections, in frames of the other file, and unrelated takes stay")
    func takes() throws {
        let copy = try practise()
        func take(_ name: String, _ section: Int?, _ frames: Range<Int64>) throws -> Int {
            let sound = StoredTake.Sound(time: 1, sampleRate: 8000, channelCount: 1, frameCount: 900)
            return try store.addTake(
                inFileAt: "/nowhere/\(name).wav", sound,
                model: .init(key: old.key, sectionID: section, sectionName: "B", frames: frames, pass: 2, start: -3.5),
                of: old
            ).number
        }
        // Takes of the whole section, of a range partly beside the section, and of a range that was never saved; the
        // last take is in the trash.
        let numbers = [
            try take("a", 2, 800..<1600), try take("b", 2, 700..<1500), try take("c", nil, 100..<200),
            try take("d", 2, 800..<1600),
        ]
        _ = try store.trash(takes: [numbers[3]])
        let before = try numbers.map { try #require(try store.take($0)).model }
        try store.adopt(copy, for: new)
        let id = try #require(try store.sections(of: new).sections.first { $0.name == "B" }?.id)
        let moved = try numbers.map { try #require(try store.take($0)?.model) }
        #expect(moved.map(\.frames) == [1600..<3200, 1400..<3000, 100..<200, 1600..<3200])
        #expect(moved.map(\.key) == [new.key, new.key, old.key, new.key])
        #expect(moved.map(\.sectionID) == [id, id, nil, id] && moved[0].start == -3.5 && moved[0].pass == 2)
        #expect(try store.takes(TakeFilter(key: new.key, sectionID: id)).map(\.number) == [numbers[1], numbers[0]])
        try store.undo(new.key)
        #expect(try numbers.map { try #require(try store.take($0)).model } == before)
        try store.redo(new.key)
        #expect(try numbers.map { try #require(try store.take($0)?.model) } == moved)
    }

    @Test("a later review belongs to the same row of reviews, also when the sections go back")
    func later() throws {
        try store.adopt(try practise(), for: new)
        let id = try #require(try store.sections(of: new).sections.first { $0.name == "B" }?.id)
        let review = try store.review(section: id, of: new, .easy, at: Self.now, calendar: Self.calendar)
        #expect(review.before != nil)
        #expect(try due(new) == ["B 3 0.6"])
        try store.undo(new.key)
        #expect(try due(old) == ["B 3 0.6"])
        #expect(try store.reviews().map(\.rating) == [.good, .good, .easy])
    }

    @Test("other edits and undo leave progress in place, and equal sections have one history")
    func others() throws {
        let copy = try practise()
        try store.adopt(copy, for: new)
        let id = try #require(try store.sections(of: new).sections.first { $0.name == "B" }?.id)
        try store.apply(.rename(id: id, name: "C"), to: new)
        try store.undo(new.key)
        #expect(try due(new) == ["B 2 0.6"])
        // A third recording takes the sections over from the second.
        let third = PracticeRecording(key: RecordingKey(high: 3, low: 3), sampleRate: 8000, frameCount: 80_000)
        try store.adopt(
            RecognizedCopy(stored: try #require(try store.recording(new.key)), correlation: 1, seconds: 0), for: third)
        #expect(try due(third) == ["B 2 0.6"] && due(new).isEmpty && due(old).isEmpty)
    }

    @Test("a comparison is kept with a review, and reported by the schedule and the statistics")
    func comparison() throws {
        _ = try practise()
        #expect(try store.statistics(at: Self.now).sections.first?.lastComparison == nil)
        var evidence = ReviewEvidence()
        #expect(!evidence.hasComparison)
        (evidence.offsetSeconds, evidence.spreadSeconds, evidence.lengthRatio) = (0.02, 0.01, 1.1)
        (evidence.pitchCents, evidence.energyDecibels) = (12, 2)
        try store.review(section: 2, of: old, .hard, at: Self.now, evidence: evidence, calendar: Self.calendar)
        let scheduled = try #require(try store.schedule(at: Self.now, calendar: Self.calendar).first)
        #expect(scheduled.review.evidence.hasComparison && scheduled.review.evidence.offsetSeconds == 0.02)
        // A later rating without a comparison does not remove the comparison.
        try store.review(section: 2, of: old, .good, at: Self.now, calendar: Self.calendar)
        #expect(try store.statistics(at: Self.now).sections.first?.lastComparison?.energyDecibels == 2)
    }
}
