// `woodshed stats`: reports practised sections, with times, counts and speeds.
import ArgumentParser
import Files
import Glibc
import JSON
import Terminal
import WoodshedLibrary

struct StatsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show practice statistics: days, minutes, the speed of each section.",
        discussion: """
            EXAMPLES
              woodshed stats              all recordings
              woodshed stats song.mp3     one recording
              woodshed stats --weeks 26 --json

            Only audible playing by `woodshed practice` counts: the time without pauses, and complete passes. A day \
            begins at midnight, local time. All data stays on this computer.
            """)

    @Argument(help: "Count only this recording.", completion: .file())
    var file: String?

    @Option(
        name: .long, parsing: .unconditional, help: .init("Show n weeks, 1 to 520. (default: 12)", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...520) })
    var weeks = 12

    @Option(
        name: [.customShort("n"), .customLong("most")], parsing: .unconditional,
        help: .init("List at most n sections. (default: 20)", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var most: Int?

    @Flag(name: .long, help: "Write one JSON object to standard output.")
    var json = false

    @Flag(name: [.short, .long], help: "Print no hints.")
    var quiet = false

    @Flag(name: .long, help: "Write words only, for screen readers and logs.")
    var plain = false

    func perform() throws {
        let now = Int64(time(nil))
        let kept = try file.map { try KeptRecording(file: $0) }
        let store = try kept?.store ?? PracticeStore(.user)
        let statistics = try store.statistics(of: kept?.recording.key, at: now)
        store.tellRepair()
        let view = StatisticsView(
            statistics: statistics, recordings: try Self.recordings(of: statistics, in: store), weeks: weeks,
            most: most, glyphs: TerminalTraits.current(plain: plain).glyphs,
            columns: StandardStream.output.isTerminal ? terminalSize().columns : nil,
            draws: StandardStream.output.isTerminal && TerminalTraits.current(plain: plain).drawsStatus)
        if json { return try StandardStream.output.line(view.json.text) }
        if statistics.days.isEmpty {
            if !quiet {
                StandardStream.error.note(
                    "Nothing was practised yet\(file.map { printable(" of " + fileName($0)) } ?? "").")
                StandardStream.error.note("next: woodshed practice \(file.map(shellPath) ?? "FILE")")
            }
            return
        }
        for line in view.lines { try StandardStream.output.line(line) }
    }

    /// Returns the recordings of the practised sections, with their current sections.
    private static func recordings(
        of statistics: PracticeStatistics, in store: PracticeStore
    ) throws -> [RecordingKey: StatisticsView.Known] {
        var known: [RecordingKey: StatisticsView.Known] = [:]
        let names = RecordingNames(store)
        for key in Set(statistics.sections.map(\.key)) {
            guard let recording = try store.recording(key)?.recording else { continue }
            known[key] = StatisticsView.Known(
                recording: recording, name: names.name(of: recording), list: try store.sections(of: key))
        }
        return known
    }
}
