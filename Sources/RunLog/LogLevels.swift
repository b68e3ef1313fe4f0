/// The level of each area, from words such as "audio:debug,sql:trace", or "debug" for all areas.
package struct LogLevels: Equatable, Sendable {
    /// The reason why the words are unreadable.
    package struct Fault: Error, Equatable {
        /// The cause, with the word.
        package let message: String
        /// The known words.
        package let remedy: String
    }

    private var levels = [LogLevel](repeating: .off, count: LogArea.allCases.count)

    /// Creates levels with everything off.
    package init() {}

    /// Parses words; a later word wins.
    package init(parsing words: String) throws(Fault) {
        for word in words.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let areas = parts.count == 1 ? LogArea.allCases : LogArea.allCases.filter { $0.name == parts[0] }
            if areas.isEmpty {
                throw Fault(
                    message: "there is no area '\(parts[0])' of the log",
                    remedy: "The areas are: \(LogArea.allCases.map(\.name).joined(separator: ", ")).")
            }
            guard let name = parts.last, let level = LogLevel.allCases.first(where: { $0.name == name }) else {
                throw Fault(
                    message: "there is no level '\(parts.last ?? "")' of the log",
                    remedy: "The levels are: \(LogLevel.allCases.map(\.name).joined(separator: ", ")).")
            }
            for area in areas { self[area] = level }
        }
    }

    package subscript(area: LogArea) -> LogLevel {
        get { levels[Int(area.rawValue)] }
        set { levels[Int(area.rawValue)] = newValue }
    }

    /// True if nothing is written.
    package var isOff: Bool { levels.allSatisfy { $0 == .off } }

    /// Words with the same meaning: "debug", or "audio:debug,sql:trace".
    package var text: String {
        if let first = levels.first, levels.allSatisfy({ $0 == first }) { return first.name }
        return LogArea.allCases.filter { self[$0] != .off }.map { "\($0.name):\(self[$0].name)" }
            .joined(separator: ",")
    }
}
