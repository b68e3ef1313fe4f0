internal import RunLog

/// A statement in the log, with its duration and the rows that were read. Its values are left out: they may be anybody's titles, paths and
/// addresses.
struct StatementNote {
    private let sql: String
    private let start = ContinuousClock.now
    var rowCount = 0

    /// Nil unless statements are logged.
    init?(_ sql: String) {
        guard RunLog.isOn(.sql, .trace) else { return nil }
        self.sql = sql
    }

    func write() {
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        // One line, as the log shows no line breaks.
        let words = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        RunLog.note(.sql, .trace, "\(Int(microseconds)) us, \(rowCount) rows: \(words)")
    }
}
