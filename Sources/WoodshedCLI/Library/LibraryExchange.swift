// Transfer of a library to other computers, and backups of a library.
import Explanations
import Files
import JSON
import Library
import Settings
import Terminal
import WoodshedLibrary

struct LibraryExchange {
    let library: RecordingLibrary
    let messages: MessageOptions

    // MARK: Writing

    func export(to path: String, withKeys: Bool) throws {
        let (pieces, shortened) = try library.exportedPieces(withKeys: withKeys)
        if path == "-" {
            for piece in pieces { try StandardStream.output.write(bytes: piece[...]) }
            try StandardStream.output.line("")
            return noteKeys(shortened)
        }
        do throws(FileFault) {
            let file = try WholeFile(path)
            for piece in pieces { try file.append(piece) }
            try file.append([UInt8(ascii: "\n")])
            try file.commit()
        } catch {
            throw AudioFileError.writing(path, errno: error.code, creating: error.isCreating)
        }
        try tellWritten(path, form: "catalogue", nil, shortened)
        noteKeys(shortened)
        note("next, on the other computer: woodshed library import \(shellPath(path))")
    }

    func bundle(to path: String, _ words: [String], withTakes: Bool, withKeys: Bool) throws {
        let numbers = words.isEmpty ? nil : try RecordingWord.items(words, in: library).map(\.number)
        let watch = SignalWatch(Signals.install())
        let contents = try watch.stopping {
            try library.writeBundle(
                to: path, of: numbers, withTakes: withTakes, withKeys: withKeys, isCancelled: { watch.isOver })
        }
        try tellWritten(path, form: "bundle", contents, contents.shortenedAddresses)
        noteKeys(contents.shortenedAddresses)
        for item in contents.missing {
            note("not in the bundle, because its file is missing: \(printable(item.words.title))")
        }
        for item in contents.changed {
            note("not in the bundle, because its file has another sound now: \(printable(item.words.title))")
        }
        for path in contents.changedTakes {
            note("not in the bundle, because it has another sound now: \(printable(path))")
        }
        for document in contents.missingDocuments {
            note("not in the bundle, because its file is missing or was changed: \(printable(document.name))")
        }
        note("next, on the other computer: woodshed library import \(shellPath(path))")
        let isWhole = [contents.missing, contents.changed].allSatisfy(\.isEmpty) && contents.changedTakes.isEmpty
        if !isWhole || !contents.missingDocuments.isEmpty { throw CommandFailure(.someFailed) }
    }

    func backUp(to path: String, isVerifying: Bool) throws {
        let watch = SignalWatch(Signals.install())
        let summary = try watch.stopping {
            try library.backUp(
                to: path, settings: Self.settings, isVerifying: isVerifying, isCancelled: { watch.isOver })
        }
        if messages.json {
            try write(
                "library.saved", path,
                [
                    .init("files", .integer(summary.files)), .init("copied", .integer(summary.copied)),
                    .init("bytes", .integer(summary.copiedBytes)), .init("linked", .integer(summary.linked)),
                    .init("problems", .array(summary.problems.map { .string($0) })),
                    .init("compared", .integer(summary.compared)),
                    .init("repaired", .array(summary.repaired.map { .string($0) })),
                    .init("settings", .integer(summary.settings)),
                ])
        }
        let (size, compared) = (sizeText(UInt64(max(0, summary.copiedBytes))), summary.compared)
        note(
            "the backup \(summary.problems.isEmpty ? "is whole" : "is written"): \(counted(summary.files, "file")), \(summary.copied) copied now (\(size)), \(compared) compared"
        )
        for path in summary.repaired { note(printable("was damaged in the backup, and was copied again: \(path)")) }
        if summary.linked > 0 {
            note("not in the backup: \(counted(summary.linked, "linked file"))")
        }
        for problem in summary.problems { StandardStream.error.note(printable(problem)) }
        if !summary.problems.isEmpty { throw CommandFailure(.someFailed) }
    }

    /// Reports addresses without their private keys, so incomplete addresses do not look complete.
    private func noteKeys(_ shortened: Int) {
        if shortened == 0 { return }
        note("private keys were left out of \(counted(shortened, "address", "addresses")); --with-keys keeps them")
    }

    /// The user's configuration.
    private static var settings: [String] { [SettingsFile()?.path].compactMap(\.self) }

    private func tellWritten(_ path: String, form: String, _ contents: BundleContents?, _ shortened: Int) throws {
        if messages.json {
            try write(
                "library.written", path,
                [
                    .init("form", .string(form)), .init("recordings", .integer(contents?.recordings ?? 0)),
                    .init("takes", .integer(contents?.takes ?? 0)),
                    .init("missing", .array((contents?.missing ?? []).map { .string("\($0.key)") })),
                    .init("documents", .integer(contents?.documents ?? 0)), .init("keys_left_out", .integer(shortened)),
                    .init("changed", .array((contents?.changed ?? []).map { .string("\($0.key)") })),
                    .init("changed_takes", .array((contents?.changedTakes ?? []).map { .string($0) })),
                ])
        }
        let words = contents.map { contents in
            let documents = contents.documents > 0 ? ", \(counted(contents.documents, "document"))" : ""
            return
                " with \(counted(contents.recordings, "recording"))\(documents) and \(counted(contents.takes, "take"))"
        }
        note(printable("wrote \(path)\(words ?? "")"))
    }

    // MARK: Reading

    func merge(_ path: String) throws {
        let summary = try reportingParts(
            .stoppedImport, { report(path, $0, isUnfinished: true) },
            { try library.importFile(at: path, isCancelled: $0, told: $1) })
        try tell(path, summary)
    }

    func restore(from path: String, merging: Bool) throws {
        let summary = try reportingParts(
            .stoppedImport, { report(path, $0, isUnfinished: true) },
            { isCancelled, told in
                try library.restore(
                    from: path, merging: merging, settings: Self.settings, isCancelled: isCancelled, told: told)
            })
        try tell(path, summary)
    }

    func salvage(_ path: String) throws {
        let summary = try reportingParts(
            .stoppedSalvage, { report(path, $0, isUnfinished: true) },
            { try library.salvage(storeAt: path, isCancelled: $0, told: $1) })
        try report(path, summary).write()
    }

    /// Runs work in pieces that a signal stops. The finished pieces stay in the store, so they are reported after an
    /// error or a stop, and also if a signal ends the process within a piece.
    ///
    /// - Parameters:
    ///   - stopped: The error of work that a signal stopped.
    ///   - described: Returns the report of the finished pieces.
    ///   - work: The work, which asks `isCancelled`, and calls `told` after each piece.
    private func reportingParts<Summary>(
        _ stopped: RecordingLibraryError, _ described: @escaping (Summary) -> PieceReport,
        _ work: (_ isCancelled: () -> Bool, _ told: (Summary) -> Void) throws -> Summary
    ) throws -> Summary {
        var finished: Summary?
        return try PartialWork.watched { watch in
            try work({ watch.isOver }) {
                finished = $0
                PartialWork.keep(described($0), stopped)
            }
        } failed: { error in
            if let finished { try? described(finished).write() }
            return error
        }
    }

    /// - Parameter isUnfinished: True if an error or the user stopped the repair after some of its pieces.
    private func report(_ path: String, _ summary: SalvageSummary, isUnfinished: Bool = false) -> PieceReport {
        let counts: [(name: String, count: Int, one: String, many: String?)] = [
            ("recordings", summary.items, "recording", nil),
            ("outside", summary.outside, "recording outside the library", "recordings outside the library"),
            ("sections", summary.sections, "section", nil),
            ("playlists", summary.playlists, "playlist", nil),
            ("entries", summary.entries, "entry of a playlist", "entries of playlists"),
            ("takes", summary.takes, "take", nil),
            ("practice", summary.practice, "entry of the practice log", "entries of the practice log"),
            ("reviews", summary.reviews, "rating", nil),
            ("histories", summary.histories, "undo history of sections", "undo histories of sections"),
            ("documents", summary.documents, "document", nil),
            ("feeds", summary.feeds, "subscription", nil),
            ("episodes", summary.episodes, "episode", nil),
            ("fetches", summary.fetches, "queued download", nil),
        ]
        if messages.json {
            let conflicts = summary.conflicts.map { conflict -> JSONValue in
                .object([
                    .init("thing", .string(conflict.thing)), .init("field", .string(conflict.field)),
                    .init("kept", .string(conflict.kept)), .init("passed_over", .string(conflict.passedOver)),
                ])
            }
            let others: [JSONValue.Field] =
                summary.otherConflicts > 0 ? [.init("other_conflicts", .integer(summary.otherConflicts))] : []
            return PieceReport(
                event: "library.salvaged", path: path,
                fields: counts.map { .init($0.name, .integer($0.count)) } + [
                    .init("described", .integer(summary.described)),
                    .init("conflicts", .array(conflicts)), .init("complete", .bool(summary.isComplete)),
                ] + others, isUnfinished: isUnfinished)
        }
        var notes = summary.conflicts.map { conflict in
            let values = "kept '\(conflict.kept)', not '\(conflict.passedOver)'"
            return printable("the \(conflict.field) of \(conflict.thing) differs: \(values)")
        }
        if summary.otherConflicts > 0 { notes.append("further fields that differ: \(summary.otherConflicts)") }
        let parts =
            counts.filter { $0.count > 0 }.map { counted($0.count, $0.one, $0.many) }
            + (summary.described > 0 ? ["the description of \(counted(summary.described, "recording"))"] : [])
        if isUnfinished {
            notes.append("brought back so far: \(summary.isEmpty ? "nothing" : parts.joined(separator: ", "))")
            return report(notes)
        }
        notes.append(
            summary.isEmpty
                ? "nothing was missing here"
                : "brought back: \(parts.joined(separator: ", "))")
        if !summary.isComplete { notes.append("some rows of \(printable(path)) cannot be read; the file is unchanged") }
        if !summary.isEmpty { notes.append("next: woodshed list, and: woodshed library check") }
        return report(notes)
    }

    private func tell(_ path: String, _ summary: ImportSummary) throws {
        try report(path, summary).write()
        for line in summary.settings { note(printable("brought back your settings: \(line)")) }
        for line in summary.omittedSettings {
            note(printable("left out of your settings, because it can start a program: \(line)"))
        }
        for path in summary.otherSettings {
            note(printable("your settings here stay; those of the backup are in \(path)"))
        }
        let refused = Self.refused(summary)
        for line in refused { StandardStream.error.note(printable(line)) }
        let parts = Self.parts(summary)
        note(parts.isEmpty ? "nothing had to be changed" : parts.joined(separator: "; "))
        if let problem = summary.problem { throw problem }
        if !parts.isEmpty {
            note(summary.merge.removed > 0 ? "next: woodshed list, or woodshed rm --undo" : "next: woodshed list")
        }
        if !refused.isEmpty { throw CommandFailure(.someFailed) }
    }

    /// The changes of an import, in words.
    private static func parts(_ summary: ImportSummary) -> [String] {
        let merge = summary.merge
        return [
            merge.added > 0 ? "\(counted(merge.added, "recording")) new" : nil,
            merge.changed > 0 ? "\(merge.changed) changed" : nil,
            merge.removed > 0 ? "\(merge.removed) in the trash" : nil,
            merge.sections > 0 ? "\(counted(merge.sections, "section")) new, changed or gone" : nil,
            merge.playlists > 0 ? "\(counted(merge.playlists, "playlist")) new, changed or gone" : nil,
            merge.takes > 0 ? "\(counted(merge.takes, "take")) described" : nil,
            merge.documents > 0 ? "\(counted(merge.documents, "document")) new, renamed or gone" : nil,
            summary.documents > 0 ? "\(counted(summary.documents, "document")) taken over" : nil,
            summary.recordings + summary.takes > 0
                ? "the sound of \(counted(summary.recordings, "recording")) and \(counted(summary.takes, "take")) taken over"
                : nil,
            summary.settings.isEmpty ? nil : "your settings brought back",
        ].compactMap(\.self)
    }

    private static func refused(_ summary: ImportSummary) -> [String] {
        otherSounds(summary.merge) + summary.refused
    }

    /// The event of an import with `--json`; without, only the words of an unfinished import.
    ///
    /// - Parameter isUnfinished: True if an error or the user stopped the import after some of its parts.
    private func report(_ path: String, _ summary: ImportSummary, isUnfinished: Bool = false) -> PieceReport {
        let merge = summary.merge
        if messages.json {
            return PieceReport(
                event: "library.merged", path: path,
                fields: [
                    .init("added", .integer(merge.added)), .init("removed", .integer(merge.removed)),
                    .init("changed", .integer(merge.changed)), .init("sections", .integer(merge.sections)),
                    .init("playlists", .integer(merge.playlists)), .init("described_takes", .integer(merge.takes)),
                    .init("recordings", .integer(summary.recordings)), .init("takes", .integer(summary.takes)),
                    .init("documents", .integer(summary.documents)),
                    .init("described_documents", .integer(merge.documents)),
                    .init("passed_over", .integer(summary.passedOver)),
                    .init("refused", .array(Self.refused(summary).map { .string($0) })),
                    .init("problem", summary.problem.map { .string($0.message) } ?? .null),
                    .init("settings", .array(summary.settings.map { .string($0) })),
                    .init("other_settings", .array(summary.otherSettings.map { .string($0) })),
                    .init("omitted_settings", .array(summary.omittedSettings.map { .string($0) })),
                ], isUnfinished: isUnfinished)
        }
        guard isUnfinished else { return PieceReport() }
        let parts = Self.parts(summary)
        return report(
            ["merged so far: \(parts.isEmpty ? "nothing" : parts.joined(separator: "; "))"]
                + (merge.removed > 0 ? ["what went into the trash comes back with: woodshed rm --undo"] : []))
    }

    /// Sentences about recordings with skipped sections.
    private static func otherSounds(_ merge: MergeSummary) -> [String] {
        merge.otherSound.map { title in
            "the sections of '\(title)' were not taken: its rate or length there is that of another sound"
        }
            + (merge.otherSounds > 0
                ? ["the sections of \(counted(merge.otherSounds, "more recording")) were not taken either"] : [])
    }

    // MARK: Parts

    private func write(_ event: String, _ path: String, _ fields: [JSONValue.Field]) throws {
        try PieceReport(event: event, path: path, fields: fields).write()
    }

    /// Returns a report in notes, which are left out with `--quiet` and `--json`.
    private func report(_ notes: [String]) -> PieceReport {
        var report = PieceReport()
        if !messages.quiet, !messages.json { report.notes = notes }
        return report
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(words) }
    }
}

extension PieceReport {
    /// The event of a library. An unfinished event is that of a work that an error or the user stopped.
    fileprivate init(event: String, path: String, fields: [JSONValue.Field], isUnfinished: Bool = false) {
        let unfinished: [JSONValue.Field] = isUnfinished ? [.init("unfinished", .bool(true))] : []
        output = JSONValue.event(event, [.init("path", .string(path))] + fields + unfinished).text + "\n"
    }
}
