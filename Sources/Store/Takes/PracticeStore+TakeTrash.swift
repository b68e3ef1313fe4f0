internal import AudioFiles
internal import Database
package import Explanations
internal import Files
internal import Glibc
internal import Synchronization

/// The trash of the kept takes: deleting, restoring, and emptying.
///
/// A file changes its name, or goes, only within a transaction that has found the take in the trash. So no other
/// program restores, deletes or forgets the take at the same moment. No transaction waits until a new name is on the
/// disk, because other programs would wait, too; except on file systems that rename only in two steps.
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
    ///   `AudioFileError` if files cannot be renamed: the message names their takes, which stay in the list, and all
    ///   other takes are in the trash; `StoreError`: the message names the takes that are in the trash now, and all
    ///   other takes are as before.
    @discardableResult
    public func trash(takes numbers: [Int]) throws -> [StoredTake] {
        var trashed: [StoredTake] = []
        do { return try trash(takes: numbers, told: { trashed += $0 }) {} } catch {
            throw Self.naming(trashed, "in the trash already", error, next: "Repeat the deletion to complete it.")
        }
    }

    /// Takes of a piece of a deletion. Each take is a few statements.
    package static let trashedAtOnce = 400

    /// - Parameters:
    ///   - told: Called after each piece with exactly the takes that the piece has moved to the trash, also if the
    ///     piece fails. Takes of an interrupted deletion whose files are hidden now follow.
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
        var result = TrashedTakes()
        try Self.inPieces(Set(numbers).sorted(), atOnce: atOnce) { (piece, isLast) in
            let step = trashing
            // Updates the list first: if the program ends before a file is hidden, nothing is lost.
            let deletion = try changeTakes(isRemoval: true) { (rows) throws(DatabaseError) in
                try rows.trash(piece, at: now, step)
            }
            trashing = deletion.trashing
            let earlier = result.takes.count
            do {
                defer { told(Array(result.takes[earlier...])) }
                try hideFiles(of: deletion, &result)
            }
            if !isLast { try pieceDone() }
        }
        if let failure = result.failure { throw failure }
        if result.takes.isEmpty, let first = numbers.first { throw TakeError.trashed(first) }
        return result.takes
    }

    /// Hides the files of deleted takes. A take whose file cannot be hidden returns to the list. An error leaves the
    /// other takes in the trash, perhaps with their files in place.
    ///
    /// - Parameter result: Receives the deleted takes, and those of an interrupted deletion whose files are hidden now.
    func hideFiles(of deletion: TakeDeletion, _ result: inout TrashedTakes) throws(StoreError) {
        result.takes += deletion.takes
        var renamed: [StoredTake] = []
        // A loss of power before this may leave the files in place, as the end of the program would.
        defer { TakeTrash.synchronise(renamed) }
        let owners = deletion.sharing.mapValues { TakeTrash.owner(of: $0)?.number }
        for take in deletion.takes
        where owners[take.path] == take.number && TakeTrash.isOwn(take, deletion.marks[take.number], at: take.path) {
            renamed.append(take)
            if case .failure(let error) = try hide(take, isNew: true) {
                result.takes.removeAll { $0.number == take.number }
                result.listed.append(take.number)
                result.note(error, take)
            }
        }
        for take in deletion.earlier {
            guard TakeTrash.isUnhidden(take, deletion.marks[take.number]), try !isListed(fileAt: take.path) else {
                continue
            }
            renamed.append(take)
            switch try hide(take, isNew: false) {
            case .success(let isHidden): if isHidden { result.takes.append(take) }
            case .failure(let error): result.note(error, take)
            }
        }
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
                do throws(AudioFileError) { try TakeTrash.hide(take, isNew: isNew) } catch {
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
    ///   or a listed take has its name now; `AudioFileError` if the file cannot be renamed; `StoreError`. The take then
    ///   stays in the trash. After a `StoreError` or a failure of the disk, the file may have its name again; repeating
    ///   the call completes the restoring.
    @discardableResult
    public func restore(take number: Int) throws -> StoredTake { try restore(take: number, of: nil) }

    private func restore(take number: Int, of deletion: Int64?) throws -> StoredTake {
        let returning = try bringBack(take: number, of: deletion)
        // Before the list changes: a loss of power must not leave a listed take with a hidden file.
        if let code = TakeTrash.synchronise([returning.take]) {
            throw TakeTrash.failure(returning.take, .restoring, errno: code)
        }
        return try list(returning)
    }

    /// Restores the file of a take in the trash under its name. If the program ends before `list`, the take is in the
    /// trash, and repeating the call restores the take.
    ///
    /// - Parameter deletion: Number of the deletion to undo; nil for any deletion.
    func bringBack(take number: Int, of deletion: Int64?) throws -> ReturningTake {
        let returned = try returnedFile(ofTake: number)
        // A refused request creates no store, and keeps no other program out of the store.
        let known = try read { (rows) throws(DatabaseError) in try Self.returning(number, deletion, returned, rows) }
        guard let known else { throw TakeError.unknown(number) }
        _ = try known.get()
        return try file.withLock { (file) throws(StoreError) in
            try file.change { (rows) throws(DatabaseError) -> Result<ReturningTake, any Error> in
                let returning: ReturningTake
                switch try Self.returning(number, deletion, returned, rows) {
                case .success(let found): returning = found
                case .failure(let refusal): return .failure(refusal)
                }
                do throws(AudioFileError) { try TakeTrash.bringBack(returning.take) } catch { return .failure(error) }
                return .success(returning)
            }
        }.get()
    }

    /// Returns a take to the list, unless another program has deleted, restored or changed the take since `bringBack`.
    func list(_ returning: ReturningTake) throws -> StoredTake {
        let number = returning.take.number
        let restored = try changeTakes { (rows) throws(DatabaseError) -> Result<StoredTake, any Error> in
            guard let take = try rows.take(number) else { return .failure(TakeError.unknown(number)) }
            let refusal = try Self.refusal(of: take, returning.deletion, isHidden: returning.wasHidden, rows)
            if let refusal { return .failure(refusal) }
            // Another deletion may have hidden the file again, because the take was still in the trash, also as the
            // file of an older take with the same path.
            guard take.path == returning.take.path, !TakeTrash.isHidden(take),
                !returning.hasFile || FileIdentity(path: take.path) != nil
            else { return .failure(TakeError.changedMeanwhile(number)) }
            try rows.updateTake(number, .trashed, .null)
            return try rows.take(number).map { .success($0) } ?? .failure(TakeError.unknown(number))
        }.get()
        // The take is restored, even if the store cannot be read any more.
        return (try? withOwners([restored]))?.first ?? restored
    }

    /// Returns the file of a take in the trash that an interrupted restoring has given its name again, beside a listed
    /// take of this name; nil if no file is proven to be the take's. Reads the file, so no transaction may be open.
    private func returnedFile(ofTake number: Int) throws(StoreError) -> FileIdentity? {
        let found =
            try read { (rows) throws(DatabaseError) -> (take: StoredTake, mark: TakeFileMark?)? in
                guard let take = try rows.take(number), take.isTrashed, try !rows.takes(inFileAt: take.path).isEmpty
                else { return nil }
                return (take, try rows.mark(ofTake: number))
            } ?? nil
        guard let (take, mark) = found, let file = FileIdentity(path: take.path), TakeTrash.isUnhidden(take, mark),
            try !isListed(fileAt: take.path)
        else { return nil }
        return file
    }

    /// Returns the take to restore, or the reason why the take cannot be restored.
    ///
    /// - Parameter returned: Result of `returnedFile`.
    private static func returning(
        _ number: Int, _ deletion: Int64?, _ returned: FileIdentity?, _ rows: StoreRows
    ) throws(DatabaseError) -> Result<ReturningTake, TakeError> {
        guard let take = try rows.take(number) else { return .failure(.unknown(number)) }
        let isReturned = returned != nil && FileIdentity(path: take.path) == returned
        let isHidden = TakeTrash.isHidden(take) || isReturned
        let refusal = try Self.refusal(of: take, deletion, isHidden: isHidden, rows)
        if let refusal { return .failure(refusal) }
        if TakeTrash.isNameTaken(take) {
            return .failure(
                TakeError(
                    .nameTaken, "take \(number) cannot be restored: there is another file \(take.path)",
                    remedy: "Move that file away first."))
        }
        return .success(
            ReturningTake(
                take: take, deletion: try rows.trashing(ofTake: number), wasHidden: isHidden,
                hasFile: isHidden || FileIdentity(path: take.path) != nil))
    }

    /// Returns the reason why a take cannot be restored; nil if only a file can prevent the restoring.
    ///
    /// - Parameter isHidden: True if the take's file is hidden, or was hidden until the restoring.
    private static func refusal(
        of take: StoredTake, _ deletion: Int64?, isHidden: Bool, _ rows: StoreRows
    ) throws(DatabaseError) -> TakeError? {
        let number = take.number
        guard take.isTrashed else {
            return TakeError(
                .trashed, "take \(number) is not in the trash", remedy: "List the takes in the trash.")
        }
        if let deletion, try rows.trashing(ofTake: number) != deletion { return .deletedAgain(number) }
        let listed = try rows.takes(inFileAt: take.path)
        guard let other = TakeTrash.rival(of: take, among: listed, isHidden: isHidden) else { return nil }
        return TakeError(
            .nameTaken, "take \(number) cannot be restored: take \(other.number) has the same name, \(take.path)",
            remedy: "Delete take \(other.number) from the list first.")
    }

    /// Permanently removes the files of all takes in the trash, and forgets the takes. A take stays in the trash if its
    /// hidden file is not proven to be the take's, or if an interrupted deletion or restoring left the file under its
    /// name.
    ///
    /// - Returns: The removed takes, and the number of freed bytes.
    /// - Throws: `AudioFileError` if a file cannot be removed, `StoreError`: the message names the takes removed
    ///   already, and all other takes stay in the trash.
    @discardableResult
    public func emptyTrash() throws -> (takes: [StoredTake], bytes: Int64) {
        var removed: [StoredTake] = []
        do { return try emptyTrash(told: { take, _ in removed.append(take) }, proceed: {}) } catch {
            throw Self.naming(removed, "removed already", error, next: "Empty the trash again to remove the rest.")
        }
    }

    /// Returns an error that also names the takes with which the work is done.
    ///
    /// - Parameters:
    ///   - done: Words before the takes, such as "removed already".
    ///   - next: How to complete the work.
    private static func naming(_ takes: [StoredTake], _ done: String, _ error: any Error, next: String) -> any Error {
        if takes.isEmpty { return error }
        let done = "; \(done): \(StoredTake.words(takes.map(\.number)))"
        switch error {
        case let error as StoreError:
            return StoreError(
                error.kind, error.message + done, remedy: "\(error.remedy) \(next)", status: error.exitStatus)
        case let error as AudioFileError: return error.adding(done, next: next)
        default: return error
        }
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
            let proven = FileIdentity(path: take.currentPath)
            let mark = try read { (rows) throws(DatabaseError) in try rows.mark(ofTake: take.number) } ?? nil
            let isUnhidden = try TakeTrash.isUnhidden(take, mark) && !isListed(fileAt: take.path)
            guard !isUnhidden, TakeTrash.mayEmpty(take, mark) else { continue }
            let bytes = TakeTrash.byteCount(take.currentPath) ?? 0
            let began = ContinuousClock.now
            defer { Self.letOthersWrite(after: began.duration(to: .now)) }
            guard try remove(take, proven) else { continue }
            freed += bytes
            removed.append(take)
            told(take, bytes)
        }
        return (removed, freed)
    }

    /// True if a file is proven to be the file of a take in the list.
    private func isListed(fileAt path: String) throws(StoreError) -> Bool {
        let listed =
            try read { (rows) throws(DatabaseError) in
                try rows.takes(inFileAt: path).map { (take) throws(DatabaseError) in
                    (take, try rows.mark(ofTake: take.number))
                }
            } ?? []
        return listed.contains { TakeTrash.isOwn($0, $1, at: path) }
    }

    /// Removes the hidden file of a take in the trash, and forgets the take.
    ///
    /// - Parameter proven: The hidden file that was proven to be the take's; nil for a missing file.
    /// - Returns: False if another program has restored the take since the proof, or is restoring the take.
    func remove(_ take: StoredTake, _ proven: FileIdentity?) throws -> Bool {
        // While open, the removed file keeps its room. So other programs do not wait until the room of a large file is
        // free.
        var held = try? unsafe RegularFile(FileName.systemName(take.currentPath), followsLinks: false)
        // On a full disk, the transaction is tried again after the removal of the file.
        var isRemoved = false
        // While the transaction lasts, no other program restores the take. Removes the file first, to make room on a
        // full disk. If the program ends then, the take is still in the trash, and repeating the call forgets the take.
        return try changeTakes(isRemoval: true) { (rows) throws(DatabaseError) -> Result<Bool, AudioFileError> in
            guard try rows.isStillTrashed(take), isRemoved || FileIdentity(path: take.currentPath) == proven else {
                return .success(false)
            }
            // The second attempt needs the room.
            if isRemoved, held != nil { held = nil }
            do throws(AudioFileError) { try TakeTrash.empty(take) } catch { return .failure(error) }
            isRemoved = true
            try rows.removeTake(take.number)
            return .success(true)
        }.get()
    }
}
