// Ways to control a run, beside the keyboard.
import ArgumentParser
import Explanations
import Terminal

/// The ways, as written: `socket`, `midi:nanoKONTROL2`, `socket,midi`, `none`.
struct ControlWays: Equatable, Sendable {
    /// True with a socket for other programs.
    var hasSocket = false
    /// Ports of the sequencer, or paths of MIDI devices. An empty name stands for a port of our own for others to
    /// connect to.
    var ports: [String] = []

    /// True if media keys control the run, where a desktop exists. Media keys cost nothing elsewhere, so they do not
    /// count as a way of control.
    var hasDesktop = false

    var isNone: Bool { !hasSocket && ports.isEmpty }

    init() {}

    init(parsing text: String) throws(ArgumentError) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed { $0 == " " } }
        for word in words where word != "none" || words.count > 1 {
            switch word {
            case "socket": hasSocket = true
            case "midi": ports.append("")
            case _ where word.hasPrefix("midi:"): ports.append(String(word.dropFirst(5)))
            default:
                throw ArgumentError.unreadable(
                    word, as: "a kind of control", remedy: "Write socket, midi, midi:PORT or none.")
            }
        }
    }

    /// Combines several values; a repeated port counts once.
    init(_ all: [ControlWays]) {
        hasSocket = all.contains(where: \.hasSocket)
        for port in all.flatMap(\.ports) where !ports.contains(port) { ports.append(port) }
    }
}

/// Control options of verbs that run until the user ends them.
struct ControlOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .singleValue,
        help: .init(
            "Control by socket, midi, midi:PORT or none; may be repeated. (default: none)",
            valueName: "way"),
        transform: { try ControlWays(parsing: optionValue($0)) })
    var control: [ControlWays] = []

    @Flag(name: .long, inversion: .prefixedNo, help: .hidden)
    var mpris = true

    var ways: ControlWays {
        var ways = ControlWays(control)
        ways.hasDesktop = mpris
        // A background run can only be ended through its socket.
        if BackgroundRun.isThis { ways.hasSocket = true }
        return ways
    }
}
