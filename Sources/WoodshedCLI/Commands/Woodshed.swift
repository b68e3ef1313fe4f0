// The root of the command tree, and the output of `woodshed` without arguments.
import ArgumentParser

/// A verb that runs after its arguments are parsed. Parsing and running are separate, so only errors in the arguments
/// are followed by a hint to the help.
protocol Verb: ParsableCommand {
    mutating func perform() throws
}

struct Woodshed: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "woodshed",
        abstract: "Practise a recording section by section, at any speed, without changing its pitch.",
        discussion: """
            EXAMPLES
              woodshed demo                                    try it now, no files needed
              woodshed play song.mp3 --speed 80%               play a file
              woodshed practice song.mp3 --section 1:20-1:45 -n 5 --speed 70%
              woodshed render song.mp3 --section 1:20-1:45 -n 5 --speed 70% -o loop.wav

            Every verb takes --log-level, which writes a log: debug, or a level for each area, as in \
            audio:debug,sql:trace. --log-file FILE names the file of the log. The variables WOODSHED_LOG and \
            WOODSHED_LOG_FILE do the same.
            """,
        version: CommandLineTool.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Practice",
                subcommands: [
                    PracticeCommand.self, Play.self, SectionsCommand.self, Render.self, NextCommand.self,
                    StatsCommand.self, Demo.self,
                ]),
            CommandGroup(name: "Recording", subcommands: [Record.self, TakesCommand.self, CompareCommand.self]),
            CommandGroup(name: "Inspection", subcommands: [Info.self, Measure.self, WaveformCommand.self]),
            CommandGroup(
                name: "Library",
                subcommands: [
                    GetCommand.self, AddCommand.self, ListCommand.self, RecentCommand.self, EditCommand.self,
                    RemoveCommand.self, AttachCommand.self, OpenCommand.self, PlaylistCommand.self,
                    StorageCommand.self, CleanCommand.self, LibraryCommand.self,
                ]),
            CommandGroup(
                name: "System",
                subcommands: [
                    CtlCommand.self, Devices.self, Doctor.self, Calibrate.self, Bench.self, ConfigCommand.self,
                ]),
        ])

    /// The names of all verbs, in the order of the help. `subcommands` flattens the groups.
    static let verbs = configuration.subcommands.compactMap { $0.configuration.commandName }
}

/// The output of `woodshed` without arguments: a summary of the program, and first commands to type.
enum Introduction {
    static let text = """
        woodshed - practise a recording section by section, slowly, then faster

          woodshed demo                         try it now, no files needed
          woodshed play song.mp3                play a recording
          woodshed practice song.mp3 --section 1:20-1:45 -n 5 --speed 70%
                                        loop a passage five times, slowed, at its pitch
          woodshed practice song.mp3 --section 1:20-1:45 --ramp 60%:100%:5% --gap 1.0x
                                        faster with every pass, with time to answer
          woodshed render song.mp3 --section 1:20-1:45 -n 5 --speed 70% -o loop.wav
                                        the same as a file

        Verbs:    practice play sections render next stats demo
                  record takes compare
                  info measure waveform
                  get add list recent edit rm attach open playlist storage clean library
                  ctl devices doctor calibrate bench config
        Help:     woodshed help VERB
        Problems: woodshed doctor

        """
}
