internal import DSP

/// Times of the played chirps, and the search ranges for the chirps in the recording.
struct ChirpPlan: Sendable {
    /// −10 dB of full scale: loud enough for a cable, bearable in headphones.
    private static let amplitude = 0.3
    /// Time before the first chirp, because some devices start slowly; in seconds.
    private static let leadSeconds = 0.3
    /// Time from one chirp to the next, in seconds. Longer than the range of the search, so that two chirps are never
    /// confused.
    private static let intervalSeconds = 0.4
    /// Range of the search, in seconds: a chirp may come back this much earlier or later than the driver reports.
    private static let (soonerSeconds, laterSeconds) = (0.05, 0.3)
    /// Least clarity of a match, in dB; below this limit the match may be another sound.
    private static let leastClarityDecibels = 20.0
    /// Largest permitted difference between the repeats, in seconds; beyond it the result is refused.
    private static let largestSpreadSeconds = 0.0005

    let sampleRate: Int
    let chirp: [Float]
    /// Output frames at which a chirp begins.
    let starts: [Int]

    private let filter: MatchedFilter
    private let soonerFrames: Int
    private let laterFrames: Int

    init(sampleRate: Int, repeats: Int) {
        func frames(_ seconds: Double) -> Int { Int(seconds * Double(sampleRate)) }
        self.sampleRate = sampleRate
        chirp = Chirp(sampleRate: sampleRate, amplitude: Self.amplitude).samples
        filter = MatchedFilter(chirp)
        starts = (0..<repeats).map { frames(Self.leadSeconds) + $0 * frames(Self.intervalSeconds) }
        (soonerFrames, laterFrames) = (frames(Self.soonerSeconds), frames(Self.laterSeconds))
    }

    /// Returns the latest end of the last chirp, in input frames, for a reported round trip.
    func end(reportedFrames: Int) -> Int { (starts.last ?? 0) + reportedFrames + laterFrames + chirp.count }

    /// Result of the search.
    struct Found {
        /// Distance from output frame to input frame.
        let frames: Double
        let spreadFrames: Double
        /// Channel of the input, from 0.
        let channel: Int
        /// Median of all matches.
        let match: MatchedFilter.Match
    }

    /// Finds all chirps on the channel with the clearest first one, and takes the median.
    func find(
        in channels: [[Float]], reportedFrames: Int64, input: String
    ) throws(CalibrationError) -> Found {
        let firsts = channels.map { match(in: $0, start: starts[0], Int(reportedFrames)) }
        let clarities = firsts.map { $0?.match.clarityDecibels ?? -.infinity }
        guard let channel = clarities.indices.max(by: { clarities[$0] < clarities[$1] }) else {
            throw Self.noPeak(input, isSilent: true)
        }
        var matches: [(frames: Double, match: MatchedFilter.Match)] = []
        for start in starts {
            guard let found = match(in: channels[channel], start: start, Int(reportedFrames)),
                found.match.clarityDecibels >= Self.leastClarityDecibels
            else { throw Self.noPeak(input, isSilent: channels.allSatisfy { $0.allSatisfy { $0 == 0 } }) }
            matches.append(found)
        }
        matches.sort { $0.frames < $1.frames }
        let spread = matches[matches.count - 1].frames - matches[0].frames
        guard spread <= Self.largestSpreadSeconds * Double(sampleRate) else {
            throw CalibrationError(
                .unsteady, "the round trips of the chirps differ by up to \(Int(spread.rounded())) frames",
                remedy: "Join output and input by a cable, and name the card itself, such as hw:0, for both.")
        }
        let middle = matches[matches.count / 2]
        return Found(frames: middle.frames, spreadFrames: spread, channel: channel, match: middle.match)
    }

    /// Returns the most likely place of a chirp, in frames after the chirp was played.
    private func match(
        in channel: [Float], start: Int, _ reportedFrames: Int
    ) -> (frames: Double, match: MatchedFilter.Match)? {
        let first = max(0, start + reportedFrames - soonerFrames)
        let end = min(channel.count, start + reportedFrames + laterFrames + chirp.count)
        guard first < end, let match = filter.bestMatch(in: channel[first..<end]) else { return nil }
        return (Double(first - start) + match.frame, match)
    }

    private static func noPeak(_ input: String, isSilent: Bool) -> CalibrationError {
        CalibrationError(
            .noPeak, "\(input) recorded \(isSilent ? "nothing at all" : "nothing that is clearly what was played")",
            remedy: "Join output and input by a cable, unmute both (alsamixer), and raise their levels.")
    }
}
