public import Catalogue
internal import Database
internal import Files
internal import Glibc
public import Store
internal import Transfers

/// A fetch on the list, and how far it is at the moment, in whatever program.
public struct FetchStatus: Sendable, Hashable {
    /// The fetch, as the list has it.
    public let fetch: PendingFetch
    /// Whether a program receives it at the moment.
    public let isRunning: Bool
    /// The bytes that are there.
    public let doneBytes: Int64
    /// The bytes of the whole file; nil if that is not known.
    public let totalBytes: Int64?
    /// The mean rate since its bytes began to come; nil if it is paused or not running, or if the rate is not known.
    public let bytesPerSecond: Int64?

    /// How much is there, 0 to 1; nil if that is not known.
    public var fraction: Double? {
        totalBytes.flatMap { $0 > 0 ? min(1, Double(doneBytes) / Double($0)) : nil }
    }
}

/// Requests of one program for fetches that another one carries out.
extension RecordingLibrary {
    /// The fetches that are not done, in the order in which they are carried out, and how far each is. Reads a file for each.
    ///
    /// - Throws: `StoreError`.
    public func fetchStatuses() throws(StoreError) -> [FetchStatus] {
        try pendingFetches().map { fetch in
            let path = path(ofPart: fetch.address)
            let part = PartSummary(ofFile: path)
            // A whole file that the library could not take, for want of room.
            let whole = part == nil ? Self.byteCount(ofWhole: path) : nil
            return FetchStatus(
                fetch: fetch, isRunning: part?.isHeld ?? false,
                doneBytes: part?.byteCount ?? whole ?? fetch.doneBytes,
                totalBytes: part?.wholeByteCount ?? whole ?? fetch.totalBytes,
                bytesPerSecond: fetch.state == .waiting ? part?.bytesPerSecond : nil)
        }
    }

    /// Removes a fetch from the list. Another program that carries it out ends it: `woodshed get` within a second. Cancel a fetch of your own
    /// `Fetcher` there first: this call waits for other programs only.
    ///
    /// - Parameters:
    ///   - number: the fetch.
    ///   - discarding: whether the received bytes are removed; those that another program is receiving are removed when it has ended the fetch, for
    ///     which this call waits up to five seconds. If not, asking for the address again continues from them.
    /// - Returns: The fetch as it was.
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    @discardableResult
    public func cancelFetch(_ number: Int, discarding: Bool) throws -> PendingFetch {
        let fetch = try setFetch(number, .paused)
        // Before the row goes: the program that holds the part looks for the mark when the row is gone.
        let isMarked = discarding && markUnwanted(fetch.address)
        if discarding, !isMarked { _ = removeParts(of: fetch.address) }
        try changeFetches(isRemoval: true) { (rows) throws(DatabaseError) in try rows.remove(fetch) }
        guard isMarked else { return fetch }
        // A part that is still held then is removed by its holder, or before the address is fetched again.
        for _ in 0..<Self.looks {
            if removeUnwanted(fetch.address) { break }
            usleep(Self.lookMicroseconds)
        }
        return fetch
    }

    /// The length of a file that was fetched and is not yet a recording of the library; nil if there is none.
    static func byteCount(ofWhole path: String) -> Int64? { unsafe FileState(path)?.byteCount }

    /// The bytes of an address from which a fetch can go on; 0 if there are none.
    func keptBytes(of address: String) -> Int64 {
        let path = path(ofPart: address)
        return PartSummary(ofFile: path)?.keptByteCount ?? Self.byteCount(ofWhole: path) ?? 0
    }

    /// Whether received bytes of an address are there.
    package func hasPart(of address: String) -> Bool { PartSummary(ofFile: path(ofPart: address)) != nil }

    private static let looks = 100
    private static let lookMicroseconds: UInt32 = 50_000

    private func path(ofPart address: String) -> String { folder.parts + "/" + Self.partName(address) }

    private func path(ofMark address: String) -> String { folder.parts + "/" + Self.unwantedName(address) }

    /// Asks the program that holds the part of an address to remove it; false if that cannot be noted.
    private func markUnwanted(_ address: String) -> Bool {
        let file = calls.create(path(ofMark: address))
        if file >= 0 { _ = calls.close(Int32(file)) }
        return file >= 0 || file == -Int(EEXIST)
    }

    /// Whether another program has asked that the received bytes of an address be removed.
    func isUnwanted(_ address: String) -> Bool {
        FileIdentity(path: path(ofMark: address)) != nil
    }

    /// Removes the part of an address that is unwanted, unless a program holds it.
    ///
    /// - Returns: Whether nothing unwanted is left.
    @discardableResult
    func removeUnwanted(_ address: String) -> Bool { !isUnwanted(address) || removeParts(of: address) }

    /// Removes everything of an address, the mark last, unless a program holds its part.
    @discardableResult
    func removeParts(of address: String) -> Bool {
        let path = path(ofPart: address)
        let others = [path, RecordingLibrary.rejectedName(ofPart: path + ".part"), self.path(ofMark: address)]
        return PartSummary.remove(ofFile: path, and: others, calls: calls)
    }
}
