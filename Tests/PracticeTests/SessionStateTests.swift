import Clips
import Testing

@testable import Engine
@testable import Practice

/// The rules of a session, without a player.
@Suite("Session state")
struct SessionStateTests {
    private func plan(_ ranges: [Range<Int64>], ids: [Int]) throws -> SessionPlan {
        SessionPlan(PracticePlan(sections: try ranges.map { try Section($0) }), savedIDs: ids)
    }

    private func event(_ kind: PlayerEvent.Kind, _ frame: Int64, _ section: Int) -> PlayerEvent {
        PlayerEvent(
            kind: kind, frame: frame, section: section, sectionFrames: 0..<1000, pass: 1, passes: 1, speed: 1,
            semitones: 0, clipFrame: 0, sound: .copy, isReversed: false)
    }

    // MARK: Sections

    @Test("a removed section keeps its place, with the passes so far, until another section is current")
    func removed() throws {
        let old = try plan([0..<1000, 4000..<5000, 8000..<9000], ids: [1, 2, 3])
        var sections = SessionSections(old)
        #expect(sections.go(to: 2) == true)
        let rest = [old.practice.sections[0], old.practice.sections[2]]
        let kept = sections.replace(by: rest, savedIDs: [1, 3], at: 4500, inPass: 2, isLooping: false)
        #expect(kept?.from == 2 && kept?.to == 2)
        #expect(sections.list.map { $0.savedID } == [1, nil, 3])
        #expect(sections.list[1].section.passes == .count(2) && sections.dropLeft() == nil)
        #expect(sections.go(to: 3) == true)
        let dropped = sections.dropLeft()
        #expect(dropped?.from == 3 && dropped?.to == 2)
        #expect(sections.list.map { $0.savedID } == [1, 3] && sections.savedID(of: sections.current) == 3)
    }

    @Test(
        "a split section goes on in the part with the position, or under a loop as the part with its identity",
        arguments: [false, true])
    func split(isLooping: Bool) throws {
        var sections = SessionSections(try plan([0..<4000, 4000..<8000], ids: [1, 2]))
        #expect(sections.go(to: 2) == true)
        let parts = try plan([0..<4000, 4000..<5200, 5200..<8000], ids: [1, 2, 3])
        let move = sections.replace(
            by: parts.practice.sections, savedIDs: parts.savedIDs, at: 6000, inPass: 1, isLooping: isLooping)
        #expect(move?.from == 2 && move?.to == (isLooping ? 2 : 3))
    }

    @Test("numbers outside of the sections lead nowhere", arguments: [Int.min, 0, 3, .max])
    func outside(number: Int) throws {
        var sections = SessionSections(try plan([0..<1000, 4000..<5000], ids: [1, 2]))
        #expect(!sections.go(to: number) && sections.current == 1)
        #expect(sections.range(of: number) == nil && sections.savedID(of: number) == nil)
    }

    // MARK: Reports of the player

    @Test("reports older than the last request announce nothing")
    func old() {
        var reports = PlayerReports()
        reports.sentFrame = 500
        reports.awaitedSection = 3
        #expect(reports.take(event(.moved, 499, 3), isOfPlan: true, current: 1, isLooping: false) == false)
        #expect(reports.take(event(.moved, 500, 2), isOfPlan: true, current: 1, isLooping: false) == false)
        #expect(reports.isPending)
        #expect(reports.take(event(.moved, 500, 3), isOfPlan: true, current: 1, isLooping: false) == true)
        #expect(!reports.isPending)
    }

    @Test("a section reached by a move is announced once, and again after its restart")
    func once() {
        var reports = PlayerReports()
        #expect(reports.take(event(.moved, 10, 2), isOfPlan: true, current: 1, isLooping: false) == true)
        #expect(reports.take(event(.sectionStarted, 10, 2), isOfPlan: true, current: 2, isLooping: false) == false)
        #expect(reports.take(event(.sectionStarted, 90, 2), isOfPlan: true, current: 2, isLooping: false) == true)
    }

    @Test("the current section is announced by a move only if the section was requested in a pause")
    func inPause() {
        var reports = PlayerReports()
        #expect(reports.take(event(.moved, 10, 1), isOfPlan: true, current: 1, isLooping: false) == false)
        #expect(reports.take(event(.paused(.user), 20, 1), isOfPlan: true, current: 1, isLooping: false) == false)
        reports.awaitedSection = 1
        #expect(reports.take(event(.moved, 30, 1), isOfPlan: true, current: 1, isLooping: false) == true)
    }

    @Test("old numbers are ignored until the move to the new sections, which a loop does not announce")
    func awaitedMove() {
        var reports = PlayerReports()
        reports.awaitsMove = true
        #expect(reports.take(event(.sectionStarted, 10, 2), isOfPlan: true, current: 1, isLooping: false) == false)
        #expect(reports.take(event(.moved, 20, 2), isOfPlan: false, current: 1, isLooping: false) == false)
        #expect(reports.awaitsMove)
        #expect(reports.take(event(.moved, 20, 2), isOfPlan: true, current: 1, isLooping: true) == false)
        #expect(!reports.awaitsMove)
    }

    // MARK: Loops of recent sound

    @Test("a loop of recent sound stays within the recording, and doubles up to 32 seconds while playing")
    func recentSound() throws {
        let clip = try Clip.inMemory([[Float](repeating: 0, count: 80_000)], sampleRate: 8000)
        var state = SessionState(clip: clip, plan: try plan([0..<80_000], ids: [1]))
        #expect(state.lastHeardSeconds().seconds == 4)
        state.loopHeard(3000..<5000, seconds: 4, least: 8000)
        #expect(state.marks.range == 0..<5000 && state.marks.isRunning)
        for seconds in [8.0, 16, 32, 32] {
            let (next, loop) = state.lastHeardSeconds()
            #expect(next == seconds && loop == 0..<5000)
            state.loopHeard(0..<5000, seconds: next, least: 8000)
        }
        state.marks.isRunning = false
        #expect(state.lastHeardSeconds().seconds == 4)
    }
}
