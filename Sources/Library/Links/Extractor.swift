internal import Files
package import TextFormats

/// A helper program of the user's choice that finds the address of a video's sound. ``Fetcher`` runs the helper for
/// addresses of videos.
///
/// Woodshed itself reads no video site. The helper runs without a shell and with empty input. Woodshed ends the helper
/// after two minutes, after too much output, or on cancellation; other processes that the helper has started may
/// continue.
///
/// Threads: any. Real-time safe: no.
package struct Extractor: Sendable, Hashable {
    /// The program and its arguments, with `{url}` where the address belongs.
    package let words: [String]

    /// Longest running time of the program, in seconds.
    package static let longestSeconds = 120.0
    /// Longest answer, in bytes.
    static let longestOutput = 16 << 20
    private static let mark = "{url}"

    /// Reads a line of the configuration, for example `yt-dlp -j --no-playlist -f bestaudio {url}`.
    ///
    /// Blanks divide words. Between single quotes, every character stands for itself. Between double quotes, the same
    /// holds, except that a backslash before `"` or `\` makes the next character ordinary. Outside quotes, a backslash
    /// makes any next character ordinary. Nothing is expanded: `$`, `*` and `~` are ordinary characters. `{url}` may
    /// occur in one argument; without `{url}`, the address is added at the end, after `--`.
    ///
    /// - Parameter line: Value of the line; nil or blank if there is none.
    /// - Throws: An ``ExtractorError`` of kind `notConfigured` or `badConfiguration`.
    package init(configuration line: String?) throws(ExtractorError) {
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

    /// Returns the program and its arguments for an address.
    ///
    /// The address cannot be mistaken for an option, because an address begins with its scheme.
    func arguments(for address: String) -> [String] {
        if words.contains(where: { $0.contains(Self.mark) }) {
            return words.map { $0.replacing(Self.mark, with: address) }
        }
        return words + ["--", address]
    }

    /// Runs the program to find the sound of a video.
    ///
    /// - Parameters:
    ///   - link: The video; the program gets its canonical address.
    ///   - isWanted: Called at least every 100 ms, on this thread. The program is ended if the result is false.
    /// - Throws: An ``ExtractorError``.
    package func extract(
        _ link: VideoLink, isWanted: () -> Bool = { true }
    ) throws(ExtractorError) -> ExtractedSource {
        try extract(address: link.address, isWanted: isWanted)
    }

    /// Does the same for any http or https address, passed unchanged.
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
                    // The limits count only waiting time, and a program that constantly writes error messages is never
                    // waited for.
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
        // If the exit status is unknown, the answer decides.
        guard result.end == .exited(0) || result.end == .unknown else { throw .failed(program, result) }
        guard let source = ExtractedSource(answer: output) else { throw .notUnderstood(program) }
        return source
    }
}
