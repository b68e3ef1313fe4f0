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

    @OptionGroup var steering: FetchListOptions

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
        let actions = [check, later, detach].filter { $0 }.count + steering.actionCount
        if actions > 1 {
            throw ValidationError("Use only one of --check, --later, --detach, --list, --cancel, --pause and --resume.")
        }
        if check || later, addresses.isEmpty { throw ValidationError("Give an address.") }
        if steering.list || steering.cancel != nil || steering.pause != nil, !addresses.isEmpty {
            throw ValidationError("--list, --cancel and --pause take no addresses; leave out the addresses.")
        }
        if steering.withKeys, !steering.list { throw ValidationError("--with-keys belongs to --list.") }
        if steering.discard, steering.cancel == nil { throw ValidationError("--discard belongs to --cancel.") }
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
        let listing = FetchListing(library: library, messages: messages)
        let hasAddresses = !self.addresses.isEmpty
        if try listing.carryOut(steering, priority: priority, hasAddresses: hasAddresses) { return }
        // Addresses are checked before the first enters the list: an impossible address is a mistake in the command.
        for address in addresses { try address.check() }
        // Only a command without addresses goes on with the list. A list without addresses on standard input asks for
        // nothing.
        if addresses.isEmpty, hasAddresses { return messages.note("There is nothing to fetch.") }
        let asked = try library.askFor(addresses.map(\.text), wishes, priority: priority ?? 0)
        if later {
            for fetch in asked { try listing.tell(fetch, "on the list", isGiven: true) }
            return
        }
        if detach { return try Detaching.startFetching(limits.arguments + room.arguments, messages: messages) }
        let all = try library.pendingFetches().filter { $0.state == .waiting }
        let numbers = Set(asked.map(\.number))
        let chosen = asked.isEmpty ? all : all.filter { numbers.contains($0.number) }
        guard !chosen.isEmpty else { return messages.note("There is nothing to fetch.") }
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
                messages.note("valid: \(address.text)")
            }
        }
        if let first = failures.first, addresses.count == 1 { throw first }
        for failure in failures { StandardStream.error.note(failure.text) }
        if let first = failures.first { throw CommandFailure(first.exitStatus) }
    }
}
