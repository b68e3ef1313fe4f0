internal import AudioFiles
internal import Database
internal import Files
internal import Glibc
public import Store

/// The list of what is to be fetched, which outlives the program. `Fetcher` carries it out.
extension RecordingLibrary {
    /// The fetches that are not done, in the order in which they are carried out.
    public func pendingFetches() throws(StoreError) -> [PendingFetch] {
        try store.read { (rows) throws(DatabaseError) in try FetchRows(rows: rows).all() } ?? []
    }

    /// Adds an address to the list of what is to be fetched. An address that is on the list already is not added again: what is wished now counts
    /// more than what was wished before, and if it had failed, it waits again. Bytes that were to be removed are kept.
    ///
    /// - Parameters:
    ///   - address: the address, which is checked when it is fetched.
    ///   - wishes: the description that the recording gets.
    ///   - priority: any number; a higher one is fetched earlier.
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

    /// The same for what a feed says of its episode: it only fills what is not wished yet.
    package func askFor(_ address: String, filling wishes: FetchWishes) throws(StoreError) -> PendingFetch {
        let now = Self.now
        wantAgain(address)
        return try changeFetches { (rows) throws(DatabaseError) in
            let known = try rows.fetch(address: address)?.wishes
            let wishes = known.map { wishes.corrected(by: $0) } ?? wishes
            return try Self.ask(rows, address, wishes, priority: 0, revision: try rows.nextRevision(), now: now)
        }
    }

    /// Adds addresses as ``askFor(_:_:priority:)`` adds one, in transactions of some hundred: a program that is killed has added a beginning of
    /// them, and other programs can write between two.
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

    /// Changes the state of a fetch: waiting, also after a failure, or paused. `woodshed get`, which may carry it out, notices within a second; tell
    /// a `Fetcher` of your own yourself.
    ///
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    @discardableResult
    public func setFetch(_ number: Int, _ state: PendingFetch.State) throws -> PendingFetch {
        // A download that fills the disk can be stopped.
        let fetch = try changeFetch(number, isRemoval: state == .paused) { (rows) throws(DatabaseError) in
            try rows.set(number, state, revision: rows.nextRevision())
        }
        if state == .waiting { wantAgain(fetch.address) }
        return fetch
    }

    /// Changes the priority of a fetch: a higher one is fetched earlier.
    ///
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    @discardableResult
    public func setFetch(_ number: Int, priority: Int) throws -> PendingFetch {
        try changeFetch(number) { (rows) throws(DatabaseError) in
            try rows.setPriority(number, priority, revision: rows.nextRevision())
        }
    }

    /// A fetch as the list has it by now, with what other programs have told of it since; nil if it is off the list.
    package func current(_ fetch: PendingFetch) throws(StoreError) -> PendingFetch? {
        try store.read { (rows) throws(DatabaseError) in try FetchRows(rows: rows).current(fetch) } ?? nil
    }

    /// Takes in the file that a fetch has brought. The step that adds the recording takes the fetch off the list.
    ///
    /// - Parameters:
    ///   - path: The file, which is complete and on the disk.
    ///   - name: The name to keep, without folders.
    ///   - fetch: The fetch, with the wishes that `change` takes over.
    ///   - change: Changes what is said about it, if it is new.
    /// - Throws: Also `RecordingLibraryError` of kind `changed` if the list has other wishes by then. Nothing has changed then.
    package func takeIn(
        partAt path: String, named name: String, for fetch: PendingFetch, change: (inout LibraryItem.Words) -> Void
    ) throws -> AddedItem {
        let taking: StoreChange = { (rows) throws(DatabaseError) in
            let list = FetchRows(rows: rows)
            // Otherwise they would go with the row.
            if let wishes = try list.current(fetch)?.wishes, wishes != fetch.wishes { return .wishesChanged }
            try list.remove(fetch)
            return nil
        }
        return try takeIn(partAt: path, named: name, keepingTitle: false, alongside: taking, change: change)
    }

    /// Finds the names in the folder for parts that fetches on the list need.
    ///
    /// - Returns: A function that tells it of a name. Of a fetch whose address cannot be read any part may be.
    func partsInUse() throws(StoreError) -> (String) -> Bool {
        let addresses = try store.read { (rows) throws(DatabaseError) in try FetchRows(rows: rows).addresses() } ?? []
        guard let addresses else { return { $0.hasPrefix(Self.partPrefix) } }
        let names = Set(addresses.flatMap { Self.partNames($0) })
        return { names.contains($0) }
    }

    // MARK: Parts

    /// The name of the file of an address, before it is a recording of the library. It follows from the address, so that a fetch that was
    /// cancelled goes on when it is asked for again.
    package static func partName(_ address: String) -> String {
        var hash = ByteHash()
        hash.update(Array(address.utf8))
        return partPrefix + ByteHash.hexadecimal(hash.digest().high)
    }

    private static let partPrefix = "fetch-"

    /// The name under which a complete part is kept that is no recording.
    package static func rejectedName(ofPart path: String) -> String { path + rejectedEnding }
    private static let rejectedEnding = ".rejected"

    package static func partNames(_ address: String) -> [String] {
        ["", ".part", ".part.json", ".part" + rejectedEnding, unwantedEnding].map { partName(address) + $0 }
    }

    /// The name of an empty file that says that the part of an address is to be removed, although another program holds it.
    package static func unwantedName(_ address: String) -> String { partName(address) + unwantedEnding }
    private static let unwantedEnding = ".unwanted"

    /// Takes back that the part of an address is to be removed.
    private func wantAgain(_ address: String) { _ = calls.remove(folder.parts + "/" + Self.unwantedName(address)) }

    private func changeFetch(
        _ number: Int, isRemoval: Bool = false, _ body: (FetchRows) throws(DatabaseError) -> Void
    ) throws -> PendingFetch {
        try changeFetches(isRemoval: isRemoval) {
            (rows) throws(DatabaseError) -> Result<PendingFetch, RecordingLibraryError> in
            let unknown = RecordingLibraryError(
                .unknown, "there is no fetch \(number)", remedy: "List them with: woodshed get --list")
            guard try rows.fetch(number) != nil else { return .failure(unknown) }
            try body(rows)
            return try rows.fetch(number).map { .success($0) } ?? .failure(unknown)
        }.get()
    }
}
