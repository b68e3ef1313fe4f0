import WoodshedPractice

let arguments = CommandLine.arguments
let output = try OutputDevice(parsing: arguments.count > 2 ? arguments[2] : "default")

let engine = try Engine(output: output)
for warning in engine.warnings { print(warning) }
