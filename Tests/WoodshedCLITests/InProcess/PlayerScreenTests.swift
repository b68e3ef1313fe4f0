// The screen of a session, at each size of the terminal.
import Terminal
import TestSupport
import Testing
import WoodshedLibrary
import WoodshedPractice

@testable import WoodshedCLI

@Suite("The screen while a recording plays")
struct PlayerScreenTests {
    private let folder = TestFolder()

    /// States of a session in which the test reads the screen.
    enum Moment: String, CaseIterable {
        case playing, paused, loop
    }

    private static let names = [
        "Intro", "Verse, the first", "Chorus", "", "日本語のとても長い名前のところ", "Bridge with a name that does not fit anywhere",
        "Solo", "Verse, the second", "Chorus", "Coda", "Outro", "The end",
    ]

    /// Two minutes with a section every ten seconds, or with other sections.
    private func session(_ others: [Section]? = nil) throws -> PracticeSession {
        let rate = 8000
        let path = folder.write("The long way home.wav", Wave.ramp(frames: 120 * rate, channels: 1, rate: rate))
        let listening = try Listening(
            path: path, output: OutputDevice(parsing: "null"),
            request: { rate, channels in
                try StreamRequest(
                    sampleRate: rate, channelCount: channels, periodFrames: 256, periodCount: 3, clock: .virtual,
                    realtimePriority: nil, isExclusive: false)
            },
            plan: { clip in
                let second = Int64(clip.sampleRate)
                let sections =
                    try others
                    ?? Self.names.enumerated().map { index, name in
                        let start = Int64(index) * 10 * second
                        return try Section(
                            start..<start + 8 * second + Int64(index) * 1000, name: name.isEmpty ? nil : name)
                    }
                return SessionPlan(
                    PracticePlan(sections: sections), savedIDs: sections.indices.map { $0 + 1 }, firstSection: 3)
            })
        return listening.session
    }

    private func traits(_ glyphs: Glyphs, colour: Bool = false) -> TerminalTraits {
        let environment = ["LANG": glyphs == .unicode ? "C.UTF-8" : "C", "NO_COLOR": colour ? "" : "1"]
        return TerminalTraits(
            environment: { environment[$0] }, standardErrorIsTerminal: true, standardInputIsTerminal: true,
            plain: false)
    }

    private func lines(
        _ size: TerminalSize, _ moment: Moment, _ glyphs: Glyphs = .unicode, colour: Bool = false
    ) throws -> [String] {
        let session = try session()
        if moment == .loop { try session.loop(160_500..<190_000) }
        let screen = PlayerScreen(
            session, title: "The long way home.wav", traits: traits(glyphs, colour: colour), hasList: true,
            showsWaveform: true)
        let view = StatusView(
            title: "The long way home.wav", state: moment == .paused ? .paused : .playing,
            part: moment == .loop ? .section(1, of: 1, pass: 2, passes: nil) : .section(3, of: 12, pass: 2, passes: 5),
            speed: 0.7, position: 22.5, length: 120, peakDecibels: -9.4)
        #expect(eventually { screen.isWaveformReady })
        return screen.lines(
            view, pauseReason: moment == .paused ? .deviceLost : nil, hardIDs: [2, 3], size)
    }

    static let terminals = [
        TerminalSize(columns: 40, rows: 12), TerminalSize(columns: 80, rows: 24), TerminalSize(columns: 200, rows: 60),
    ]

    @Test(
        "the screen while playing has the approved lines at 40 by 12, 80 by 24 and 200 by 60",
        arguments: terminals, Moment.allCases)
    func golden(size: TerminalSize, moment: Moment) throws {
        let lines = try lines(size, moment)
        try GoldenFile(name: "screen \(size.columns) \(moment)").compare(with: lines.joined(separator: "\n") + "\n")
    }

    @Test("the chosen section is marked and in view, and named on the last line without a list")
    func choice() throws {
        let screen = PlayerScreen(
            try session(), title: "The long way home.wav", traits: traits(.unicode), hasList: true, showsWaveform: false
        )
        let view = StatusView(
            title: "", state: .playing, part: .section(3, of: 12, pass: 1, passes: 5), speed: 1, position: 22,
            length: 120, peakDecibels: -9)
        func lines(_ size: TerminalSize) -> [String] { screen.lines(view, pauseReason: nil, hardIDs: [], size) }
        let size = TerminalSize(columns: 60, rows: 12)
        screen.toggleList()
        #expect(lines(size).contains { $0.hasPrefix("▶›") && $0.contains("Chorus") })
        #expect(screen.choose(.last, size) == .goesOn && screen.choiceWords == "list: 12 of 12, The end")
        #expect(lines(size).contains { $0.hasPrefix(" ›12") } && !lines(size).contains { $0.contains("Intro") })
        #expect(lines(TerminalSize(columns: 60, rows: 6)).last == "list: 12 of 12, The end")
        #expect(
            screen.choose(.pageUp, size) == .goesOn && screen.choose(.play, size) == .play(12 - lines(size).count + 2))
        #expect(screen.chooser == nil && screen.choose(.up, size) == nil && screen.choiceWords == nil)
    }

    @Test("a redraw makes only the visible rows of thousands of sections", .enabled(if: HeapTraffic.isCounted))
    func manySections() throws {
        let sections = try (0..<5000).map { try Section(190 * $0..<190 * $0 + 100, name: "Phrase \($0)") }
        let screen = PlayerScreen(
            try session(sections), title: "The long way home.wav", traits: traits(.unicode), hasList: true,
            showsWaveform: true)
        #expect(eventually { screen.isWaveformReady })
        let view = StatusView(
            title: "", state: .playing, part: .section(3, of: 5000, pass: 1, passes: 5), speed: 1, position: 0.05,
            length: 120, peakDecibels: -9)
        let size = TerminalSize(columns: 80, rows: 24)
        func redraw() -> [String] { screen.lines(view, pauseReason: nil, hardIDs: [2], size) }
        #expect(redraw().contains { $0.hasPrefix("▶") && $0.contains("Phrase 2") })
        // A single copy of the list has several hundred kilobytes.
        #expect(HeapTraffic.measure { _ = redraw() }.bytes < 1 << 17)
    }

    @Test("the screen is ASCII without UTF-8, and the playing section is bold with colour")
    func otherTerminals() throws {
        let size = TerminalSize(columns: 80, rows: 24)
        let ascii = try lines(size, .playing, .ascii)
        try GoldenFile(name: "screen 80 ascii").compare(with: ascii.joined(separator: "\n") + "\n")
        let drawn = ascii.filter { !$0.contains("日") }.joined()
        #expect(drawn.utf8.allSatisfy { $0 < 0x80 })
        #expect(try lines(size, .playing, colour: true).contains { $0.hasPrefix("\u{1B}[1m▶") })
    }

    @Test("the screen fits every terminal, with the playing section in view and the status last")
    func everySize() throws {
        let session = try session()
        let screen = PlayerScreen(
            session, title: "The long way home.wav", traits: traits(.unicode), hasList: true, showsWaveform: true)
        #expect(eventually { screen.isWaveformReady })
        let view = StatusView(
            title: "The long way home.wav", state: .playing, part: .section(1, of: 12, pass: 1, passes: nil), speed: 1,
            position: 2, length: 120)
        var paused = view
        paused.state = .paused
        for columns in [0, 1, 19, 20, 21, 30, 39, 40, 41, 64, 80, 120, 200, 300] {
            for rows in 1...70 {
                let size = TerminalSize(columns: columns, rows: rows)
                let still = screen.lines(paused, pauseReason: .deviceSuspended, hardIDs: [], size)
                #expect(still.allSatisfy { displayWidth($0) <= max(0, columns - 1) }, "\(columns) by \(rows)")
                let lines = screen.lines(view, pauseReason: nil, hardIDs: [1], size)
                #expect(lines.count <= max(1, rows - 1), "\(columns) by \(rows)")
                #expect(lines.allSatisfy { displayWidth($0) <= max(0, columns - 1) }, "\(columns) by \(rows)")
                guard columns >= 20 else { continue }
                #expect(lines.last?.contains("0:02.0") == true)
                if rows >= 12 {
                    #expect(lines.contains { $0.hasPrefix("▶") && $0.contains("3  Chorus") }, "\(columns) by \(rows)")
                }
            }
        }
        screen.isFolded = true
        #expect(screen.lines(view, pauseReason: nil, hardIDs: [], TerminalSize(columns: 80, rows: 24)).count == 1)
    }
}
