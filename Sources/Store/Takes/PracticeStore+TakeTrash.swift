internal import AudioFiles
internal import Database
package import Explanations
internal import Glibc
internal import Synchronization

/// The trash of the kept takes: deleting, restoring, and emptying.
///
/// A file changes its name, or goes, only within a transaction that has found the take in the trash. So no other
/// program restores, deletes or forgets the take at the same moment.
extension PracticeStore {
    /// Moves takes to the trash, in one step. Their files stay in their folders, under hidden names. A file not proven
    /// to be the take's, because it was changed or its name reused, stays as it is.
    ///
    /// Many takes go in pieces, each in one transaction, so that other programs can use the store between two pieces.
    /// After an interruption, repeating the call completes the deletion: takes already in the trash are passed by.
    ///
    /// - Parameter numbers: the numbers of the takes.
    /// - Returns: The takes in their new state.
    /// - Throws: `TakeError` if a take is unknown, or if all takes are already in the trash: nothing has changed;
    ///   `AudioFileError` if a file cannot be renamed: its take stays in the list.
    @discardableResult
    public func trash(takes numbers: [Int]) throws -> [StoredTake] { try trash(takes: numbers) {} }

    /// Takes of a piece of a deletion. Each take is a few statements.
    package static let trashedAtOnce = 400

    /// - Parameters:
    ///   - told: Called with the deleted takes after each piece.
    ///   - pieceDone: Called between two pieces; an error ends the deletion there.
    package func trash(
        takes numbers: [Int], atOnce: Int = trashedAtOnce, told: ([StoredTake]) -> Void = { _ in },
        pieceDone: () throws -> Void
    ) throws -> [StoredTake] {
        let known = try read { (rows) throws(DatabaseError) in try rows.takeNumbers() } ?? []
        if let unknown = numbers.first(where: { !known.contains($0) }) { throw TakeError.unknown(unknown) }
        let now = Int64(time(nil))
        // One undo step for all pieces.
        var trashing: Int64?
        var (trashed, failure): ([StoredTake], AudioFileError?) = ([], nil)
        try Self.inPieces(Set(numbers).sorted(), atOnce: atOnce) { (piece, isLast) in
            let step = trashing
            // Updates the list first: if the program ends before a file is hidden, nothing is lost.
            let deletion = try changeTakes(isRemoval: true) { (rows) throws(DatabaseError) in
                try rows.trash(piece, at: now, step)
            }
            trashing = deletion.trashing
            let hidden = try hideFiles(of: deletion, &failure)
            trashed += hidden
            told(hidden)
            if !isLast { try pieceDone() }
        }
        if let failure { throw failure }
        if trashed.isEmpty, let first = numbers.first { throw TakeError.trashed(first) }
        return trashed
    }

    /// Hides the files of deleted takes. A take whose file cannot be hidden returns to the list.
    ///
    /// - Returns: The deleted takes, and those of an interrupted deletion whose files are hidden now.
    func hideFiles(of deletion: TakeDeletion, _ failure: inout AudioFileError?) throws(StoreError) -> [StoredTake] {
        let owners = deletion.sharing.mapValues { TakeTrash.owner(of: $0)?.number }
        for take in deletion.takes
        where owners[take.path] == take.number && TakeTrash.isOwn(take, deletion.marks[take.number], at: take.path) {
            if case .failure(let error) = try hide(take, isNew: true) { failure = error }
        }
        var completed: [StoredTake] = []
        for take in deletion.earlier
        where deletion.sharing[take.path]?.isEmpty == true
            && TakeTrash.isUnhidden(take, deletion.marks[take.number])
        {
            switch try hide(take, isNew: false) {
            case .success(let isHidden): if isHidden { completed.append(take) }
            case .failure(let error): failure = error
            }
        }
        return deletion.takes + completed
    }

    /// Hides the file of a deleted take, unless another program has restored the take meanwhile. While the transaction
    /// lasts, no other program restores the take.
    ///
    /// - Parameter isNew: True to return the take to the list if its file cannot be hidden.
    /// - Returns: False for a take that is no longer in the trash.
    private func hide(_ take: StoredTake, isNew: Bool) throws(StoreError) -> Result<Bool, AudioFileError> {
        let began = ContinuousClock.now
        // Another take may follow at once.
        defer { Self.letOthersWrite(after: began.duration(to: .now)) }
        let result = try file.withLock { (file) throws(StoreError) in
            try file.change { (rows) throws(DatabaseError) -> Result<Bool, AudioFileError> in
                guard try rows.isStillTrashed(take) else { return .success(false) }
                do throws(AudioFileError) { try TakeTrash.hide(take) } catch {
                    if isNew { try rows.updateTake(take.number, .trashed, .null) }
                    return .failure(error)
                }
                return .success(true)
            }
        }
        // Hiding a file changes nothing in the list.
        if case .failure = result { announceTakeChanges() }
        return result
    }

    /// Restores the takes of the last deletion, as `restore(takes:of:)` does.
    ///
    /// - Throws: `TakeError` of kind `nothingToUndo` if there are none; otherwise the first error, after the last take.
    @discardableResult
    package func undoTrash() throws -> [StoredTake] {
        var failure: (any Error)?
        let (takes, deletion) = try lastDeletion()
        let restored = try restore(takes: takes.map(\.number), of: deletion, failed: { failure = failure ?? $0 })
        if let failure { throw failure }
        return restored
    }

    /// Returns the takes of the last deletion that are in the trash, and the number of the deletion.
    ///
    /// - Throws: `TakeError` of kind `nothingToUndo` if there are none.
    package func lastDeletion() throws -> (takes: [StoredTake], number: Int64) {
        let found = try read { (rows) throws(DatabaseError) -> (takes: [StoredTake], number: Int64)? in
            guard let trashing = try rows.lastTrashing() else { return nil }
            return (try rows.takes(trashing: trashing), trashing)
        }
        guard let found = found ?? nil, !found.takes.isEmpty else { throw TakeError.nothingToUndo }
        return found
    }

    /// Restores takes, one after another. A take that cannot be restored stays in the trash; the other takes follow.
    ///
    /// - Parameters:
    ///   - deletion: Number of the deletion to undo. A take that another program restores and deletes again meanwhile
    ///     stays in the trash. Nil for takes of any deletion.
    ///   - told: Called with each restored take.
    ///   - failed: Called with the error of each take that cannot be restored, as `restore(take:)` throws it.
    ///   - proceed: Called between two takes; an error ends the work there.
    /// - Returns: The restored takes.
    /// - Throws: `StoreError`; the takes before the error are restored.
    package func restore(
        takes numbers: [Int], of deletion: Int64? = nil, told: (StoredTake) -> Void = { _ in },
        failed: (any ExplainedError) -> Void, proceed: () throws -> Void = {}
    ) throws -> [StoredTake] {
        var restored: [StoredTake] = []
        try Self.inPieces(numbers, atOnce: 1) { (piece, isLast) in
            do {
                for number in piece {
                    let take = try restore(take: number, of: deletion)
                    restored.append(take)
                    told(take)
                }
            } catch let error as TakeError { failed(error) } catch let error as AudioFileError { failed(error) }
            if !isLast { try proceed() }
        }
        return restored
    }

    /// Restores a take from the trash, under its name.
    ///
    /// - Throws: `TakeError` of kind `unknown`, `trashed` if the take is not in the trash, `nameTaken` if another file
    ///   or a listed take has its name now; `AudioFileError` if the file cannot be renamed. The take then stays in the
    ///   trash.
    @discardableResult
    public func restore(take number: Int) throws -> StoredTake { try restore(take: number, of: nil) }

    private func restore(take number: Int, of deletion: Int64?) throws -> StoredTake {
        // A refused request creates no store.
        guard try take(number) != nil else { throw TakeError.unknown(number) }
        // In one transaction, so that no other program restores, deletes or forgets the take meanwhile. If the program
        // ends before the list has changed, the file has its name again, and repeating the call restores the take.
        let restored = try changeTakes { (rows) throws(DatabaseError) -> Result<StoredTake, any Error> in
            guard let take = try rows.take(number) else { return .failure(TakeError.unknown(number)) }
            if let refusal = try Self.refusal(of: take, deletion, rows) { return .failure(refusal) }
            do throws(AudioFileError) {
                guard try TakeTrash.bringBack(take) else {
                    return .failure(
                        TakeError(
                            .nameTaken, "take \(number) cannot be restored: there is another file \(take.path)",
                            remedy: "Move that file away first."))
                }
            } catch { return .failure(error) }
            try rows.updateTake(number, .trashed, .null)
            return try rows.take(number).map { .success($0) } ?? .failure(TakeError.unknown(number))
        }.get()
        return try withOwners([restored]).first ?? restored
    }

    /// Returns the reason why a take cannot be restored; nil if only the file can prevent the restoring.
    private static func refusal(
        of take: StoredTake, _ deletion: Int64?, _ rows: StoreRows
    ) throws(DatabaseError) -> TakeError? {
        let number = take.number
        guard take.isTrashed else {
            return TakeError(
                .trashed, "take \(number) is not in the trash", remedy: "List the takes in the trash.")
        }
        if let deletion, try rows.trashing(ofTake: number) != deletion { return .deletedAgain(number) }
        guard let other = TakeTrash.rival(of: take, among: try rows.takes(inFileAt: take.path)) else { return nil }
        return TakeError(
            .nameTaken, "take \(number) cannot be restored: take \(other.number) has the same name, \(take.path)",
            remedy: "Delete take \(other.number) from the list first.")
    }

    /// Permanently removes the files of all takes in the trash, and forgets the takes. A take stays in the trash if its
    /// hidden file is not proven to be the take's, or if an interrupted deletion or restoring left the file under its
    /// name.
    ///
    /// - Returns: The removed takes, and the number of freed bytes.
    /// - Throws: `AudioFileError` if a file cannot be removed; this take and the takes after it stay in the trash.
    @discardableResult
    public func emptyTrash() throws -> (takes: [StoredTake], bytes: Int64) {
        try emptyTrash(told: { _, _ in }, proceed: {})
    }

    /// - Parameters:
    ///   - told: Called with each removed take and its freed bytes.
    ///   - proceed: Called between two takes; an error ends the work there.
    package func emptyTrash(
        told: (StoredTake, Int64) -> Void, proceed: () throws -> Void
    ) throws -> (takes: [StoredTake], bytes: Int64) {
        var (removed, freed): ([StoredTake], Int64) = ([], 0)
        for take in try takes(TakeFilter(isTrash: true)) {
            if !removed.isEmpty { try proceed() }
            // Proves the file's owner before the transaction: other programs would wait for the reading of the file.
            let mark = try read { (rows) throws(DatabaseError) in try rows.mark(ofTake: take.number) } ?? nil
            let isUnhidden = try takes(sharing: take.path).isEmpty && TakeTrash.isUnhidden(take, mark)
            guard !isUnhidden, TakeTrash.mayEmpty(take, mark) else { continue }
            let bytes = TakeTrash.byteCount(take.currentPath) ?? 0
            let began = ContinuousClock.now
            defer { Self.letOthersWrite(after: began.duration(to: .now)) }
            // Another program may have restored the take meanwhile; while the transaction lasts, none does. Removes the
            // file first, to make room on a full disk. If the program ends then, the take is still in the trash, and
            // repeating the call forgets the take.
            let isForgotten = try changeTakes(isRemoval: true) {
                (rows) throws(DatabaseError) -> Result<Bool, AudioFileError> in
                guard try rows.isStillTrashed(take) else { return .success(false) }
                do throws(AudioFileError) { try TakeTrash.empty(take) } catch { return .failure(error) }
                try rows.removeTake(take.number)
                return .success(true)
            }.get()
            guard isForgotten else { continue }
            freed += bytes
            removed.append(take)
            told(take, bytes)
        }
        return (removed, freed)
    }
}
