internal import AudioFiles
internal import Database
public import Explanations
internal import Files
internal import Glibc
public import Store

/// The list of fetches, which outlives the program. `Fetcher` executes the list.
extension RecordingLibrary {
    /// Returns the unfinished fetches, in the order of execution.
    public func pendingFetches() throws(StoreError) -> [PendingFetch] {
        try store.read { (rows) throws(DatabaseError) in try FetchRows(rows: rows).all() } ?? []
    }

    /// Adds an address to the list of fetches. An address already on the list is not added again: the new wishes
    /// override the earlier wishes, and a failed fetch waits again. Bytes marked for removal are kept.
    ///
    /// - Parameters:
    ///   - address: Address of the recording, checked when fetched.
    ///   - wishes: Description for the recording.
    ///   - priority: Any number. Higher priorities are fetched earlier.
    /// - Returns: The entry on the list.
    @discardableResult
    public func askFor(
        _ address: String, _ wishes: FetchWishes = FetchWishes(), priority: Int = 0
    ) throws(StoreError) -> PendingFetch {
        let now = Self.now
        wantAgain(address)
        return try changeFetches { (rows) throws(DatabaseError) in
            try Self.ask(rows, address, wishes, priority: priority, revision: try rows.nextRevision(), now: now)
        }
    }

    /// Adds an address with a feed's description of its episode. The description only fills fields without an earlier
    /// wish.
    package func askFor(_ address: String, filling wishes: FetchWishes) throws(StoreError) -> PendingFetch {
        let now = Self.now
        wantAgain(address)
        return try changeFetches { (rows) throws(DatabaseError) in
            let known = try rows.fetch(address: address)?.wishes
            let wishes = known.map { wishes.corrected(by: $0) } ?? wishes
            return try Self.ask(rows, address, wishes, priority: 0, revision: try rows.nextRevision(), now: now)
        }
    }

    /// Adds addresses like ``askFor(_:_:priority:)``, in transactions of some hundred. A killed program has added the
    /// first addresses, and other programs can write between two transactions.
    package func askFor(
        _ addresses: [String], _ wishes: FetchWishes, priority: Int
    ) throws(StoreError) -> [PendingFetch] {
        let now = Self.now
        var fetches: [PendingFetch] = []
        var rest = addresses[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.addressesAtOnce)
            rest = rest.dropFirst(piece.count)
            for address in piece { wantAgain(address) }
            fetches += try changeFetches { (rows) throws(DatabaseError) in
                let revision = try rows.nextRevision()
                var added: [PendingFetch] = []
                for address in piece {
                    added.append(try Self.ask(rows, address, wishes, priority: priority, revision: revision, now: now))
                }
                return added
            }
        }
        return fetches
    }

    private static let addressesAtOnce = 500

    private static func ask(
        _ rows: FetchRows, _ address: String, _ wishes: FetchWishes, priority: Int, revision: Int64, now: Int64
    ) throws(DatabaseError) -> PendingFetch {
        let number: Int
        if let known = try rows.fetch(address: address) {
            number = known.number
            if known.state != .waiting { try rows.set(number, .waiting, revision: revision) }
            let corrected = known.wishes.corrected(by: wishes)
            if corrected != known.wishes { try rows.set(number, corrected, revision: revision) }
            if priority != known.priority, priority != 0 {
                try rows.setPriority(number, priority, revision: revision)
            }
        } else {
            number = try rows.add(address, wishes, priority: priority, revision: revision, at: now)
        }
        guard let fetch = try rows.fetch(number) else { throw .damaged("a fetch is not found") }
        return fetch
    }

    /// Changes the state of a fetch: waiting, also after a failure, or paused. If `woodshed get` is executing the
    /// fetch, the change takes effect within a second. Notify a `Fetcher` of your own yourself.
    ///
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    @discardableResult
    public func setFetch(_ number: Int, _ state: PendingFetch.State) throws -> PendingFetch {
        // Counts as a removal when pausing, so that a download that fills the disk can be stopped.
        let fetch = try changeFetch(number, isRemoval: state == .paused) { (rows) throws(DatabaseError) in
            try rows.set(number, state, revision: rows.nextRevision())
        }
        if state == .waiting { wantAgain(fetch.address) }
        return fetch
    }

    /// Changes the priority of a fetch. Higher priorities are fetched earlier.
    ///
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    @discardableResult
    public func setFetch(_ number: Int, priority: Int) throws -> PendingFetch {
        try changeFetch(number) { (rows) throws(DatabaseError) in
            try rows.setPriority(number, priority, revision: rows.nextRevision())
        }
    }

    /// Returns the present state of a fetch, with changes by other programs; nil if no longer listed.
    package func current(_ fetch: PendingFetch) throws(StoreError) -> PendingFetch? {
        try store.read { (rows) throws(DatabaseError) in try FetchRows(rows: rows).current(fetch) } ?? nil
    }

    /// Adds a fetched file to the library. The step that adds the recording also removes the fetch from the list.
    ///
    /// - Parameters:
    ///   - path: Path of the file, which is complete and on the disk.
    ///   - name: Name to keep, without folders.
    ///   - fetch: The fetch, with the wishes that `change` applies.
    ///   - change: Changes the description, if the recording is new.
    /// - Throws: Also `RecordingLibraryError` of kind `changed` if the list has other wishes by then. In this case,
    ///   nothing has changed.
    package func takeIn(
        partAt path: String, named name: String, for fetch: PendingFetch, change: (inout LibraryItem.Words) -> Void
    ) throws -> AddedItem {
        let taking: StoreChange = { (rows) throws(DatabaseError) in
            let list = FetchRows(rows: rows)
            // New wishes would be lost with the row.
            if let wishes = try list.current(fetch)?.wishes, wishes != fetch.wishes { return .wishesChanged }
            try list.remove(fetch)
            return nil
        }
        return try takeIn(partAt: path, named: name, keepingTitle: false, alongside: taking, change: change)
    }

    /// Finds the names in the folder for parts that listed fetches need.
    ///
    /// - Returns: A function that is true for a needed name. If an address is unreadable, every part counts as needed.
    func partsInUse() throws(StoreError) -> (String) -> Bool {
        let addresses = try store.read { (rows) throws(DatabaseError) in try FetchRows(rows: rows).addresses() } ?? []
        guard let addresses else { return { $0.hasPrefix(Self.partPrefix) } }
        let names = Set(addresses.flatMap { Self.partNames($0) })
        return { names.contains($0) }
    }

    // MARK: Parts

    /// Returns the file name for an address, used before the file becomes a recording of the library. The name depends
    /// only on the address, so a cancelled fetch continues when requested again.
    package static func partName(_ address: String) -> String {
        var hash = ByteHash()
        hash.update(Array(address.utf8))
        return partPrefix + ByteHash.hexadecimal(hash.digest().high)
    }

    private static let partPrefix = "fetch-"

    /// Returns the name for keeping a complete part that is not a recording.
    package static func rejectedName(ofPart path: String) -> String { path + rejectedEnding }
    private static let rejectedEnding = ".rejected"

    package static func partNames(_ address: String) -> [String] {
        ["", ".part", ".part.json", ".part" + rejectedEnding, unwantedEnding].map { partName(address) + $0 }
    }

    /// Returns the name of an empty file that marks the part of an address for removal while another program holds the
    /// part.
    package static func unwantedName(_ address: String) -> String { partName(address) + unwantedEnding }
    private static let unwantedEnding = ".unwanted"

    /// Withdraws the mark for removal of an address's part.
    private func wantAgain(_ address: String) { _ = calls.remove(folder.parts + "/" + Self.unwantedName(address)) }

    private func changeFetch(
        _ number: Int, isRemoval: Bool = false, _ body: (FetchRows) throws(DatabaseError) -> Void
    ) throws -> PendingFetch {
        try changeFetches(isRemoval: isRemoval) {
            (rows) throws(DatabaseError) -> Result<PendingFetch, RecordingLibraryError> in
            let unknown = RecordingLibraryError(
                .unknown, "there is no fetch \(number)", remedy: "List the fetches with: woodshed get --list")
            guard try rows.fetch(number) != nil else { return .failure(unknown) }
            try body(rows)
            return try rows.fetch(number).map { .success($0) } ?? .failure(unknown)
        }.get()
    }
}
