// Options with a permanent value in the environment or the configuration file. The parsers of the command line check
// these values, too.
import Terminal
import WoodshedLibrary
import WoodshedPractice

/// An option with a permanent value.
struct SettingOption: Sendable {
    /// The option's name on the command line, without dashes.
    let name: String
    /// The option's letter; nil without a short form.
    var letter: Character?
    /// Verbs that take the option from the environment or the file.
    let verbs: Set<String>
    /// The default value.
    let standard: String
    /// True with a `--no-` form, for a flag that is on by default.
    var hasOpposite = false
    /// Options that replace this option on a command line.
    var rivals: [String] = []
    /// True if recordings and sections keep their own values of this option.
    var isKept = false
    /// Checks a value; nil for a flag.
    var check: (@Sendable (String) throws(ArgumentError) -> Void)?

    var isFlag: Bool { check == nil }

    /// The option's environment variable, such as `WOODSHED_RESUME_REWIND`.
    var variable: String { "WOODSHED_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 }) }

    /// Returns the option with a name.
    static func named(_ name: String) -> SettingOption? { all.first { $0.name == name } }

    private static let playing: Set = ["play", "practice"]
    private static let talking: Set = ["play", "practice", "render", "record", "takes", "demo"]

    static let all: [SettingOption] = [
        SettingOption(
            name: "speed", letter: "s", verbs: playing, standard: "100%", rivals: ["curve", "ramp"], isKept: true,
            check: { text throws(ArgumentError) in _ = try SpeedText(parsing: text) }),
        SettingOption(
            name: "pitch", verbs: playing, standard: "0", rivals: ["varispeed"], isKept: true,
            check: { text throws(ArgumentError) in _ = try PitchText(parsing: text) }),
        SettingOption(
            name: "channel", verbs: playing, standard: "all", isKept: true,
            check: { text throws(ArgumentError) in _ = try ChannelText(parsing: text) }),
        SettingOption(
            name: "centre", verbs: playing, standard: CentreText.off.rawValue, isKept: true,
            check: { text throws(ArgumentError) in _ = try CentreText(parsing: text) }),
        SettingOption(
            name: "balance", verbs: playing, standard: "0", isKept: true,
            check: { text throws(ArgumentError) in _ = try BalanceText(parsing: text) }),
        SettingOption(
            name: "eq", verbs: playing, standard: "0,0,0", isKept: true,
            check: { text throws(ArgumentError) in _ = try EqualiserText(parsing: text) }),
        SettingOption(
            name: "passes", letter: "n", verbs: ["practice"], standard: "endless", isKept: true,
            check: { text throws(ArgumentError) in
                if text != KeptSettings.endless { _ = try boundedInteger(text, in: 1...1_000_000) }
            }),
        SettingOption(
            name: "gap", verbs: ["practice"], standard: "0", isKept: true,
            check: { text throws(ArgumentError) in _ = try GapText(parsing: text) }),
        SettingOption(name: "varispeed", verbs: playing, standard: "no", rivals: ["pitch"]),
        SettingOption(name: "reverse", verbs: playing, standard: "no"),
        word("formants", playing, FormantText.auto),
        word("joint", ["practice"], JointText.crossfade), word("material", ["practice"], MaterialText.auto),
        word("quality", ["practice"], QualityText.full), word("text", ["practice"], TextMoment.during),
        SettingOption(
            name: "count-in", verbs: ["practice"], standard: "none",
            check: { text throws(ArgumentError) in _ = try CountInText(parsing: text) }),
        SettingOption(
            name: "resume-rewind", verbs: ["practice"], standard: "auto",
            check: { text throws(ArgumentError) in _ = try ResumeRewindText(parsing: text) }),
        SettingOption(name: "repeat", verbs: ["practice"], standard: "no"),
        SettingOption(name: "snap", verbs: ["practice"], standard: "no"),
        word("both", ["practice"], BothText.split),
        SettingOption(name: "waveform", verbs: playing, standard: "yes", hasOpposite: true),
        SettingOption(
            name: "output", verbs: playing.union(["demo"]), standard: "default",
            check: { text throws(ArgumentError) in try checkDevice(text) }),
        SettingOption(
            name: "input", verbs: ["record"], standard: "default",
            check: { text throws(ArgumentError) in try checkDevice(text) }),
        SettingOption(
            name: "control", verbs: playing.union(["record"]), standard: "none",
            check: { text throws(ArgumentError) in _ = try ControlWays(parsing: text) }),
        SettingOption(
            name: "extractor", verbs: ["get"], standard: "none",
            check: { text throws(ArgumentError) in try FetchOptions.checkExtractor(text) }),
        SettingOption(
            name: "opener", verbs: ["open"], standard: DocumentOpener.standard,
            check: { text throws(ArgumentError) in _ = try DocumentOpener(parsing: text) }),
        SettingOption(name: "mpris", verbs: playing.union(["record"]), standard: "yes", hasOpposite: true),
        SettingOption(
            name: "quota", verbs: ["add", "get", "attach"], standard: "none",
            check: { text throws(ArgumentError) in _ = try QuotaText(parsing: text) }),
        word("on-loss", playing, LossText.wait),
        SettingOption(name: "exclusive", verbs: playing, standard: "no"),
        number("period", playing, 1...8192, "256"), number("periods", playing, 2...4, "3"),
        number("priority", playing, 0...99, "70"),
        SettingOption(name: "plain", verbs: talking.union(["sections"]), standard: "no"),
        SettingOption(name: "quiet", letter: "q", verbs: talking.union(["sections"]), standard: "no"),
        SettingOption(name: "verbose", letter: "v", verbs: talking, standard: "no"),
    ]

    private static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ verbs: Set<String>, _ standard: Word
    ) -> SettingOption {
        SettingOption(
            name: name, verbs: verbs, standard: standard.rawValue,
            check: { text throws(ArgumentError) in _ = try Word(parsing: text) })
    }

    private static func number(
        _ name: String, _ verbs: Set<String>, _ range: ClosedRange<Int>, _ standard: String
    ) -> SettingOption {
        SettingOption(
            name: name, verbs: verbs, standard: standard,
            check: { text throws(ArgumentError) in _ = try boundedInteger(text, in: range) })
    }

    private static func checkDevice(_ name: String) throws(ArgumentError) {
        guard name.isEmpty else { return }
        throw ArgumentError(
            "the name of the device is empty", remedy: "Write default, or a name that `woodshed devices` lists.")
    }

    /// Returns true if a value switches a flag on.
    static func isOn(_ text: String) throws(ArgumentError) -> Bool {
        switch text.lowercased() {
        case "yes", "on", "true", "1": return true
        case "no", "off", "false", "0": return false
        default: throw ArgumentError.unlisted(text, in: ["yes", "no"])
        }
    }

    /// Refuses the same values as the command line.
    func validate(_ text: String) throws(ArgumentError) {
        if let check { try check(text) } else { _ = try Self.isOn(text) }
    }

    /// Returns true if the command line contains the option or a rival.
    func isGiven(in arguments: ArraySlice<String>) -> Bool {
        arguments.contains { argument in
            let opposite = hasOpposite ? ["no-" + name] : []
            if ([name] + opposite + rivals).contains(where: { argument == "--" + $0 || argument.hasPrefix("--\($0)=") })
            {
                return true
            }
            guard let letter, argument.hasPrefix("-"), !argument.hasPrefix("--") else { return false }
            // Several flags may share a dash. An option's value may follow its letter directly.
            return isFlag
                ? argument.dropFirst().allSatisfy(\.isLetter) && argument.contains(letter)
                : argument.dropFirst().first == letter
        }
    }
}
