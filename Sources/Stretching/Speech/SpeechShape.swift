/// The lengths used to analyse and splice speech at one sample rate.
///
/// All lengths are times in fine steps. A step is one frame up to 48 kHz, and a whole number of frames, about 20 µs,
/// above, so that the work per second of sound does not grow with the sample rate. The values are heuristics, chosen on
/// speech of both sexes, unless another reason is given.
struct SpeechShape: Sendable, Equatable {
    /// Frames of one fine step.
    let stepFrames: Int
    /// Fine steps of one cell, the grid on which splices lie: about 1 ms.
    let cell: Int
    /// Fine steps of one coarse step, at about 11 kHz, used for the first search for similar places.
    let coarse: Int
    /// The shortest and longest jump, 2.5 and 20 ms: one period of a child's voice, two of a deep one.
    let shortestLag: Int
    let longestLag: Int
    /// The shortest and longest crossfade, 1.5 and 6 ms.
    private let shortestCrossfade: Int
    private let longestCrossfade: Int

    /// Cells on either side within which the loudest place is determined: 1 s.
    static let loudnessCells = 1000
    /// Cells on either side of a place over which its level is averaged: 10 ms.
    static let levelCells = 10
    /// Cells before a burst that must be softer than the burst: 20 ms. This range is longer than a period, so that no
    /// pulse of a deep voice counts as a burst.
    static let burstPastCells = 22
    /// Cells before and after a jump and its crossfade that must be free of bursts: 5 ms of a burst are heard only
    /// once.
    static let burstMarginCells = (before: 5, behind: 3)

    init(sampleRate: Int) {
        stepFrames = max(1, sampleRate / 44100)
        let stepRate = Double(sampleRate) / Double(stepFrames)
        func steps(_ milliseconds: Double) -> Int { max(1, Int(stepRate * milliseconds / 1000 + 0.5)) }
        cell = steps(1)
        coarse = max(1, Int(stepRate / 11025 + 0.5))
        shortestLag = steps(2.5)
        longestLag = steps(20)
        shortestCrossfade = steps(1.5)
        longestCrossfade = steps(6)
    }

    /// Returns the crossfade of a jump, in fine steps: two fifths of the jump.
    ///
    /// With a share below a half, an inserted period keeps an untouched part between its two crossfades. A later plan
    /// at the inverse speed can therefore remove exactly the inserted period.
    func crossfade(ofLag lag: Int) -> Int { min(max(lag * 2 / 5, shortestCrossfade), longestCrossfade) }

    /// Frames of one cell.
    var cellFrames: Int { cell * stepFrames }
    /// Frames of the longest crossfade.
    var longestCrossfadeFrames: Int { longestCrossfade * stepFrames }
    /// Cells that a jump including its crossfade can span.
    var reachCells: Int { (longestLag + longestCrossfade) / cell + 2 }
    /// Cells of sound on either side of a cell that affect the cell's analysis.
    var contextCells: Int { SpeechShape.loudnessCells + SpeechShape.levelCells + 2 * reachCells }
}
