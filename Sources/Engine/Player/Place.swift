/// A place in a score that outlives the score it was taken from: what `resume` and a change of speed go back to.
struct Place: BitwiseCopyable {
    var section = 0
    var pass = 0
    var isRest = false
    /// The clip frame to be heard next; in a rest, the section's end.
    var clipFrame: Int64 = 0
    /// Frames of the rest that are over.
    var restElapsed: Int64 = 0
}

/// What is told of the pass that a player leaves: read before its score may go.
struct Departure: BitwiseCopyable {
    let part: ScorePart
    let choice: VoiceChoice
    let pass: Int
    let isRest: Bool
    /// Where the pass was left, and how fast it was there.
    let clipFrame: Int64
    let speed: Double
}
