// The executable `woodshed`. The code of the command lives in WoodshedCLI, within reach of tests.
import Explanations
import Glibc
import Terminal
import Woodshed
import WoodshedCLI

StandardStream.holdPlaces()
let arguments = Array(ProgramArguments.all().dropFirst())
// Scripts and package tools ask for the version often. This optimised code answers `--version` before any setup.
if arguments == ["--version"] {
    exit(CommandLineTool.report { try StandardStream.output.line(woodshedVersion) }.rawValue)
}
CommandLineTool.run(arguments)
