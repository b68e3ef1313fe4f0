internal import AudioFiles
internal import Database
internal import Files
internal import Glibc
public import Practice

/// The list of what is to be fetched, which outlives the program. `Fetcher` carries it out.
extension RecordingLibrary {
    /// What is not fetched yet, in the order in which it will be.
    public func pendingFetches() throws(StoreError) -> [PendingFetch] {
        try store.read { (rows) throws(DatabaseError) in try FetchRows(rows: rows).all() } ?? []
    }

    /// Asks for a recording to be fetched. An address that is on the list already stays there once, and waits again if it had failed.
    ///
    /// - Parameters:
    ///   - address: Its address; whether it can be one is checked when it is fetched.
    ///   - wishes: What is said about it.
    ///   - priority: A higher one is fetched earlier.
    /// - Returns: Its place on the list.
    @discardableResult
    public func askFor(
        _ address: String, _ wishes: FetchWishes = FetchWishes(), priority: Int = 0
    ) throws(StoreError) -> PendingFetch {
        let now = Self.now
        return try changeFetches { (rows) throws(DatabaseError) in
            let number: Int
            if let known = try rows.fetch(address: address) {
                number = known.number
                if known.state != .waiting { try rows.set(number, .waiting) }
                if priority != known.priority, priority != 0 { try rows.setPriority(number, priority) }
            } else {
                number = try rows.add(address, wishes, priority: priority, at: now)
            }
            guard let fetch = try rows.fetch(number) else { throw .damaged("a fetch is not found") }
            return fetch
        }
    }

    /// Lets a fetch wait, pauses it, or tries a failed one again; a program that carries it out notices within a second.
    ///
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    @discardableResult
    public func setFetch(_ number: Int, _ state: PendingFetch.State) throws -> PendingFetch {
        try changeFetch(number) { (rows) throws(DatabaseError) in try rows.set(number, state) }
    }

    /// Gives a fetch another priority: a higher one is fetched earlier.
    ///
    /// - Throws: As `setFetch`.
    @discardableResult
    public func setFetch(_ number: Int, priority: Int) throws -> PendingFetch {
        try changeFetch(number) { (rows) throws(DatabaseError) in try rows.setPriority(number, priority) }
    }

    /// Takes a fetch off the list.
    ///
    /// - Parameters:
    ///   - number: The fetch.
    ///   - discarding: Whether the part that is there is removed. If not, asking for the address again goes on from it.
    /// - Returns: The fetch as it was.
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    @discardableResult
    public func cancelFetch(_ number: Int, discarding: Bool) throws -> PendingFetch {
        let fetch = try changeFetch(number) { (rows) throws(DatabaseError) in try rows.set(number, .paused) }
        if discarding {
            for name in Self.partNames(fetch.address) { _ = calls.remove(folder.parts + "/" + name) }
        }
        try changeFetches { (rows) throws(DatabaseError) in try rows.remove(number) }
        return fetch
    }

    /// The names in the folder for parts that fetches on the list need.
    func partsInUse() throws(StoreError) -> Set<String> {
        Set(try pendingFetches().flatMap { Self.partNames($0.address) })
    }

    // MARK: Parts

    /// The name of the file of an address, before it is a recording of the library. It follows from the address, so that a fetch that was
    /// cancelled goes on when it is asked for again.
    static func partName(_ address: String) -> String {
        var hash = ByteHash()
        hash.update(Array(address.utf8))
        return "fetch-" + ByteHash.hexadecimal(hash.digest().high)
    }

    private static func partNames(_ address: String) -> [String] {
        ["", ".part", ".part.json"].map { partName(address) + $0 }
    }

    @discardableResult
    func changeFetches<Value: Sendable>(
        _ body: (FetchRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        try store.change { (rows) throws(DatabaseError) in try body(FetchRows(rows: rows)) }
    }

    private func changeFetch(
        _ number: Int, _ body: (FetchRows) throws(DatabaseError) -> Void
    ) throws -> PendingFetch {
        try changeFetches { (rows) throws(DatabaseError) -> Result<PendingFetch, RecordingLibraryError> in
            let unknown = RecordingLibraryError(
                .unknown, "there is no fetch \(number)", remedy: "List them with: woodshed get --list")
            guard try rows.fetch(number) != nil else { return .failure(unknown) }
            try body(rows)
            return try rows.fetch(number).map { .success($0) } ?? .failure(unknown)
        }.get()
    }
}
