// `woodshed bench stretch`: measures the time of every block `practice` would play, on the same render path.
import ArgumentParser
@_spi(Benchmarks) import Engine
import JSON
import Terminal
import Woodshed

struct BenchStretch: Verb {
    static let configuration = CommandConfiguration(
        commandName: "stretch",
        abstract: "Measure the render time of each block that practice would play.",
        discussion: """
            EXAMPLES
              woodshed bench stretch song.mp3 --speed 75%
              woodshed bench stretch song.mp3 --section 1:20-1:45 -n 5 --period 256
              woodshed bench stretch song.mp3 --speed 75% --json

            Times are processor time of the render thread. Decoding and analysis come first and are not counted. The \
            result is the median run.
            """)

    @Argument(help: "The file of a recording.", completion: .file())
    var file: String

    @OptionGroup var plan: PlanOptions

    @Option(
        name: .long, parsing: .unconditional, help: "Frames per block, 1 to 8192. (default: 64)",
        transform: { try boundedInteger($0, in: 1...8192) })
    var period = 64

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Stop after this many seconds of sound, 1 to 3600. (default: 60)", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...3600) })
    var seconds = 60

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Number of runs, 1 to 99. (default: 3)", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...99) })
    var runs = 3

    @Flag(name: .long, help: "Write one JSON object to standard output.")
    var json = false

    /// Limit on the number of blocks. More would need gigabytes for their times; only blocks of a few frames reach this
    /// limit.
    private static let maximumBlocks: Int64 = 4_000_000

    func perform() throws {
        let clip = try Listening.loadForPlaying(file)
        let score = try Listening.score(clip, plan: { try plan.plan(for: Timeline($0)) })
        let longest = min(Int64(seconds) * Int64(clip.sampleRate), Self.maximumBlocks * Int64(period))
        var trials: [RenderTrial] = []
        for run in 1...runs {
            trials.append(
                try RenderTrial(
                    clip, score: score, periodFrames: period, maximumFrames: longest, watchesHeap: run == runs))
        }
        let touchesHeap = trials.last?.touchesHeap
        trials.sort { $0.p999Microseconds < $1.p999Microseconds }
        let trial = trials[runs / 2]
        let sheet = BenchSheet(
            file: file, clip: clip, plan: score.plan, runs: runs, trial: trial, touchesHeap: touchesHeap)
        if json { return try StandardStream.output.line(sheet.json.text) }
        try StandardStream.output.write(sheet.text)
    }
}
