// Options for fetching recordings, as typed.
import ArgumentParser
import Woodshed

/// Options for fetching recordings.
struct FetchOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: .init("How often to try again after an error that may pass.", valueName: "n"),
        transform: { try boundedInteger($0, in: 0...1000) })
    var retry = 5

    @Option(
        name: .long, parsing: .unconditional, help: .init("How many at a time.", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...16) })
    var parallel = 3

    @Flag(name: .long, help: "Wait until there is a network.")
    var waitOnline = false

    @Option(
        name: .long, help: .init("The longest file that is taken, such as 500MB, or none.", valueName: "size"),
        transform: { try QuotaText(parsing: optionValue($0)) })
    var sizeLimit = QuotaText(bytes: 20_000_000_000)

    @Option(
        name: .long,
        help: .init("The program that finds the sound of videos; {url} is their address.", valueName: "words"))
    var extractor: String?

    /// The settings of the transfers.
    var settings: TransferSettings {
        var settings = TransferSettings(userAgent: "woodshed/\(CommandLineTool.version)")
        (settings.retries, settings.limit, settings.waitsForNetwork) = (retry, parallel, waitOnline)
        settings.limitPerHost = min(2, parallel)
        return settings
    }

    /// The same options as arguments, for another run of this command.
    var arguments: [String] {
        ["--retry", "\(retry)", "--parallel", "\(parallel)", "--size-limit", sizeLimit.text]
            + (waitOnline ? ["--wait-online"] : []) + (extractor.map { ["--extractor", $0] } ?? [])
    }

    /// Returns the user's extractor; nil without a configured extractor.
    func program() throws(ExtractorError) -> Extractor? {
        guard let extractor, !extractor.isEmpty, extractor != "none" else { return nil }
        return try Extractor(configuration: extractor)
    }
}
