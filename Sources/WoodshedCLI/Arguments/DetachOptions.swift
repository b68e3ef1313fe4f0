// Whether a run goes on in the background, and whether this one does.
import ArgumentParser
import Terminal

/// Whether a run goes on in the background.
struct DetachOptions: ParsableArguments {
    @Flag(name: .long, help: "Go on in the background; steer it with: woodshed ctl")
    var detach = false

    @Flag(name: .long, help: .init("With --detach: beside another run in the background.", visibility: .hidden))
    var another = false

    func validate() throws {
        if another, !detach { throw ValidationError("--another belongs to --detach.") }
    }
}

/// A run that another one has started in the background.
enum BackgroundRun {
    /// Tells the started command that it is the one in the background: "one", "another" beside it, or "fetch".
    static let variable = "WOODSHED_DETACHED"

    /// Whether this run plays in the background.
    static var isThis: Bool { ["one", "another"].contains(environmentVariable(variable)) }
}
