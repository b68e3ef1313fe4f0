// Work in pieces: the report of the finished pieces if an error or a signal ends the work.
import Explanations
import JSON
import Terminal

/// Lines about the finished part of a work.
struct PieceReport {
    /// Lines of JSON with their line feeds; empty for none.
    var output = ""
    /// Lines for standard error.
    var notes: [String] = []

    func write() throws {
        if !output.isEmpty { try StandardStream.output.write(output) }
        for line in notes { StandardStream.error.note(line) }
    }
}

/// The reports of finished things of one kind, such as takes.
struct PieceReports<Part> {
    let messages: MessageOptions
    /// Returns the line of JSON for a thing.
    let json: (Part) -> JSONValue
    /// Returns the notes for all finished things.
    let notes: ([Part]) -> [String]

    func write(_ parts: [Part]) throws { try PieceReport(output: output(parts), notes: lines(parts)).write() }

    /// Returns the lines for standard output, with `--json`.
    fileprivate func output(_ parts: [Part]) -> String {
        messages.json ? parts.map { json($0).text + "\n" }.joined() : ""
    }

    /// Returns the lines for standard error, without `--json` and `--quiet`.
    fileprivate func lines(_ parts: [Part]) -> [String] { messages.json || messages.quiet ? [] : notes(parts) }
}

/// The finished things of a work that is under way. Main thread only.
final class Pieces<Part> {
    private let watch: SignalWatch
    private let reports: PieceReports<Part>
    /// Returns the error of a work that a signal ended after a number of finished things.
    private let ended: (Int) -> CommandFailure
    /// Name of the work that a signal stopped, such as "the removal".
    private let name: String
    fileprivate private(set) var finished: [Part] = []

    fileprivate init(
        _ watch: SignalWatch, _ reports: PieceReports<Part>, _ name: String, ended: @escaping (Int) -> CommandFailure
    ) {
        (self.watch, self.reports, self.name, self.ended) = (watch, reports, name, ended)
    }

    /// Notes things as finished.
    func finish(_ parts: [Part]) {
        if parts.isEmpty { return }
        finished += parts
        LastWords.keep(
            moreOutput: reports.output(parts),
            error: PartialWork.words(reports.lines(finished), ended(finished.count)))
    }

    /// Throws if a signal has stopped the work. Called between two pieces.
    func proceed() throws(CommandFailure) {
        if watch.isOver { throw PartialWork.stopped(name, watch.status) }
    }
}

enum PartialWork {
    /// Runs work on many things, which a signal stops between two of them. If the work fails or is stopped after a part
    /// of the things, reports the part, and adds the part to the error. A signal that ends the process at once reports
    /// the part, too.
    ///
    /// - Parameters:
    ///   - name: Name of the work, such as "the removal".
    ///   - reports: Report the finished things, like the things of a complete run.
    ///   - work: Calls `finish` after each piece, and `proceed` between two pieces; throws after a part of the work.
    ///   - part: Returns the finished things after an error, from the things noted as finished.
    ///   - done: Returns the words for a number of finished things, such as "in the trash already: 400 of 500 takes".
    ///   - next: How to undo or complete the work.
    ///   - signals: The file descriptor from `Signals.install`.
    /// - Returns: The result of the work.
    static func run<Part, Value>(
        _ name: String, _ reports: PieceReports<Part>, _ work: (Pieces<Part>) throws -> Value,
        part: ([Part]) -> [Part] = { $0 }, done: @escaping (Int) -> String, next: String,
        signals: Int32 = Signals.install()
    ) throws -> Value {
        var pieces: Pieces<Part>?
        return try watched(signals) { watch in
            let made = Pieces(watch, reports, name) { failure(stopped(name, .interrupted), done($0), next: next) }
            pieces = made
            return try work(made)
        } failed: { error in
            let part = part(pieces?.finished ?? [])
            if part.isEmpty { return error }
            // An error of the output must not replace the cause.
            try? reports.write(part)
            return failure(error, done(part.count), next: next)
        }
    }

    /// Runs work that a signal stops, or ends at once with the last kept report.
    ///
    /// - Parameter failed: Reports the finished part after an error or a stop, and returns the error of the command.
    static func watched<Value>(
        _ signals: Int32 = Signals.install(), _ work: (SignalWatch) throws -> Value,
        failed: (any Error) -> any Error
    ) throws -> Value {
        let watch = SignalWatch(signals)
        defer { LastWords.forget() }
        do { return try watch.stopping { try work(watch) } } catch {
            LastWords.forget()
            throw failed(error)
        }
    }

    /// Keeps the report of the finished pieces for a signal that ends the process at once.
    ///
    /// - Parameter ending: The error of the work that a signal ended.
    static func keep(_ report: PieceReport, _ ending: any ExplainedError) {
        LastWords.keep(output: report.output, error: words(report.notes, ending))
    }

    /// Returns the lines for standard error of a work that a signal ended.
    fileprivate static func words(_ notes: [String], _ ending: any ExplainedError) -> String {
        (notes + [ending.text]).map { $0 + "\n" }.joined()
    }

    /// Returns the error of a work that a signal stopped.
    static func stopped(_ name: String, _ status: ExitStatus) -> CommandFailure {
        CommandFailure(status, "\(name) was stopped")
    }

    /// Returns the error of a command that failed after a part of its work: the cause, the part, and both remedies.
    static func failure(_ error: any Error, _ done: String, next: String) -> CommandFailure {
        let cause = error as? any ExplainedError
        return CommandFailure(
            cause?.exitStatus ?? .software, "\(cause?.message ?? "\(error)"); \(done)",
            remedy: [cause?.remedy ?? "", next].filter { !$0.isEmpty }.joined(separator: " "))
    }
}

extension SignalWatch {
    /// Runs work that a signal stops. After a signal, every error ends the command with the status of the signal: a
    /// wait for the store, for example, may fail before the work notices the signal.
    func stopping<Value>(_ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as any ExplainedError {
            guard isOver || error.exitStatus == .interrupted else { throw error }
            throw CommandFailure(status == .success ? .interrupted : status, error.message, remedy: error.remedy)
        }
    }
}
