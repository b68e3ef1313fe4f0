// The changes of `woodshed takes`: names, notes and ratings, added takes, and the trash.
import AudioFiles
import Explanations
import Files
import JSON
import Terminal
import WoodshedPractice

/// Changes of kept takes, with their reports.
struct TakeChanges {
    let store: PracticeStore
    let messages: MessageOptions

    /// Returns the rating of a word; nil for none.
    static func rating(_ word: String) throws(CommandFailure) -> Int? {
        if word == "none" { return nil }
        guard let number = wholeNumber(word), (1...5).contains(number) else {
            throw CommandFailure(.usage, "'\(word)' is not a rating", remedy: "Give 1 to 5, or none.")
        }
        return Int(number)
    }

    func edit(_ word: String, _ edit: TakeEdit, _ verb: String) throws {
        let take = try store.edit(take: try TakeWord.take(word, in: store).number, edit)
        try reports(verb, next: "takes").write([take])
    }

    func add(_ paths: [String]) throws {
        let reports = reports("added", next: "takes")
        var added: [StoredTake] = []
        try PartialWork.run(
            "the adding", reports,
            { pieces in
                for path in paths {
                    if !added.isEmpty { try pieces.proceed() }
                    added.append(try store.addTake(inFileAt: path, sound(path)))
                    pieces.finish(added.suffix(1))
                }
            },
            done: { "added already: \($0) of \(counted(paths.count, "take"))" },
            next: "Repeat the command to add the rest.")
        try reports.write(added)
    }

    /// Returns the sound of an older recording. Its time comes from the list, or else from the file's modification
    /// time.
    private func sound(_ path: String) throws -> StoredTake.Sound {
        let info = try AudioFileInfo(path: path)
        let known = try FileName.absolute(path).flatMap { try store.take(inFileAt: $0) }
        let modified = unsafe FileState(path)?.modified.seconds ?? 0
        return StoredTake.Sound(
            time: known?.sound.time ?? modified, sampleRate: info.sampleRate, channelCount: info.channelCount,
            frameCount: info.frameCount)
    }

    // MARK: The trash

    func delete(_ takes: [StoredTake]) throws {
        let reports = reports("deleted", next: "takes undo")
        // Many takes go in pieces, and a take whose file cannot be hidden stays.
        let deleted = try PartialWork.run(
            "the deletion", reports,
            { try store.trash(takes: takes.map(\.number), told: $0.finish, pieceDone: $0.proceed) },
            done: { "in the trash already: \($0) of \(counted(takes.count, "take"))" },
            next: "Restore this part with: woodshed takes undo")
        try reports.write(deleted)
        for take in deleted where isFile(take.path) {
            note(printable("take \(take.number): \(take.path) stays, because the file may be another recording now"))
        }
    }

    /// Restores takes from the trash, and reports each take that cannot be restored.
    ///
    /// - Parameters:
    ///   - deletion: Number of the deletion to undo; nil for takes of any deletion.
    ///   - next: How to restore the rest after an error.
    func restore(_ takes: [StoredTake], of deletion: Int64? = nil, next: String) throws {
        let reports = reports("brought back", next: "takes")
        var (failure, count): ((any ExplainedError)?, Int) = (nil, 0)
        let restored = try PartialWork.run(
            "the restoring", reports,
            { pieces in
                try store.restore(
                    takes: takes.map(\.number), of: deletion, told: { pieces.finish([$0]) },
                    failed: { error in
                        (failure, count) = (error, count + 1)
                        if takes.count > 1 { StandardStream.error.note(error.text) }
                    }, proceed: pieces.proceed)
            },
            done: { "brought back already: \(counted($0, "take"))" }, next: next)
        if takes.count == 1, let failure { throw failure }
        if !restored.isEmpty { try reports.write(restored) }
        if count == 0 { return }
        throw CommandFailure(
            .someFailed, "\(count) of \(counted(takes.count, "take")) could not be brought back", remedy: next)
    }

    /// - Parameter isConfirmed: False to report only what would be removed.
    func empty(isConfirmed: Bool) throws {
        let takes = try store.takes(TakeFilter(isTrash: true))
        let size = sizeText(UInt64(try store.takeStorage().trash))
        guard !takes.isEmpty else { return note("The trash is empty.") }
        guard isConfirmed else {
            throw CommandFailure(
                .usage, "this would remove \(counted(takes.count, "take")) (\(size)) for good",
                remedy: "Remove these takes with: woodshed takes empty --yes")
        }
        let reports = PieceReports<StoredTake>(
            messages: messages, json: { Self.removed($0.number) }, notes: { _ in [] })
        let (removed, bytes) = try PartialWork.run(
            "the emptying of the trash", reports,
            { pieces in try store.emptyTrash(told: { take, _ in pieces.finish([take]) }, proceed: pieces.proceed) },
            done: { "removed for good already: \($0) of \(counted(takes.count, "take"))" },
            next: "Remove the rest with: woodshed takes empty --yes")
        for words in try TakeWord.leftInTrash(of: store) { note(printable(words)) }
        try reports.write(removed)
        note("removed \(counted(removed.count, "take")), \(sizeText(UInt64(bytes))) are free")
    }

    // MARK: Reports

    /// The event of a take that was removed for good.
    static func removed(_ number: Int) -> JSONValue { .event("take.removed", [.init("number", .integer(number))]) }

    /// Returns the reports of changed takes, with the next command.
    private func reports(_ verb: String, next: String) -> PieceReports<StoredTake> {
        PieceReports(
            messages: messages, json: { .object([.init("v", .integer(1))] + $0.fields) },
            notes: { takes in
                let words = takes.count == 1 ? "take \(takes[0].number)" : counted(takes.count, "take")
                return ["\(verb): \(words)", "next: woodshed \(next)"]
            })
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(words) }
    }
}
