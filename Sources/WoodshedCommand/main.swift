// The executable `woodshed`: everything it does lives in WoodshedCLI, where tests can reach it.
import WoodshedCLI

CommandLineTool.run(CommandLineTool.arguments)
