// Which key does what: one table, for the keys, the help screen and the configuration.

/// The keys of a player.
struct KeyMap: Equatable, Sendable {
    private(set) var actions: [KeyName: [KeyAction]] = [:]
    /// Names in the order in which they were bound, for the help.
    private var order: [KeyName] = []

    /// The keys of a fresh installation.
    static let standard: KeyMap = {
        var map = KeyMap()
        for (keys, words) in table {
            // The table is part of the program, and a test reads all of it.
            for key in keys { try? map.bind(key, to: words) }
        }
        return map
    }()

    private static let table: [(keys: [String], words: String)] = [
        (["space", "p"], "pause"), (["q"], "quit"), (["Q"], "quit forget"), (["left"], "seek -5"),
        (["right"], "seek +5"), (["shift+left", "ctrl+left", "alt+left"], "seek -1"),
        (["shift+right", "ctrl+right", "alt+right"], "seek +1"), (["n", "down"], "section +1"),
        (["N", "up"], "section -1"), (["["], "speed -5%"), (["]"], "speed +5%"), (["{"], "speed -1%"),
        (["}"], "speed +1%"), (["backspace"], "speed 100%"), (["("], "pitch -1"), ([")"], "pitch +1"),
        (["a"], "loop start"), (["b"], "loop end"), (["l"], "loop toggle"), (["j"], "loop jump"),
        (["L"], "loop last"), ([","], "nudge start -10ms"), (["."], "nudge start +10ms"), (["<"], "nudge end -10ms"),
        ([">"], "nudge end +10ms"), (["alt+,"], "nudge start -1f"), (["alt+."], "nudge start +1f"),
        (["alt+<"], "nudge end -1f"), (["alt+>"], "nudge end +1f"), (["m"], "mark"), (["S"], "save"),
        (["R"], "rename"), (["X"], "remove"), (["H"], "hard"), (["u"], "undo"), (["U"], "redo"),
        (["y"], "grade clean"), (["x"], "grade missed"), (["i"], "tell"), (["g"], "gap"), (["1"], "passes 1"),
        (["2"], "passes 2"), (["3"], "passes 3"), (["4"], "passes 4"), (["5"], "passes 5"), (["6"], "passes 6"),
        (["7"], "passes 7"), (["8"], "passes 8"), (["9"], "passes 9"), (["0"], "passes endless"),
        (["+", "="], "gain +1"), (["-"], "gain -1"), (["w", "W"], "waveform"), (["?", "h"], "help"),
        (["ctrl+l"], "redraw"),
    ]

    /// The usual keys, with those of the configuration in their place.
    ///
    /// - Throws: A `CommandFailure` for a key or an action that there is not.
    init(_ layers: SettingsLayers) throws(CommandFailure) {
        self = Self.standard
        var map = self
        try layers.forEachKey { (key, words) throws(ArgumentError) in try map.bind(key, to: words) }
        self = map
    }

    private init() {}

    /// Gives a key other actions, or none.
    mutating func bind(_ key: String, to words: String) throws(ArgumentError) {
        let (name, list) = (try KeyName(parsing: key), try KeyAction.list(words))
        actions[name] = list
        order.removeAll { $0 == name }
        if !list.isEmpty { order.append(name) }
    }

    /// What a key does.
    func actions(of key: KeyBytes.Key) -> [KeyAction] { KeyName(key).flatMap { actions[$0] } ?? [] }

    /// The keys that have an action together with Alt, by the byte that follows Escape.
    var altKeys: Set<UInt8> { Set(order.compactMap(\.altByte)) }

    /// All keys with their actions, as words.
    var rows: [(key: String, words: String)] {
        order.map { name in (name.description, (actions[name] ?? []).map(\.words).joined(separator: "; ")) }
    }

    // MARK: Help

    private static let helpTexts: [(words: [String], text: String)] = [
        (["pause"], "pause, go on"), (["seek -5", "seek +5"], "5 s back, on; Shift: 1 s"),
        (["speed -5%", "speed +5%"], "5 % slower, faster"), (["speed -1%", "speed +1%"], "1 % slower, faster"),
        (["speed 100%"], "normal speed"), (["loop start", "loop end"], "loop: starts, ends here"),
        (["loop toggle", "loop jump"], "leave or enter; to start"), (["loop last"], "loop the last 4 s, 8 s"),
        (["nudge start -10ms", "nudge start +10ms"], "loop's start 10 ms -, +"),
        (["nudge end -10ms", "nudge end +10ms"], "loop's end 10 ms -, +"),
        (["nudge start -1f"], "so too edges by a frame"),
        (["mark"], "mark a point"), (["save", "rename"], "save the loop; new name"),
        (["remove", "hard"], "remove section; hard"), (["undo", "redo"], "undo, redo"),
        (["section +1", "section -1"], "next, previous section"), (["passes 1", "passes 9"], "so many passes"),
        (["passes endless", "gap"], "endless; gap: 0, 1, 1.5"),
        (["grade clean", "grade missed"], "clean faster; missed slower"),
        (["tell", "waveform", "redraw"], "place; waveform; redraw"),
        (["pitch -1", "pitch +1"], "a semitone -, +"), (["gain +1", "gain -1"], "louder, softer"),
        (["quit", "quit forget"], "quit; forget the place"),
    ]

    /// One screen of help. What has no key is left out.
    var help: KeyHelp {
        let first = rows.reduce(into: [String: String]()) { known, row in
            if known[row.words] == nil { known[row.words] = row.key }
        }
        return KeyHelp(
            entries: Self.helpTexts.compactMap { words, text in
                let keys = words.compactMap { first[$0] }
                return keys.isEmpty ? nil : (keys.joined(separator: " "), text)
            })
    }
}
