// `woodshed bench`: what this machine needs for the work, in figures. Measures; plays and writes nothing.
import ArgumentParser

struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure what this machine needs to play a recording.",
        discussion: """
            EXAMPLES
              woodshed bench stretch song.mp3 --speed 75%           what slowing down costs
              woodshed bench stretch song.mp3 --speed 50% --json    the same for a program

            Nothing is played and nothing is written.
            """,
        subcommands: [BenchStretch.self])
}
