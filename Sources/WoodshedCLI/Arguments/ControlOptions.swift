// From where a run may be controlled, beside the keyboard.
import ArgumentParser
import Terminal

/// The ways, as written: `socket`, `midi:nanoKONTROL2`, `socket,midi`, `none`.
struct ControlWays: Equatable, Sendable {
    /// Whether there is a socket for other programs.
    var hasSocket = false
    /// Ports of the sequencer, or paths of MIDI devices; an empty one is a port that others connect to.
    var ports: [String] = []

    /// Whether media keys control the run, where there is a desktop. This costs nothing elsewhere, so it counts as no way of its own.
    var hasDesktop = false

    var isNone: Bool { !hasSocket && ports.isEmpty }

    init() {}

    init(parsing text: String) throws(ArgumentError) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        for word in words where word != "none" || words.count > 1 {
            switch word {
            case "socket": hasSocket = true
            case "midi": ports.append("")
            case _ where word.hasPrefix("midi:"): ports.append(String(word.dropFirst(5)))
            default: throw ArgumentError("'\(word)' is no way of control; write socket, midi, midi:PORT or none")
            }
        }
    }

    /// All ways of several; one that stands twice counts once.
    init(_ all: [ControlWays]) {
        hasSocket = all.contains(where: \.hasSocket)
        for port in all.flatMap(\.ports) where !ports.contains(port) { ports.append(port) }
    }
}

/// For verbs that go on for as long as somebody wants.
struct ControlOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .singleValue,
        help: .init(
            "Control without the keyboard: socket, midi, midi:PORT or none; may be repeated. (default: none)",
            valueName: "way"),
        transform: { try ControlWays(parsing: optionValue($0)) })
    var control: [ControlWays] = []

    @Flag(name: .long, inversion: .prefixedNo, help: .hidden)
    var mpris = true

    var ways: ControlWays {
        var ways = ControlWays(control)
        ways.hasDesktop = mpris
        // Nothing else could end it.
        if BackgroundRun.isThis { ways.hasSocket = true }
        return ways
    }
}
