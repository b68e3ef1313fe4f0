// The executable `woodshed`: what it does lives in WoodshedCLI, where tests can reach it.
import Explanations
import Glibc
import Terminal
import Woodshed
import WoodshedCLI

StandardStream.holdPlaces()
let arguments = Array(ProgramArguments.all().dropFirst())
// Scripts and package tools ask for the version often, so it is answered here, in optimised code, before anything is set up.
if arguments == ["--version"] {
    exit(CommandLineTool.report { try StandardStream.output.line(woodshedVersion) }.rawValue)
}
CommandLineTool.run(arguments)
