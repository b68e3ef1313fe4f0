// Options for fetching recordings, as typed.
import ArgumentParser
import Terminal
import WoodshedLibrary

/// Options for fetching recordings.
struct FetchOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Retries after a temporary error, 0 to 1000. (default: 5)", valueName: "n"),
        transform: { try boundedInteger($0, in: 0...1000) })
    var retry = 5

    @Option(
        name: .long, parsing: .unconditional, help: .init("Downloads at a time, 1 to 16. (default: 3)", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...16) })
    var parallel = 3

    @Flag(name: .long, help: "Wait for a network connection.")
    var waitOnline = false

    @Option(
        name: .long, help: .init("Largest file to accept, such as 500MB, or none. (default: 20GB)", valueName: "size"),
        transform: { try QuotaText(parsing: optionValue($0)) })
    var sizeLimit = QuotaText(bytes: 20_000_000_000)

    @Option(
        name: .long,
        help: .init(
            "Program that finds the sound of a video; {url} is the video's address. (default: none)", valueName: "words"
        ),
        transform: {
            if !$0.isEmpty { try checkExtractor($0) }
            return $0
        })
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

    /// Refuses a line that is neither `none` nor a program with its arguments.
    static func checkExtractor(_ line: String) throws(ArgumentError) {
        if line == "none" { return }
        do throws(ExtractorError) { _ = try Extractor(configuration: line) } catch {
            throw ArgumentError(error.message, remedy: error.remedy)
        }
    }

    /// Returns the user's extractor; nil without a configured extractor.
    func program() throws(ExtractorError) -> Extractor? {
        guard let extractor, !extractor.isEmpty, extractor != "none" else { return nil }
        return try Extractor(configuration: extractor)
    }
}
