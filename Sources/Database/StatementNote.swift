internal import RunLog

/// A log entry for a statement, with its duration and its number of rows. The values are left out: they may be private
/// titles, paths and addresses.
struct StatementNote {
    private let sql: String
    private let start = ContinuousClock.now
    var rowCount = 0

    /// Nil if statements are not logged.
    init?(_ sql: String) {
        guard RunLog.isOn(.sql, .trace) else { return nil }
        self.sql = sql
    }

    func write() {
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        // One line, because the log shows no line breaks.
        let words = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        RunLog.note(.sql, .trace, "\(Int(microseconds)) us, \(rowCount) rows: \(words)")
    }
}
