/// A place in a score that stays valid after a replacement of the score; used by `resume` and changes of speed.
struct Place: BitwiseCopyable {
    var section = 0
    var pass = 0
    var isRest = false
    /// The next clip frame; in a gap, the section's end.
    var clipFrame: Int64 = 0
    /// Elapsed frames of the gap.
    var restElapsed: Int64 = 0
}

/// Event data about the pass that a player leaves; read it before a replacement of its score.
struct Departure: BitwiseCopyable {
    let part: ScorePart
    /// Number of its section in the next score, from 0.
    var section: Int
    let choice: VoiceChoice
    let pass: Int
    let isRest: Bool
    /// The clip frame and the speed at the exit from the pass.
    let clipFrame: Int64
    let speed: Double
}
