// Runs in the background: the option, and the mark of such a run.
import ArgumentParser
import Terminal

/// Options for continuing a run in the background.
struct DetachOptions: ParsableArguments {
    @Flag(name: .long, help: "Play in the background; control it by woodshed ctl.")
    var detach = false

    @Flag(name: .long, help: .init("With --detach: start beside another background run.", visibility: .hidden))
    var another = false

    func validate() throws {
        if another, !detach { throw ValidationError("--another belongs to --detach.") }
    }
}

/// A background run, started by another process of this command.
enum BackgroundRun {
    /// Variable that marks the started process as a background run: "one", "another" for a second player, or "fetch".
    static let variable = "WOODSHED_DETACHED"

    /// True if this run plays in the background.
    static var isThis: Bool { ["one", "another"].contains(environmentVariable(variable)) }
}
