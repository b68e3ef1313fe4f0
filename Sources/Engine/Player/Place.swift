/// A place in a score that stays valid when the score is replaced; used by `resume` and changes of speed.
struct Place: BitwiseCopyable {
    var section = 0
    var pass = 0
    var isRest = false
    /// The next clip frame; in a gap, the section's end.
    var clipFrame: Int64 = 0
    /// Elapsed frames of the gap.
    var restElapsed: Int64 = 0
}

/// What events report about the pass that a player leaves; read before its score may be replaced.
struct Departure: BitwiseCopyable {
    let part: ScorePart
    /// Its section, as it is numbered in the score that follows.
    var section: Int
    let choice: VoiceChoice
    let pass: Int
    let isRest: Bool
    /// Where the pass was left, and how fast it was there.
    let clipFrame: Int64
    let speed: Double
}
