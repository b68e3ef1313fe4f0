// Brings the files of a backup up to date: copies those that are new, and compares a part of those that are there.
internal import AudioFiles
internal import Catalogue
internal import Files
internal import JSON

struct BackupFiles {
    /// A file that belongs into the backup.
    struct Wanted {
        let source: String
        let member: BundleMember
        /// Whether a file has the content that its key or hash says.
        let isRight: (String) -> Bool
    }

    /// Runs after which all files were compared.
    private static let rounds = 10

    private let library: RecordingLibrary
    private let target: String
    /// The files of the last whole backup.
    private let known: [String: BackupManifest.File]
    /// What is compared now was compared later than everything else, whatever the clock says.
    private let stamp: Int64
    private(set) var files: [BackupManifest.File] = []
    private(set) var summary: BackupSummary

    init(_ library: RecordingLibrary, _ target: String, last: BackupManifest?, _ summary: BackupSummary, now: Int64) {
        (self.library, self.target, self.summary) = (library, target, summary)
        known = Dictionary((last?.files ?? []).map { ($0.member.name, $0) }) { first, _ in first }
        let latest = known.values.map(\.compared).max() ?? 0
        stamp = min(max(now, latest + 1), ClosedRange.milliseconds.upperBound)
    }

    /// - Parameter isVerifying: Whether all files are compared, not only those that were compared longest ago.
    mutating func update(_ wanted: [Wanted], isVerifying: Bool, _ isCancelled: () -> Bool) throws {
        let kept = wanted.compactMap { known[$0.member.name] }.sorted {
            ($0.compared, $0.member.name) < ($1.compared, $1.member.name)
        }
        let count = isVerifying ? kept.count : (kept.count + Self.rounds - 1) / Self.rounds
        let passed = Set(kept.dropFirst(count).map(\.member.name))
        for file in wanted {
            if isCancelled() { throw RecordingLibraryError.cancelled }
            try update(file, isCompared: !passed.contains(file.member.name))
        }
    }

    private mutating func update(_ file: Wanted, isCompared: Bool) throws {
        let place = target + "/" + file.member.name
        let source = unsafe FileState(FileName.systemName(file.source))
        let copy = unsafe FileState(place)
        guard let source else {
            // The copy may be the last one.
            guard let copy else {
                summary.problems.append("\(file.source) is missing, and is not in the backup")
                return
            }
            summary.compared += 1
            guard file.isRight(place) else {
                summary.problems.append("\(file.source) is missing, and its copy in the backup is damaged: \(place)")
                return
            }
            summary.problems.append("\(file.source) is missing; its copy in the backup is whole: \(place)")
            return keep(file, copy.byteCount, comparedAt: stamp)
        }
        var isDamaged = false
        if let copy, copy.byteCount == source.byteCount {
            if !isCompared {
                return keep(file, copy.byteCount, comparedAt: known[file.member.name]?.compared ?? 0)
            }
            summary.compared += 1
            if file.isRight(place) {
                if !file.isRight(file.source) { tellChanged(file.source, keeping: place) }
                return keep(file, copy.byteCount, comparedAt: stamp)
            }
            isDamaged = true
        }
        if try isCopied(file, to: place) {
            summary.copied += 1
            summary.copiedBytes += source.byteCount
            if isDamaged { summary.repaired.append(place) }
            return keep(file, source.byteCount, comparedAt: stamp)
        }
        if isDamaged {
            summary.problems.append("\(file.source) is damaged, and so is its copy in the backup: \(place)")
        } else if let copy, file.isRight(place) {
            tellChanged(file.source, keeping: place)
            keep(file, copy.byteCount, comparedAt: stamp)
        } else {
            summary.problems.append("\(file.source) is not what it was when it was added, and is not in the backup")
        }
    }

    /// Copies a file if its content is right. A disk that cannot read it back must not end the whole backup.
    private func isCopied(_ file: Wanted, to place: String) throws -> Bool {
        do { return try library.copyChecked(file.source, to: place, isRight: file.isRight) } catch {
            guard !file.isRight(file.source) else { throw error }
            return false
        }
    }

    private mutating func tellChanged(_ source: String, keeping place: String) {
        summary.problems.append(
            "\(source) is not what it was when it was added; its copy in the backup is whole: \(place)")
    }

    private mutating func keep(_ file: Wanted, _ byteCount: Int64, comparedAt time: Int64) {
        summary.files += 1
        files.append(.init(member: file.member, byteCount: byteCount, compared: time))
    }
}
