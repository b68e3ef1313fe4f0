// `woodshed get`: fetches recordings into the library.
import ArgumentParser
import JSON
import Terminal
import TextFormats
import WoodshedLibrary

struct GetCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download recordings into the library.",
        discussion: """
            EXAMPLES
              woodshed get https://example.org/song.mp3
              woodshed get URL URL URL              several, three at a time
              woodshed get - < list.txt             addresses, one a line
              woodshed get URL --title "Blue Bossa" --tag slow
              woodshed get URL --sha256 9f86d081884c7d65…
              woodshed get --check URL              check the address; send nothing
              woodshed get URL --later              put the address on the list only
              woodshed get                          resume the downloads on the list
              woodshed get --list                   show the list
              woodshed get URL --detach             download in the background
              woodshed get --cancel 3 --discard     cancel; delete the received part

            Ctrl-C keeps the received data. The same command resumes the download, or restarts it if the file on the \
            server has changed. Put server passwords in ~/.netrc. For video sites, set an external program that \
            finds the sound, such as yt-dlp:
              woodshed config set extractor "yt-dlp -j -f bestaudio"
            Download only recordings that you may copy: many sites and rights holders forbid downloads.
            """)

    @Argument(help: .init("Addresses, http or https; - reads standard input.", valueName: "url"))
    var addresses: [String] = []

    @Flag(name: .long, help: "Check the addresses; download nothing.")
    var check = false

    @Flag(name: .long, help: "Put the addresses on the list; download nothing.")
    var later = false

    @Flag(name: .long, help: "Download in the background.")
    var detach = false

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

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Priority, -1000 to 1000; highest first. (default: 0)", valueName: "n"),
        transform: { try boundedInteger($0, in: -1000...1000) })
    var priority: Int?

    @Option(name: .long, help: .init("SHA-256 checksum of the file, 64 digits.", valueName: "digits"))
    var sha256: String?

    @OptionGroup var words: WordOptions

    @OptionGroup(visibility: .hidden) var limits: FetchOptions

    @OptionGroup(visibility: .hidden) var room: QuotaOptions

    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        let actions = [check, later, detach, list, cancel != nil, pause != nil, resume != nil].filter { $0 }.count
        if actions > 1 {
            throw ValidationError("Use only one of --check, --later, --detach, --list, --cancel, --pause and --resume.")
        }
        if check || later, addresses.isEmpty { throw ValidationError("Give an address.") }
        if list || cancel != nil || pause != nil, !addresses.isEmpty {
            throw ValidationError("--list, --cancel and --pause take no addresses; leave out the addresses.")
        }
        if withKeys, !list { throw ValidationError("--with-keys belongs to --list.") }
        if discard, cancel == nil { throw ValidationError("--discard belongs to --cancel.") }
        if let sha256, sha256.utf8.count != 64 || !sha256.allSatisfy(\.isHexDigit) {
            throw ValidationError("--sha256 takes the 64 hexadecimal digits of a checksum.")
        }
        if sha256 != nil || words.title != nil, addresses.count != 1 || addresses == ["-"] {
            throw ValidationError("--sha256 and --title are for one address.")
        }
    }

    func perform() throws {
        let addresses = try self.addresses.flatMap { try $0 == "-" ? Self.readList() : [AskedAddress($0)] }
        if check { return try tellChecks(addresses) }
        let library = try room.library()
        defer { library.store.tellRepair() }
        if list { return try tellList(library) }
        if let number = cancel {
            let fetch = try library.cancelFetch(number, discarding: discard)
            guard discard else { return try tell(fetch, "taken off the list") }
            return try tell(
                fetch,
                library.hasPart(of: fetch.address)
                    ? "taken off the list; the program that fetches it removes the received part"
                    : "taken off the list, its part removed")
        }
        if let number = pause { return try tell(try library.setFetch(number, .paused), "paused") }
        if let number = resume, let priority { try library.setFetch(number, priority: priority) }
        if let number = resume { try library.setFetch(number, .waiting) }
        // Addresses are checked before the first enters the list: an impossible address is a mistake in the command.
        for address in addresses { try address.check() }
        // Only a command without addresses goes on with the list. A list without addresses on standard input asks for
        // nothing.
        if addresses.isEmpty, !self.addresses.isEmpty { return note("There is nothing to fetch.") }
        let asked = try library.askFor(addresses.map(\.text), wishes, priority: priority ?? 0)
        if later {
            for fetch in asked { try tell(fetch, "on the list", isGiven: true) }
            return
        }
        if detach { return try Detaching.startFetching(limits.arguments + room.arguments, messages: messages) }
        let all = try library.pendingFetches().filter { $0.state == .waiting }
        let numbers = Set(asked.map(\.number))
        let chosen = asked.isEmpty ? all : all.filter { numbers.contains($0.number) }
        guard !chosen.isEmpty else { return note("There is nothing to fetch.") }
        let run = try Run<FetchSession>(messages: messages, signals: Signals.install())
        try FetchSession(chosen, library, limits, in: run, followsList: asked.isEmpty).fetch()
    }

    private var wishes: FetchWishes {
        var wishes = FetchWishes()
        (wishes.title, wishes.artist, wishes.language) = (words.title, words.artist, words.language)
        (wishes.tags, wishes.licence, wishes.sha256) = (words.tag, words.licence, sha256?.lowercased())
        return wishes
    }

    /// Returns addresses from standard input, one a line. Empty lines and lines beginning with # are skipped.
    private static func readList() throws -> [AskedAddress] {
        var addresses: [AskedAddress] = []
        var number = 0
        while let line = readLine() {
            number += 1
            let text = line.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
            if !text.isEmpty, !text.hasPrefix("#") { addresses.append(AskedAddress(text, line: number)) }
            if addresses.count > mostAddresses {
                throw CommandFailure(
                    .badData, "the list has more than \(mostAddresses) addresses", remedy: "Give the list in parts.")
            }
        }
        return addresses
    }

    private static let mostAddresses = 100_000

    private func tellChecks(_ addresses: [AskedAddress]) throws {
        var failures: [CommandFailure] = []
        for address in addresses {
            var reason: CommandFailure?
            do throws(CommandFailure) { try address.check() } catch { reason = error }
            if let reason { failures.append(reason) }
            if messages.json {
                try StandardStream.output.line(
                    JSONValue.object([
                        .init("v", .integer(1)), .init("address", .string(address.text)),
                        .init("valid", .bool(reason == nil)),
                        .init("message", reason.map { .string($0.message) } ?? .null),
                        .init("remedy", reason.map { .string($0.remedy) } ?? .null),
                    ]).text)
            } else if reason == nil {
                note("valid: \(address.text)")
            }
        }
        if let first = failures.first, addresses.count == 1 { throw first }
        for failure in failures { StandardStream.error.note(failure.text) }
        if let first = failures.first { throw CommandFailure(first.exitStatus) }
    }

    private func tellList(_ library: RecordingLibrary) throws {
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
        if fetches.isEmpty { return note("There is nothing to fetch.") }
        if let running = fetches.first(where: \.isRunning), fetches.allSatisfy(\.isRunning) {
            return note("next: woodshed get --pause \(running.fetch.number), or --cancel \(running.fetch.number)")
        }
        let failed = fetches.map(\.fetch).first { $0.state == .failed }
        note("next: woodshed get" + (failed.map { " --resume \($0.number)" } ?? ""))
    }

    /// - Parameter isGiven: True if the user gave the address to this command, false if only its number.
    private func tell(_ fetch: PendingFetch, _ words: String, isGiven: Bool = false) throws {
        if messages.json {
            let fields = fetch.fields(withKeys: isGiven)
            return try StandardStream.output.line(JSONValue.object([.init("v", .integer(1))] + fields).text)
        }
        note("\(words): \(fetch.number)  \(isGiven ? fetch.address : fetch.publicAddress)")
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(printable(words)) }
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
