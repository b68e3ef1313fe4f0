internal import Files
package import TextFormats

/// A helper program of the user's choice that finds the address of a video's sound. ``Fetcher`` runs it for addresses of videos.
///
/// Woodshed itself reads no video site. The program is started without a shell and with empty input. It is ended if it takes more than two minutes,
/// writes too much, or is no longer wanted; programs that it has started itself may continue.
///
/// Threads: any. Real-time safe: no.
public struct Extractor: Sendable, Hashable {
    /// The program and its arguments, with `{url}` where the address belongs.
    package let words: [String]

    /// The longest time that the program may take, in seconds.
    package static let longestSeconds = 120.0
    /// The longest answer, in bytes.
    static let longestOutput = 16 << 20
    private static let mark = "{url}"

    /// Reads a line of the configuration, for example `yt-dlp -j --no-playlist -f bestaudio {url}`.
    ///
    /// Words are divided by blanks. Between single quotes every character stands for itself; between double quotes, too, but for a
    /// backslash before `"` or `\`, which makes that character an ordinary one. Outside of quotes, a backslash does so before any
    /// character. Nothing is expanded: `$`, `*` and `~` are ordinary characters. `{url}` may be in one argument; if it is in none, the
    /// address is added at the end, after `--`.
    ///
    /// - Parameter line: The line's value; nil or blank if there is none.
    /// - Throws: An ``ExtractorError`` of kind `notConfigured` or `badConfiguration`.
    public init(configuration line: String?) throws(ExtractorError) {
        let words: [String]
        do throws(ProgramWords.Fault) { words = try ProgramWords.divided(line ?? "") } catch {
            throw .badConfiguration(error.cause)
        }
        guard let program = words.first else { throw .notConfigured }
        if program.isEmpty { throw .badConfiguration("the program has no name") }
        if program.contains(Self.mark) { throw .badConfiguration("\(Self.mark) stands for the program") }
        if words.count(where: { $0.contains(Self.mark) }) > 1 {
            throw .badConfiguration("\(Self.mark) is in several arguments")
        }
        self.words = words
    }

    /// The program and its arguments for an address.
    ///
    /// The address cannot be taken for an option: it begins with its scheme.
    func arguments(for address: String) -> [String] {
        if words.contains(where: { $0.contains(Self.mark) }) {
            return words.map { $0.replacing(Self.mark, with: address) }
        }
        return words + ["--", address]
    }

    /// Asks the program where the sound of a video is.
    ///
    /// - Parameters:
    ///   - link: The video; the program gets its canonical address.
    ///   - isWanted: Called at least every 100 ms, on this thread; the program is ended if it returns false.
    /// - Throws: An ``ExtractorError``.
    package func extract(
        _ link: VideoLink, isWanted: () -> Bool = { true }
    ) throws(ExtractorError) -> ExtractedSource {
        try extract(address: link.address, isWanted: isWanted)
    }

    /// The same for any address of http or https, which is passed as it is.
    package func extract(
        address: String, isWanted: () -> Bool = { true }
    ) throws(ExtractorError) -> ExtractedSource {
        try extract(address: address, seconds: Self.longestSeconds, isWanted: isWanted)
    }

    func extract(
        address: String, seconds: Double, isWanted: () -> Bool
    ) throws(ExtractorError) -> ExtractedSource {
        guard AddressParts.isWeb(address), address.utf8.count <= 2048 else { throw .badAddress }
        let program = words[0]
        var output: [UInt8] = []
        var (isTooLong, isLate) = (false, false)
        let clock = SuspendingClock()
        let deadline = clock.now + .seconds(seconds)
        let result: ChildResult
        do {
            var child = try ChildProcess(arguments(for: address), startsOthers: true)
            let limits = ChildLimits(totalSeconds: seconds, silentSeconds: seconds)
            result = try unsafe child.finish(
                limits,
                isWanted: {
                    // The limits count only waiting, and a program that always writes complaints is never waited for.
                    isLate = clock.now >= deadline
                    return !isLate && isWanted()
                },
                { piece in
                    isTooLong = output.count + piece.count > Self.longestOutput
                    if !isTooLong { unsafe output.append(contentsOf: piece) }
                    return !isTooLong
                })
        } catch {
            switch error {
            case .cannotStart(let code): throw .cannotStart(program, code)
            case .timeout: throw .timedOut(program, seconds: seconds)
            case .stopped:
                if isTooLong { throw .tooMuchOutput(program) }
                throw isLate ? .timedOut(program, seconds: seconds) : .cancelled(program)
            }
        }
        // With an unknown end, the answer tells.
        guard result.end == .exited(0) || result.end == .unknown else { throw .failed(program, result) }
        guard let source = ExtractedSource(answer: output) else { throw .notUnderstood(program) }
        return source
    }
}
