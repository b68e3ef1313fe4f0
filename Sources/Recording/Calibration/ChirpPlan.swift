internal import DSP

/// When chirps are played, and where they are looked for in what comes back.
struct ChirpPlan: Sendable {
    /// −10 dB of full scale: loud enough for a cable, bearable in headphones.
    private static let amplitude = 0.3
    /// Before the first chirp, as some devices need a while; in seconds.
    private static let leadSeconds = 0.3
    /// From one chirp to the next, in seconds. More than the stretch in which a chirp is looked for, so that none is taken for another.
    private static let intervalSeconds = 0.4
    /// How much sooner than the driver tells, and how much later, a chirp may come back, in seconds.
    private static let (soonerSeconds, laterSeconds) = (0.05, 0.3)
    /// Less clear than this, in dB, and it may be something else.
    private static let leastClarityDecibels = 20.0
    /// Repeats further apart than this, in seconds, are not one way of the sound.
    private static let largestSpreadSeconds = 0.0005

    let sampleRate: Int
    let chirp: [Float]
    /// The output frames at which a chirp begins.
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

    /// Where the last chirp may end at the latest, in input frames, when the driver tells of so many.
    func end(reportedFrames: Int) -> Int { (starts.last ?? 0) + reportedFrames + laterFrames + chirp.count }

    /// What was found.
    struct Found {
        /// From output frame to input frame.
        let frames: Double
        let spreadFrames: Double
        /// Of the input, from 0.
        let channel: Int
        /// The match in the middle of all.
        let match: MatchedFilter.Match
    }

    /// Finds all chirps on the channel that has the first one most clearly, and takes the middle one.
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
                .unsteady, "what was played came back up to \(Int(spread.rounded())) frames apart",
                remedy: "Join output and input by a cable, and name the card itself, such as hw:0, for both.")
        }
        let middle = matches[matches.count / 2]
        return Found(frames: middle.frames, spreadFrames: spread, channel: channel, match: middle.match)
    }

    /// The likeliest place of a chirp, in frames after it was played.
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
