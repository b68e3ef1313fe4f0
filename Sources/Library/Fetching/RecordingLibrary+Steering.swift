public import Catalogue
internal import Database
internal import Files
internal import Glibc
internal import Transfers

/// A fetch on the list, with its present progress, in whichever program the fetch runs.
package struct FetchStatus: Sendable, Hashable {
    /// The fetch, as listed.
    package let fetch: PendingFetch
    /// True if a program is receiving the file at the moment.
    package let isRunning: Bool
    /// Received bytes.
    package let doneBytes: Int64
    /// Bytes of the whole file; nil if unknown.
    package let totalBytes: Int64?
    /// Mean rate since the first received byte; nil if paused, not running or unknown.
    package let bytesPerSecond: Int64?

    /// Received share, 0 to 1; nil if unknown.
    package var fraction: Double? {
        totalBytes.flatMap { $0 > 0 ? min(1, Double(doneBytes) / Double($0)) : nil }
    }
}

/// Requests of a program for fetches that another program carries out.
extension RecordingLibrary {
    /// Returns the unfinished fetches with their progress, in the order of execution. Reads a file for each fetch.
    ///
    /// - Throws: `StoreError`; `RecordingLibraryError` at a limit of open files.
    package func fetchStatuses() throws -> [FetchStatus] {
        try pendingFetches().map { try status(of: $0) }
    }

    /// Returns a fetch with its present progress.
    ///
    /// - Throws: `RecordingLibraryError` at a limit of open files.
    package func status(of fetch: PendingFetch) throws(RecordingLibraryError) -> FetchStatus {
        let path = path(ofPart: fetch.address)
        let part: PartSummary?
        do throws(FileFault) { part = try PartSummary(ofFile: path) } catch {
            throw RecordingLibraryError.reading(path, error)
        }
        // A complete file that the library could not add, for want of room.
        let whole = part == nil ? Self.byteCount(ofWhole: path) : nil
        return FetchStatus(
            fetch: fetch, isRunning: part?.isHeld ?? false,
            doneBytes: part?.byteCount ?? whole ?? fetch.doneBytes,
            totalBytes: part?.wholeByteCount ?? whole ?? fetch.totalBytes,
            bytesPerSecond: fetch.state == .waiting ? part?.bytesPerSecond : nil)
    }

    /// Removes a fetch from the list. Another program that carries out the fetch ends it: `woodshed get` within a
    /// second. Cancel a fetch of your own `Fetcher` with the fetcher first: this call waits for other programs only.
    ///
    /// - Parameters:
    ///   - number: Number of the fetch.
    ///   - discarding: True to remove the received bytes. If another program is receiving the bytes, this call waits up
    ///     to five seconds for the end of the fetch, then the bytes are removed. If false, asking for the address again
    ///     continues from these bytes.
    /// - Returns: The fetch before the removal.
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    @discardableResult
    public func cancelFetch(_ number: Int, discarding: Bool) throws -> PendingFetch {
        let fetch = try setFetch(number, .paused)
        // Mark before removing the row: the program that holds the part looks for the mark when the row is gone.
        let isMarked = discarding && markUnwanted(fetch.address)
        if discarding, !isMarked { _ = removeParts(of: fetch.address) }
        try changeFetches(isRemoval: true) { (rows) throws(DatabaseError) in try rows.remove(fetch) }
        guard isMarked else { return fetch }
        // A part still held afterwards is removed by its holder, or before the next fetch of the address.
        for _ in 0..<Self.looks {
            if removeUnwanted(fetch.address) { break }
            usleep(Self.lookMicroseconds)
        }
        return fetch
    }

    /// Returns the length of a fetched file that is not yet a recording of the library; nil if there is no such file.
    static func byteCount(ofWhole path: String) -> Int64? { unsafe FileState(path)?.byteCount }

    /// Returns the number of bytes from which a fetch can continue; 0 if there are none. At a limit of open files,
    /// returns the number on the list.
    func keptBytes(of fetch: PendingFetch) -> Int64 {
        let path = path(ofPart: fetch.address)
        do throws(FileFault) {
            return try PartSummary(ofFile: path)?.keptByteCount ?? Self.byteCount(ofWhole: path) ?? 0
        } catch { return fetch.doneBytes }
    }

    /// True if received bytes of an address exist, or if a limit of open files leaves this unknown.
    package func hasPart(of address: String) -> Bool {
        do throws(FileFault) { return try PartSummary(ofFile: path(ofPart: address)) != nil } catch { return true }
    }

    private static let looks = 100
    private static let lookMicroseconds: UInt32 = 50_000

    private func path(ofPart address: String) -> String { folder.parts + "/" + Self.partName(address) }

    private func path(ofMark address: String) -> String { folder.parts + "/" + Self.unwantedName(address) }

    /// Asks the program that holds the part of an address to remove the part. Returns false if the request cannot be
    /// written.
    private func markUnwanted(_ address: String) -> Bool {
        let file = calls.create(path(ofMark: address))
        if file >= 0 { _ = calls.close(Int32(file)) }
        return file >= 0 || file == -Int(EEXIST)
    }

    /// True if another program has asked to remove the received bytes of an address.
    func isUnwanted(_ address: String) -> Bool {
        FileIdentity(path: path(ofMark: address)) != nil
    }

    /// Removes the unwanted part of an address, unless a program holds the part.
    ///
    /// - Returns: True if nothing unwanted is left.
    @discardableResult
    func removeUnwanted(_ address: String) -> Bool { !isUnwanted(address) || removeParts(of: address) }

    /// Removes all files of an address, the mark last, unless a program holds the part.
    @discardableResult
    func removeParts(of address: String) -> Bool {
        let path = path(ofPart: address)
        let others = [path, RecordingLibrary.rejectedName(ofPart: path + ".part"), self.path(ofMark: address)]
        return PartSummary.remove(ofFile: path, and: others, calls: calls)
    }
}
