internal import Files
internal import Realtime

/// The disk work of a queue. A dedicated thread runs the jobs for parts one after another; a further thread checks each
/// complete part. The results go to the network thread.
final class FileWork: Sendable {
    private let core: QueueCore
    private let jobs: JobThread

    /// Creates the job thread; nil if the system makes no thread.
    init?(_ core: QueueCore) {
        guard let jobs = JobThread(name: "woodshed-part") else { return nil }
        (self.core, self.jobs) = (core, jobs)
    }

    /// Ends the thread after the queued jobs.
    func end() { jobs.end() }

    private func add(_ job: @escaping @Sendable (QueueCore) -> Void) {
        let core = core
        core.countFileWork(1)
        jobs.add {
            job(core)
            core.countFileWork(-1)
        }
    }

    func open(_ transfer: Transfer) {
        add { core in
            do throws(TransferError) {
                if transfer.isGivenUp { throw .cancelled }
                let part = try PartFile(transfer.request, calls: core.hooks.calls)
                core.countFileWork(1)
                part.onClose = { core.countFileWork(-1) }
                do throws(TransferError) {
                    let beginning = try part.beginning(transfer.request)
                    if core.post(.opened(transfer, part, beginning)) { return }
                    _ = Self.settled(part, written: 0, isDiscarding: transfer.isDiscarding)
                } catch {
                    _ = Self.settled(part, written: 0, isDiscarding: false)
                    throw error
                }
            } catch { core.post(.notOpened(transfer.id, error)) }
        }
    }

    /// Makes the part ready for the body of an exchange.
    func prepare(_ id: Int, _ serial: Int, _ body: @escaping @Sendable () throws(TransferError) -> Void) {
        add { core in
            core.post(.prepared(id, exchange: serial, TransferError.thrown(by: body)))
        }
    }

    /// Records bytes once they are on the disk, and asks the caller whether to continue.
    func note(_ transfer: Transfer, _ part: PartFile, _ byteCount: Int64) {
        add { core in
            let request = transfer.request
            let error = TransferError.thrown { () throws(TransferError) in
                try part.note(byteCount)
                guard part.record.byteCount == nil, let accepts = request.acceptsBytes else { return }
                do { try accepts(byteCount) } catch { throw .rejected(by: error, request.address) }
            }
            core.post(.noted(transfer.id, error))
        }
    }

    /// Puts the received bytes on the disk, and closes the part. Removes the part if nothing is kept.
    func settle(_ id: Int?, _ part: PartFile, written: Int64, isDiscarding: Bool) {
        add { core in
            let kept = Self.settled(part, written: written, isDiscarding: isDiscarding)
            if let id { core.post(.settled(id, keptBytes: kept)) }
        }
    }

    private static func settled(_ part: PartFile, written: Int64, isDiscarding: Bool) -> Int64 {
        if !isDiscarding, written > part.record.durableBytes { try? part.note(written) }
        let kept = part.record.durableBytes
        if isDiscarding || kept == 0 {
            part.discard()
            return 0
        }
        part.close()
        return kept
    }

    // MARK: The complete part

    /// Checks a complete part, and gives the file its final name.
    ///
    /// - Parameters:
    ///   - isEndClean: As in `FetchedPart`.
    ///   - isNamed: True if an earlier run has already named the file.
    func check(
        _ transfer: Transfer, _ part: PartFile, byteCount: Int64, isEndClean: Bool, isNamed: Bool
    ) {
        let core = core
        core.countFileWork(1)
        let work: @Sendable () -> Void = {
            let report = Self.named(transfer, part, byteCount, isEndClean: isEndClean, isNamed: isNamed)
            if !core.post(report), case .cutOff = report {
                _ = Self.settled(part, written: 0, isDiscarding: transfer.isDiscarding)
            }
            core.countFileWork(-1)
        }
        // Run after the queued jobs, which use the part as well.
        jobs.add {
            if let thread = PlainThread(name: "woodshed-check", work) { thread.detach() } else { work() }
        }
    }

    /// Returns the report to the network thread: `checked` or `cutOff`.
    private static func named(
        _ transfer: Transfer, _ part: PartFile, _ byteCount: Int64, isEndClean: Bool, isNamed: Bool
    ) -> Command {
        var record = part.record
        record.byteCount = byteCount
        // An earlier version may have recorded an address that this version refuses.
        let address = (try? WebAddress(record.effectiveAddress)) ?? transfer.request.address
        let answer = record.answer(from: address)
        do throws(TransferError) {
            let path: String
            if isNamed {
                path = part.place.path
            } else {
                if !part.record.isComplete { try part.note(byteCount, isComplete: isEndClean) }
                let isCompared = try compare(transfer, part, record, isEndClean: isEndClean)
                let name = try judged(transfer, part, answer, byteCount, isEndClean: isEndClean || isCompared)
                // Record the completeness now: a later run would not know how the connection ended.
                if !part.record.isComplete { try part.note(byteCount, isComplete: true) }
                guard transfer.claimName() else { throw .cancelled }
                path = try part.name(name, replaces: transfer.request.replaces)
            }
            part.tidy()
            return .checked(
                transfer.id, .success(FetchedFile(path: path, byteCount: byteCount, answer: answer)), keptBytes: 0)
        } catch {
            if error.kind == .truncated {
                let fault = TransferError.thrown { () throws(TransferError) in
                    try part.noteIncomplete(isWanted: { !transfer.isGivenUp })
                }
                if fault == nil { return .cutOff(transfer, part, error) }
            }
            // Remove a refused part: a complete part is never requested again.
            let isRefused = error.kind == .rejected || error.kind == .checksum
            let failure = isRefused && byteCount > 0 && !transfer.isDiscarding ? keeping(part, transfer, error) : error
            let kept = settled(part, written: 0, isDiscarding: isRefused || transfer.isDiscarding)
            return .checked(transfer.id, .failure(failure), keptBytes: kept)
        }
    }

    /// Keeps a refused part if the request gives a path, and adds the path to the error.
    private static func keeping(_ part: PartFile, _ transfer: Transfer, _ error: TransferError) -> TransferError {
        guard let path = transfer.request.rejectedPath, part.keep(as: path) else { return error }
        return TransferError(
            error.kind, error.message, remedy: "\(error.remedy) The received file is kept: \(path)")
    }

    /// Compares the part with every known checksum. The comparison reads the whole part, so it covers exactly the bytes
    /// of a later reader, whichever run received them.
    ///
    /// - Returns: True if a checksum is known.
    private static func compare(
        _ transfer: Transfer, _ part: PartFile, _ record: PartRecord, isEndClean: Bool
    ) throws(TransferError) -> Bool {
        let asked = transfer.request.sha256.flatMap { Checksum(.sha256, hexadecimal: $0) }
        let expected = record.checksums + (asked.map { [$0] } ?? [])
        for algorithm in Checksum.Algorithm.allCases {
            let sums = expected.filter { $0.algorithm == algorithm }
            if sums.isEmpty { continue }
            guard let found = try part.sum(algorithm, isWanted: { !transfer.isGivenUp }) else { throw .cancelled }
            guard let wrong = sums.first(where: { $0.bytes != found }) else { continue }
            // A missing rest is more likely than damage.
            guard isEndClean else {
                throw .truncated(transfer.request.address, done: part.record.durableBytes, total: nil)
            }
            let isAsked = wrong == asked && !record.checksums.contains(wrong)
            throw .checksum(transfer.request.address.shown, algorithm, isAsked: isAsked)
        }
        return !expected.isEmpty
    }

    /// Lets the caller check the part, and returns the caller's name for the file; nil for the planned name.
    private static func judged(
        _ transfer: Transfer, _ part: PartFile, _ answer: TransferAnswer, _ byteCount: Int64, isEndClean: Bool
    ) throws(TransferError) -> String? {
        if transfer.isGivenUp { throw .cancelled }
        guard let check = transfer.request.check else { return nil }
        let isWanted: @Sendable () -> Bool = { !transfer.isGivenUp }
        let fetched = FetchedPart(
            path: part.names.part, answer: answer, byteCount: byteCount, isEndStated: part.record.isEndStated,
            isEndClean: isEndClean, endsAsBefore: try part.endsAsBefore(isWanted: isWanted), isWanted: isWanted)
        do { return try check(fetched) } catch { throw .rejected(by: error, answer.address) }
    }
}

extension TransferError {
    /// Returns the error thrown by `body`; nil if `body` throws none.
    static func thrown(by body: () throws(TransferError) -> Void) -> TransferError? {
        do throws(TransferError) { try body() } catch { return error }
        return nil
    }
}
