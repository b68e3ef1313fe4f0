// `woodshed bench`: measures how fast this computer is. Plays and writes nothing.
import ArgumentParser

struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure the processor time that playback needs.",
        discussion: """
            EXAMPLES
              woodshed bench stretch song.mp3 --speed 75%
              woodshed bench stretch song.mp3 --speed 50% --json

            Nothing is played and nothing is written.
            """,
        subcommands: [BenchStretch.self])
}
