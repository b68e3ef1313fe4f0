// The map of keys to actions: a table for each layer, with the configuration's changes.
import Terminal

/// The default keys of a layer, until a key is changed.
///
/// A table is created on first use. Parsing all tables takes longer than the rest of the start, and many runs read no
/// key.
@propertyWrapper
struct Changeable<Action: NamedAction>: Sendable {
    private let usual: @Sendable () -> KeyTable<Action>
    private var changed: KeyTable<Action>?

    init(wrappedValue: @autoclosure @escaping @Sendable () -> KeyTable<Action>) { usual = wrappedValue }

    var wrappedValue: KeyTable<Action> {
        get { changed ?? usual() }
        set { changed = newValue }
    }
}

/// The keys of the command.
struct KeyMap: Sendable {
    @Changeable var playing = standardPlaying
    @Changeable var list = standardList
    @Changeable var input = standardInput
    @Changeable var confirm = standardConfirm
    @Changeable var recording = standardRecording
    @Changeable var rating = standardRating

    /// The keys of a fresh installation.
    static let standard = KeyMap()

    private init() {}

    /// Creates the default keys, with the configuration's changes.
    ///
    /// - Parameter refused: Gets the error of each line with an unknown layer, key or action; by default, throws the
    ///   error.
    /// - Throws: A `CommandFailure` of `refused`.
    init(
        _ layers: SettingsLayers, refused: (CommandFailure) throws(CommandFailure) -> Void = SettingsLayers.refuse
    ) throws(CommandFailure) {
        self = Self.standard
        var map = self
        try layers.forEachLine(SettingsLayers.keyPrefix, refused: refused) { (name, words) throws(ArgumentError) in
            try map.bind(name, to: words)
        }
        self = map
    }

    /// Assigns other actions to a key, or none.
    ///
    /// - Parameter name: Layer and key, such as `playing.ctrl+l`.
    mutating func bind(_ name: String, to words: String) throws(ArgumentError) {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let layer = KeyLayer(rawValue: parts[0]) else {
            let layers = KeyLayer.allCases.map(\.rawValue).joined(separator: ", ")
            throw ArgumentError(
                "'\(name)' does not begin with a layer and a point", remedy: "The layers are: \(layers).")
        }
        switch layer {
        case .playing: try playing.bind(parts[1], to: words)
        case .list: try list.bind(parts[1], to: words)
        case .input: try input.bind(parts[1], to: words)
        case .confirm: try confirm.bind(parts[1], to: words)
        case .recording: try recording.bind(parts[1], to: words)
        case .rating: try rating.bind(parts[1], to: words)
        }
    }

    /// All keys with their layers, and the names of their actions.
    var rows: [(key: String, words: String)] {
        let layers: [(KeyLayer, [(key: String, words: String)])] = [
            (.playing, playing.rows), (.list, list.rows), (.input, input.rows), (.confirm, confirm.rows),
            (.recording, recording.rows), (.rating, rating.rows),
        ]
        return layers.flatMap { layer, rows in rows.map { ("\(layer.rawValue).\($0.key)", $0.words) } }
    }

    /// Keys with an action together with Alt in any layer, by the byte after Escape.
    var altKeys: Set<UInt8> {
        playing.altKeys.union(list.altKeys).union(input.altKeys).union(confirm.altKeys).union(recording.altKeys)
            .union(rating.altKeys)
    }

    // MARK: The usual keys

    private static let standardPlaying = KeyTable<KeyAction>([
        (["space", "p"], "pause"), (["f"], "freeze"), (["q"], "quit"), (["Q"], "quit forget"), (["left"], "seek -5"),
        (["right"], "seek +5"), (["shift+left", "ctrl+left", "alt+left"], "seek -1"),
        (["shift+right", "ctrl+right", "alt+right"], "seek +1"), (["n", "down"], "section +1"),
        (["N", "up"], "section -1"), (["["], "speed -5%"), (["]"], "speed +5%"), (["{"], "speed -1%"),
        (["}"], "speed +1%"), (["backspace"], "speed 100%"), (["("], "pitch -1"), ([")"], "pitch +1"),
        (["a"], "loop start"), (["b"], "loop end"), (["l"], "loop toggle"), (["j"], "loop jump"),
        (["L"], "loop last"), ([","], "nudge start -10ms"), (["."], "nudge start +10ms"), (["<"], "nudge end -10ms"),
        ([">"], "nudge end +10ms"), (["alt+,"], "nudge start -1f"), (["alt+."], "nudge start +1f"),
        (["alt+<"], "nudge end -1f"), (["alt+>"], "nudge end +1f"), (["m"], "mark"), (["S"], "save"),
        (["R"], "rename"), (["X"], "remove"), (["H"], "hard"), (["u"], "undo"), (["U"], "redo"),
        (["y"], "grade clean"), (["z"], "grade missed"), (["e"], "rate"), (["r"], "record"), (["o"], "hear model"),
        (["t"], "hear take"), (["c"], "hear turn"), (["v"], "hear both"), (["enter"], "hear end"),
        (["x"], "compare"), (["i"], "tell"), (["g"], "gap"), (["1"], "passes 1"),
        (["2"], "passes 2"), (["3"], "passes 3"), (["4"], "passes 4"), (["5"], "passes 5"), (["6"], "passes 6"),
        (["7"], "passes 7"), (["8"], "passes 8"), (["9"], "passes 9"), (["0"], "passes endless"),
        (["+", "="], "gain +1"), (["-"], "gain -1"), (["k"], "centre"), (["K"], "channel"), (["B"], "reverse"),
        (["w", "W"], "waveform"), (["?", "h"], "help"), (["tab"], "list"), (["ctrl+l"], "redraw"), (["M"], "learn"),
    ])

    private static let standardList = KeyTable<ListAction>([
        (["up", "k"], "up"), (["down", "j"], "down"), (["pageup"], "page up"), (["pagedown"], "page down"),
        (["home"], "first"), (["end"], "last"), (["enter"], "play"), (["escape", "tab", "q"], "leave"),
    ])

    private static let standardInput = KeyTable<InputAction>([
        (["enter"], "accept"), (["escape", "ctrl+g"], "cancel"), (["backspace"], "delete character"),
        (["ctrl+w"], "delete word"), (["ctrl+u"], "delete line"),
    ])

    private static let standardRecording = KeyTable<RecordAction>([
        (["space", "p", "r"], "pause"), (["s", "q"], "stop"), (["d"], "discard"), (["m"], "mark"),
        (["?", "h"], "help"), (["ctrl+l"], "redraw"),
    ])

    private static let standardConfirm = KeyTable<ConfirmAction>([
        (["y", "Y"], "yes"), (["n", "N", "escape"], "no"),
    ])

    private static let standardRating = KeyTable<RatingAction>([
        (["1"], "again"), (["2"], "hard"), (["3"], "good"), (["4"], "easy"), (["enter", "escape"], "skip"),
    ])

    // MARK: Help

    private static let playingTexts: [(words: [String], text: String)] = [
        (["pause", "freeze"], "pause; freeze the sound"), (["seek -5", "seek +5"], "5 s back, on; Shift: 1 s"),
        (["speed -5%", "speed +5%", "speed -1%", "speed +1%"], "5 %, 1 % slower, faster"),
        (["speed 100%"], "normal speed"), (["loop start", "loop end"], "loop: starts, ends here"),
        (["loop toggle", "loop jump"], "leave or enter; to start"), (["loop last"], "loop the last 4 s, 8 s"),
        (["nudge start -10ms", "nudge start +10ms"], "loop's start 10 ms -, +"),
        (["nudge end -10ms", "nudge end +10ms"], "loop's end 10 ms -, +"),
        (["nudge start -1f"], "so too edges by a frame"),
        (["mark", "save", "rename"], "mark; save loop; rename"),
        (["remove", "hard"], "remove section; hard"), (["undo", "redo"], "undo, redo"),
        (["section +1", "section -1", "list"], "next, previous; list"), (["passes 1", "passes 9"], "so many passes"),
        (["passes endless", "gap"], "endless; gap: 0, 1, 1.5"),
        (["grade clean", "grade missed", "rate"], "clean, missed; how it went"),
        (["record"], "record over the loop"),
        (["hear model", "hear take", "hear turn", "hear both", "compare"], "hear your take; compare it"),
        (["tell", "waveform", "redraw"], "place; waveform; redraw"),
        (["pitch -1", "pitch +1", "reverse"], "a semitone -, +; backwards"),
        (["gain +1", "gain -1", "centre", "channel"], "volume; centre; channel"),
        (["quit", "quit forget"], "quit; forget the place"),
    ]

    /// The help during playback.
    var help: KeyHelp { playing.help(Self.playingTexts) }

    /// The help while recording a take.
    var recordingHelp: KeyHelp {
        recording.help([
            (["pause"], "begin, pause, go on"), (["stop"], "stop and keep"), (["redraw"], "clear the screen"),
            (["mark"], "mark this place"), (["discard"], "stop and throw away (asks)"),
        ])
    }
}
