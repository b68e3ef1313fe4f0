// Brings the files of a backup up to date: copies new files, and compares a share of the existing copies.
internal import AudioFiles
internal import Catalogue
internal import Files
internal import JSON

struct BackupFiles {
    /// A file that belongs in the backup.
    struct Wanted {
        var source: String
        let member: BundleMember
        /// Compares the file at a path with the key or hash of the member.
        let check: (String) -> ContentCheck
    }

    /// Number of backups after which every file was compared once.
    private static let rounds = 10
    private static let millisecondsOfDay: Int64 = 86_400_000

    private let library: RecordingLibrary
    private let target: String
    /// Files of the last complete backup, by name.
    private let known: [String: BackupManifest.File]
    /// Time of this backup's comparisons. Later than all earlier comparisons, whatever the clock says.
    private let stamp: Int64
    private(set) var files: [BackupManifest.File] = []
    private(set) var summary: BackupSummary

    init(_ library: RecordingLibrary, _ target: String, last: BackupManifest?, _ summary: BackupSummary, now: Int64) {
        (self.library, self.target, self.summary) = (library, target, summary)
        let files = (last?.files ?? []).map { file -> (String, BackupManifest.File) in
            // A time far in the future, from a clock that was ahead, would end the rotation: no comparison could be
            // later.
            var file = file
            if file.compared > now + Self.millisecondsOfDay { file.compared = 0 }
            return (file.member.name, file)
        }
        known = Dictionary(files) { first, _ in first }
        let latest = known.values.map(\.compared).max() ?? 0
        stamp = min(max(now, latest + 1), ClosedRange.milliseconds.upperBound)
    }

    /// - Parameter isVerifying: True to compare all files, false to compare only the files with the oldest comparisons.
    mutating func update(_ wanted: [Wanted], isVerifying: Bool, _ isCancelled: () -> Bool) throws {
        let ages = wanted.map { known[$0.member.name]?.compared ?? -1 }
        let kept = ages.count { $0 >= 0 }
        var left = isVerifying ? kept : (kept + Self.rounds - 1) / Self.rounds
        var places: [String: Int] = [:]
        for (place, file) in wanted.enumerated() { places[file.member.name] = place }
        // New files first, then the files with the oldest comparisons.
        let order = wanted.indices.sorted {
            (ages[$0], wanted[$0].member.name) < (ages[$1], wanted[$1].member.name)
        }
        for place in order {
            if isCancelled() { throw RecordingLibraryError.cancelled }
            let count = files.count
            try update(wanted[place], isCompared: ages[place] < 0 || left > 0)
            // A file that cannot be compared must not use up the turn of another file in each backup.
            let isOpen = files.count > count && files[count].compared != stamp
            if ages[place] >= 0, left > 0, !isOpen { left -= 1 }
        }
        files.sort { places[$0.member.name, default: 0] < places[$1.member.name, default: 0] }
    }

    private mutating func update(_ file: Wanted, isCompared: Bool) throws {
        let place = target + "/" + file.member.name
        let source = unsafe FileState(FileName.systemName(file.source))
        let copy = unsafe FileState(place)
        guard let source else {
            // With the source missing, the copy may be the last copy.
            guard let copy else {
                summary.problems.append("\(file.source) is missing, and is not in the backup")
                return
            }
            return checkLastCopy(of: file, place, copy.byteCount)
        }
        var isDamaged = false
        if let copy, copy.byteCount == source.byteCount {
            let compared = known[file.member.name]?.compared ?? 0
            if !isCompared { return keep(file, copy.byteCount, comparedAt: compared) }
            let (there, here) = (file.check(place), file.check(file.source))
            switch (there, here) {
            case (.right, _):
                summary.compared += 1
                if here == .wrong { tellChanged(file.source, keeping: place) }
                if case .unknown(let reason) = here { tellUnknown(file.source, reason, keeping: place) }
                return keep(file, copy.byteCount, comparedAt: stamp)
            case (.unknown(let reason), .wrong), (.unknown(let reason), .unknown):
                summary.problems.append("the copy of \(file.source) in the backup could not be compared: \(reason)")
                return keep(file, copy.byteCount, comparedAt: compared)
            // An unreadable copy of a readable file does not count as a copy.
            case (.wrong, _), (.unknown, .right):
                summary.compared += 1
                isDamaged = true
            }
        }
        switch try copied(file, to: place) {
        case .copied:
            summary.copied += 1
            summary.copiedBytes += source.byteCount
            if isDamaged { summary.repaired.append(place) }
            keep(file, source.byteCount, comparedAt: stamp)
        case .unknown(let reason):
            if let copy {
                keepCopy(of: file, place, copy.byteCount, reason)
            } else {
                try copyBytes(of: file, to: place, source.byteCount, reason)
            }
        case .wrong, .taken, .refused:
            if isDamaged {
                summary.problems.append("\(file.source) is damaged, and so is its copy in the backup: \(place)")
            } else if let copy {
                keepCopy(of: file, place, copy.byteCount, nil)
            } else {
                tellNowhere(file.source)
            }
        }
    }

    /// Checks the copy of a file that is missing here: the copy in the backup may be the last copy.
    private mutating func checkLastCopy(of file: Wanted, _ place: String, _ byteCount: Int64) {
        let words = "\(file.source) is missing"
        let check = file.check(place)
        if case .unknown = check {} else { summary.compared += 1 }
        switch check {
        case .right:
            summary.problems.append("\(words); its copy in the backup is whole: \(place)")
            keep(file, byteCount, comparedAt: stamp)
        case .wrong: summary.problems.append("\(words), and its copy in the backup is damaged: \(place)")
        case .unknown(let reason):
            summary.problems.append("\(words), and its copy in the backup could not be compared: \(reason)")
            keep(file, byteCount, comparedAt: known[file.member.name]?.compared ?? 0)
        }
    }

    /// Keeps the copy of a file that was not copied again.
    ///
    /// - Parameter reason: Why the file here could not be compared; nil if its content differs.
    private mutating func keepCopy(of file: Wanted, _ place: String, _ byteCount: Int64, _ reason: String?) {
        switch file.check(place) {
        case .right:
            if let reason {
                tellUnknown(file.source, reason, keeping: place)
            } else {
                tellChanged(file.source, keeping: place)
            }
            keep(file, byteCount, comparedAt: stamp)
        case .wrong:
            guard let reason else { return tellNowhere(file.source) }
            summary.problems.append(
                "\(file.source) could not be compared, and its copy in the backup is damaged: \(reason)")
        case .unknown(let other):
            summary.problems.append(
                "\(file.source) and its copy in the backup could not be compared: \(reason ?? other)")
            keep(file, byteCount, comparedAt: known[file.member.name]?.compared ?? 0)
        }
    }

    /// Copies a file that cannot be compared and is not yet in the backup. The next backup compares the file first.
    private mutating func copyBytes(
        of file: Wanted, to place: String, _ byteCount: Int64, _ reason: String
    ) throws {
        let hash = DocumentFile.hash(ofFileAt: file.source)
        guard let hash,
            try library.copyChecked(file.source, to: place, check: { ContentCheck.content(of: $0, hash) }) == .copied
        else {
            summary.problems.append("\(file.source) is not in the backup: \(reason)")
            return
        }
        summary.copied += 1
        summary.copiedBytes += byteCount
        summary.problems.append("\(file.source) was copied, but could not be compared: \(reason)")
        keep(file, byteCount, comparedAt: 0)
    }

    /// Copies a file if its content is right. A read error of the disk must not end the whole backup.
    private func copied(_ file: Wanted, to place: String) throws -> RecordingLibrary.Copying {
        do { return try library.copyChecked(file.source, to: place, check: file.check) } catch {
            switch file.check(file.source) {
            case .wrong: return .wrong
            case .unknown(let reason) where DocumentFile.hash(ofFileAt: file.source) == nil: return .unknown(reason)
            case .right, .unknown: throw error
            }
        }
    }

    private mutating func tellNowhere(_ source: String) {
        summary.problems.append("\(source) has changed since it was added, and is not in the backup")
    }

    private mutating func tellUnknown(_ source: String, _ reason: String, keeping place: String) {
        summary.problems.append("\(source) could not be compared; its copy in the backup is whole: \(place): \(reason)")
    }

    private mutating func tellChanged(_ source: String, keeping place: String) {
        summary.problems.append(
            "\(source) has changed since it was added; its copy in the backup is whole: \(place)")
    }

    private mutating func keep(_ file: Wanted, _ byteCount: Int64, comparedAt time: Int64) {
        summary.files += 1
        files.append(.init(member: file.member, byteCount: byteCount, compared: time))
    }
}
