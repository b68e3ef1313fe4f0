// The list of unfinished downloads, shown and changed by `woodshed get`.
import ArgumentParser
import JSON
import Terminal
import WoodshedLibrary

/// Options for the list of downloads.
struct FetchListOptions: ParsableArguments {
    @Flag(name: .long, help: "List the unfinished downloads.")
    var list = false

    @Flag(name: .long, help: "With --list: show private keys in addresses.")
    var withKeys = false

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Cancel this download, even if another process is fetching it.", valueName: "number"),
        transform: { try boundedInteger($0, in: 1...1_000_000_000) })
    var cancel: Int?

    @Flag(name: .long, help: "With --cancel: delete the received part.")
    var discard = false

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Pause this download, even if another process is fetching it.", valueName: "number"),
        transform: { try boundedInteger($0, in: 1...1_000_000_000) })
    var pause: Int?

    @Option(
        name: .long, parsing: .unconditional, help: .init("Resume or retry this download.", valueName: "number"),
        transform: { try boundedInteger($0, in: 1...1_000_000_000) })
    var resume: Int?

    /// Number of the given actions.
    var actionCount: Int { [list, cancel != nil, pause != nil, resume != nil].count { $0 } }
}

/// Shows and changes the list.
struct FetchListing {
    let library: RecordingLibrary
    let messages: MessageOptions

    /// Carries out the options.
    ///
    /// - Parameters:
    ///   - priority: The priority of a resumed download; nil for no change.
    ///   - hasAddresses: True if the command also downloads addresses.
    /// - Returns: True if the command is done.
    func carryOut(_ options: FetchListOptions, priority: Int?, hasAddresses: Bool) throws -> Bool {
        if options.list {
            try show(withKeys: options.withKeys)
            return true
        }
        if let number = options.cancel {
            try cancel(number, discarding: options.discard)
            return true
        }
        if let number = options.pause {
            try tell(try library.setFetch(number, .paused), "paused")
            return true
        }
        guard let number = options.resume else { return false }
        if let priority { try library.setFetch(number, priority: priority) }
        let fetch = try library.setFetch(number, .waiting)
        // The other program reads the list once a second, and resumes its download.
        guard try library.status(of: fetch).isRunning else { return false }
        try tell(fetch, "resumed; another program is fetching it")
        return !hasAddresses
    }

    private func cancel(_ number: Int, discarding discard: Bool) throws {
        let fetch = try library.cancelFetch(number, discarding: discard)
        guard discard else { return try tell(fetch, "taken off the list") }
        return try tell(
            fetch,
            library.hasPart(of: fetch.address)
                ? "taken off the list; the program that fetches it removes the received part"
                : "taken off the list, its part removed")
    }

    private func show(withKeys: Bool) throws {
        let fetches = try library.fetchStatuses()
        for status in fetches {
            if messages.json {
                let fields = status.fields(withKeys: withKeys)
                try StandardStream.output.line(JSONValue.object([.init("v", .integer(1))] + fields).text)
                continue
            }
            let fetch = status.fetch
            let error = fetch.error.isEmpty ? "" : "  \(fetch.error)"
            let address = withKeys ? fetch.address : fetch.publicAddress
            try StandardStream.output.line(printable("\(fetch.number)  \(status.words)  \(address)\(error)"))
        }
        if messages.json || messages.quiet { return }
        if fetches.isEmpty { return messages.note("There is nothing to fetch.") }
        if let running = fetches.first(where: \.isRunning), fetches.allSatisfy(\.isRunning) {
            return messages.note(
                "next: woodshed get --pause \(running.fetch.number), or --cancel \(running.fetch.number)")
        }
        let failed = fetches.map(\.fetch).first { $0.state == .failed }
        messages.note("next: woodshed get" + (failed.map { " --resume \($0.number)" } ?? ""))
    }

    /// - Parameter isGiven: True if the user gave the address to this command, false if only its number.
    func tell(_ fetch: PendingFetch, _ words: String, isGiven: Bool = false) throws {
        if messages.json {
            let fields = fetch.fields(withKeys: isGiven)
            return try StandardStream.output.line(JSONValue.object([.init("v", .integer(1))] + fields).text)
        }
        messages.note("\(words): \(fetch.number)  \(isGiven ? fetch.address : fetch.publicAddress)")
    }
}

extension FetchStatus {
    /// State, share, rate and priority for people.
    fileprivate var words: String {
        let state = isRunning && fetch.state == .waiting ? "running" : fetch.state.rawValue
        let share = fraction.map { "\(Int($0 * 100)) %" } ?? (doneBytes > 0 ? sizeText(UInt64(doneBytes)) : nil)
        let rate = bytesPerSecond.map { "\(sizeText(UInt64($0)))/s" }
        let priority = fetch.priority != 0 ? "priority \(fetch.priority)" : nil
        return [state, share, rate, priority].compactMap(\.self).joined(separator: "  ")
    }

    /// Returns the fetch for programs.
    fileprivate func fields(withKeys: Bool) -> [JSONValue.Field] {
        fetch.fields(withKeys: withKeys).map { field in
            switch field.key {
            case "bytes": .init("bytes", .integer(doneBytes))
            case "total": .init("total", totalBytes.map { .integer($0) } ?? .null)
            default: field
            }
        } + [
            .init("running", .bool(isRunning)), .init("rate", bytesPerSecond.map { .integer($0) } ?? .null),
        ]
    }
}

extension PendingFetch {
    /// Returns the fetch for programs.
    fileprivate func fields(withKeys: Bool) -> [JSONValue.Field] {
        [
            .init("fetch", .integer(number)), .init("address", .string(withKeys ? address : publicAddress)),
            .init("state", .string(state.rawValue)), .init("priority", .integer(priority)),
            .init("bytes", .integer(doneBytes)), .init("total", totalBytes.map { .integer($0) } ?? .null),
            .init("message", error.isEmpty ? .null : .string(error)),
            .init("remedy", remedy.isEmpty ? .null : .string(remedy)), .init("added", .integer(addedAt)),
            .init("tried", triedAt.map { .integer($0) } ?? .null),
        ]
    }
}
