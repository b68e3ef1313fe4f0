// Values of options kept with a recording or with a section. The options' own parsers read these values.
import Terminal
import Woodshed

/// Kept values: names of options without dashes, and the text a user would type.
struct KeptSettings: Equatable, Sendable {
    private(set) var texts: [String: String]

    init(_ texts: [String: String] = [:]) { self.texts = texts }

    var isEmpty: Bool { texts.isEmpty }

    /// Kept speed, passes, gap, pitch and strip. Nil for an absent or unreadable value: a value from another version
    /// must not stop the music.
    var speed: SpeedText? { texts["speed"].flatMap { try? SpeedText(parsing: $0) } }
    var gap: GapText? { texts["gap"].flatMap { try? GapText(parsing: $0) } }
    var pitch: PitchText? { texts["pitch"].flatMap { try? PitchText(parsing: $0) } }
    var channel: ChannelText? { texts["channel"].flatMap { try? ChannelText(parsing: $0) } }
    var centre: CentreText? { texts["centre"].flatMap { CentreText(rawValue: $0) } }
    var balance: BalanceText? { texts["balance"].flatMap { try? BalanceText(parsing: $0) } }
    var equaliser: EqualiserText? { texts["eq"].flatMap { try? EqualiserText(parsing: $0) } }
    var passes: PassCount? {
        texts["passes"].flatMap { text in
            text == Self.endless ? .endless : (try? boundedInteger(text, in: 1...1_000_000)).map { .count($0) }
        }
    }

    static let endless = "endless"

    /// Returns these values overlaid by `others`, which win where both have a value.
    func overlaid(by others: KeptSettings) -> KeptSettings {
        KeptSettings(texts.merging(others.texts) { $1 })
    }

    /// Sets a value; nil removes the kept value.
    mutating func set(_ option: String, _ value: String?) { texts[option] = value }

    mutating func set(speed: Double) { set("speed", speed == 1 ? nil : fixed(speed * 100, decimals: 1) + "%") }
    mutating func set(semitones: Double) {
        set("pitch", semitones == 0 ? nil : (semitones > 0 ? "+" : "") + fixed(semitones, decimals: 2))
    }
    mutating func set(strip: ChannelStrip) {
        set("channel", strip.channels == .all ? nil : ChannelText.text(strip.channels))
        set("centre", strip.centre == .asRecorded ? nil : CentreText(strip.centre).rawValue)
        set("balance", strip.balance == 0 ? nil : fixed(strip.balance, decimals: 2))
        set("eq", strip.low == 0 && strip.mid == 0 && strip.high == 0 ? nil : EqualiserText.text(strip))
    }
    mutating func set(passes: PassCount) {
        switch passes {
        case .count(let count): set("passes", String(count))
        case .endless: set("passes", nil)
        }
    }
    mutating func set(gap: Gap) {
        switch gap {
        case .none: set("gap", nil)
        case .passLengths(let factor): set("gap", fixed(factor, decimals: 2) + "x")
        // Frames count at the clip's rate, which the next device may not have.
        case .frames: break
        }
    }

    /// Refuses the same values as the options' parsers.
    func check() throws(CommandFailure) {
        do throws(ArgumentError) {
            if let text = texts["speed"] { _ = try SpeedText(parsing: text) }
            if let text = texts["gap"] { _ = try GapText(parsing: text) }
            if let text = texts["pitch"] { _ = try PitchText(parsing: text) }
            if let text = texts["passes"], text != Self.endless { _ = try boundedInteger(text, in: 1...1_000_000) }
        } catch {
            throw CommandFailure(.usage, error.message, remedy: error.remedy)
        }
    }
}
