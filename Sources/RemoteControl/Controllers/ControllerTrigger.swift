internal import JSON

/// The name of a press or a release on a controller: `cc64`, `note60`, `program5`, `ch2.cc64`, `cc64.up`.
package struct ControllerTrigger: Hashable, Sendable, CustomStringConvertible {
    package let part: ControllerMessage.Part
    /// 1 to 16; nil for any channel.
    package let channel: Int?
    /// True for a release, false for a press.
    package let isUp: Bool

    package init(_ part: ControllerMessage.Part, channel: Int? = nil, isUp: Bool = false) {
        (self.part, self.channel, self.isUp) = (part, channel, isUp)
    }

    /// Parses the name of a trigger, in upper or lower case; nil for any other text.
    package init?(_ name: String) {
        var words = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        var channel: Int?
        if words.count > 1, let number = Self.number(words[0], after: "ch") {
            guard (1...16).contains(number) else { return nil }
            channel = number
            words.removeFirst()
        }
        let isUp = words.count > 1 && words.last == "up"
        if isUp { words.removeLast() }
        guard words.count == 1 else { return nil }
        let part: ControllerMessage.Part
        if let number = Self.number(words[0], after: "cc") {
            part = .control(number)
        } else if let number = Self.number(words[0], after: "note") {
            part = .note(number)
        } else if let number = Self.number(words[0], after: "program"), !isUp {
            part = .program(number)
        } else {
            return nil
        }
        self.init(part, channel: channel, isUp: isUp)
    }

    private static func number(_ word: Substring, after prefix: String) -> Int? {
        let digits = word.dropFirst(prefix.count)
        guard word.hasPrefix(prefix), digits.first?.isWholeNumber == true else { return nil }
        return Int(digits: digits, in: 0...127)
    }

    package var description: String {
        let name =
            switch part {
            case .control(let number): "cc\(number)"
            case .note(let number): "note\(number)"
            case .program(let number): "program\(number)"
            }
        return (channel.map { "ch\($0)." } ?? "") + name + (isUp ? ".up" : "")
    }
}

/// Maps triggers to commands.
package struct ControllerMap: Equatable, Sendable {
    private var words: [ControllerTrigger: String] = [:]

    package init() {}

    package subscript(trigger: ControllerTrigger) -> String? {
        get { words[trigger] }
        set { words[trigger] = newValue }
    }

    package var isEmpty: Bool { words.isEmpty }

    /// Returns the command for a press or a release: set for its channel, or else for any channel.
    package func words(for trigger: ControllerTrigger) -> String? {
        words[trigger] ?? words[ControllerTrigger(trigger.part, isUp: trigger.isUp)]
    }
}
