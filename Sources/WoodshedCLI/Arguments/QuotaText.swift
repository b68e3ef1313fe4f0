// Size limit of the library.
import ArgumentParser
import Terminal
import WoodshedLibrary

/// A size as typed: 500MB, 20GB, 1.5TB, bytes without a unit, or none.
struct QuotaText: Equatable, Sendable {
    /// nil for no limit.
    let bytes: Int64?

    init(bytes: Int64?) { self.bytes = bytes }

    /// The size in a form to be typed, without rounding.
    var text: String { bytes.map(String.init) ?? "none" }

    init(parsing text: String) throws(ArgumentError) {
        guard text != "none" else {
            bytes = nil
            return
        }
        let units: [(String, Double)] = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("", 1)]
        for (unit, factor) in units where text.lowercased().hasSuffix(unit.lowercased()) {
            let number = text.dropLast(unit.count).filter { $0 != " " }
            guard let value = decimal(number), value * factor >= 1, value * factor < 9e18 else { break }
            bytes = Int64((value * factor).rounded())
            return
        }
        throw ArgumentError.unreadable(text, as: "a size", remedy: "Write 500MB, 20GB, or none.")
    }
}

/// Quota option of verbs that enlarge the library.
struct QuotaOptions: ParsableArguments {
    @Option(
        name: .long,
        help: .init("Size limit of the library's own files, such as 20GB, or none. (default: none)", valueName: "size"),
        transform: { try QuotaText(parsing: optionValue($0)) })
    var quota: QuotaText?

    /// The same option as arguments, for another run of this command.
    var arguments: [String] { quota.map { ["--quota", $0.text] } ?? [] }

    /// Opens the user's library with this limit.
    func library() throws -> RecordingLibrary {
        try RecordingLibrary(PracticeStore(.user), quota: quota?.bytes)
    }
}
