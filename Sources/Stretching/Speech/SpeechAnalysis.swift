/// The analysis of speech for changes of speed: pairs of similar places between which playback may jump, and places
/// where playback must not jump.
///
/// For each millisecond the analysis holds the best few jumps to a place 2.5 to 20 ms later, each with its cost. A jump
/// back uses the same pair of places in reverse. In voiced sounds the jumps are one, two or three periods long, in
/// noise the lags at which the noise happens to resemble itself. See ``SplicePlan`` for the use of jumps.
///
/// All places are frames of the recording and depend only on the sound within ``contextFrames(sampleRate:)`` of the
/// place. A long section can therefore be analysed in parts and joined: the result is the same, bit for bit.
package struct SpeechAnalysis: Sendable {
    /// Frames a second, in Hz.
    package let sampleRate: Int
    let shape: SpeechShape
    /// The first cell analysed.
    private(set) var firstCell: Int64
    /// The index of each cell's first jump, and one more entry: the count of all.
    private(set) var firstJump: [Int]
    private(set) var jumps: [SpeechJump]
    /// Amount of a burst's beginning in each cell, 0 to 1.
    private(set) var bursts: [Float]
    /// The level around each cell, as a mean square.
    private var levels: [Float]
    /// The windows that begin in the analysed cells.
    private var pulses: [PulseSkewness.Window]

    /// The frames with known jumps.
    package var range: Range<Int64> {
        firstCell * Int64(shape.cellFrames)..<(firstCell + Int64(cellCount)) * Int64(shape.cellFrames)
    }

    var cellCount: Int { bursts.count }

    /// Returns the place within a range where the speech is softest, the first of equals: the best place to cut a
    /// section.
    ///
    /// - Parameter range: Frames, at least one of them in ``range``; frames outside ``range`` are ignored.
    ///
    /// Real-time safe: no.
    package func softestFrame(in range: Range<Int64>) -> Int64 {
        let cellFrames = Int64(shape.cellFrames)
        let frames = range.clamped(to: self.range)
        precondition(!frames.isEmpty, "Nothing is known of this range.")
        let first = floorDivided(frames.lowerBound, cellFrames)
        let end = floorDivided(frames.upperBound - 1, cellFrames) + 1
        let softest = (first..<end).min { levels[Int($0 - firstCell)] < levels[Int($1 - firstCell)] } ?? first
        return max(frames.lowerBound, softest * cellFrames)
    }

    /// Returns true if a voice has the sharp pulses that splices preserve. Splicing a voice is worthwhile only with
    /// such pulses.
    ///
    /// Also returns true while fewer than 1.5 seconds of voiced sound are known.
    /// - Parameter parts: Parts of the voice's recording, in any order.
    ///
    /// Real-time safe: no.
    package static func hasPulses(_ parts: some Sequence<SpeechAnalysis>) -> Bool {
        guard let skewness = PulseSkewness.mean(parts.flatMap(\.pulses)) else { return true }
        return skewness > PulseSkewness.leastOfPulses
    }

    /// Returns the number of frames before and after a place that affect the place's analysis: about 1.1 s.
    ///
    /// A block for analysis has this many frames around the requested part, as far as the recording has them.
    ///
    /// Real-time safe: no.
    package static func contextFrames(sampleRate: Int) -> Int {
        let shape = SpeechShape(sampleRate: sampleRate)
        return shape.contextCells * shape.cellFrames
    }

    /// Analyses the part of a recording that a section needs.
    ///
    /// The range is widened to whole cells of about 1 ms. Takes about a hundredth of the sound's duration.
    /// - Parameters:
    ///   - block: The sound; frames outside the block count as silence.
    ///   - range: The frames to analyse.
    ///
    /// Real-time safe: no.
    package init(_ block: SourceBlock, range: Range<Int64>) {
        sampleRate = block.sampleRate
        shape = SpeechShape(sampleRate: block.sampleRate)
        let cellFrames = Int64(shape.cellFrames)
        firstCell = floorDivided(range.lowerBound, cellFrames)
        let endCell = max(firstCell, floorDivided(range.upperBound - 1, cellFrames) + 1)
        let context = Int64(shape.contextCells)
        let signal = SpeechSignal(block, cells: firstCell - context..<endCell + context, shape: shape)
        let levels = SpeechLevels(signal)
        var search = JumpSearch(shape: shape)
        let held = Int(firstCell - signal.firstCell)..<Int(endCell - signal.firstCell)
        bursts = Array(levels.bursts[held])
        self.levels = Array(levels.level[held])
        pulses = PulseSkewness.windows(of: signal, cells: held)
        jumps = []
        firstJump = [0]
        firstJump.reserveCapacity(Int(endCell - firstCell) + 1)
        for cell in held {
            search.appendJumps(fromCell: cell, of: signal, levels, to: &jumps)
            firstJump.append(jumps.count)
        }
    }

    /// Appends the analysis of the following part of the recording.
    ///
    /// Cells in both parts are taken once; a gap between the two parts is an error of the caller.
    /// - Parameter next: An analysis of the same recording that begins at or before the end of ``range``.
    ///
    /// Real-time safe: no.
    package mutating func append(_ next: SpeechAnalysis) {
        precondition(next.sampleRate == sampleRate, "Parts of one recording have one rate.")
        let held = Int(firstCell + Int64(cellCount) - next.firstCell)
        precondition(held >= 0, "Parts of an analysis are joined without gaps.")
        guard held < next.cellCount else { return }
        let (taken, offset) = (next.firstJump[held], jumps.count)
        bursts.append(contentsOf: next.bursts[held...])
        levels.append(contentsOf: next.levels[held...])
        pulses.append(
            contentsOf: next.pulses.dropFirst(PulseSkewness.windowCount(next.firstCell..<next.firstCell + Int64(held))))
        jumps.append(contentsOf: next.jumps[taken...])
        firstJump.append(contentsOf: next.firstJump[(held + 1)...].map { $0 - taken + offset })
    }
}

/// A jump from the first frame of a cell to a place some milliseconds later, or back.
struct SpeechJump: BitwiseCopyable, Sendable, Equatable {
    /// Fine steps from the earlier place to the later one.
    let lag: Int32
    /// The cost of the jump: 0 if both places sound the same, about 2 if they have nothing in common.
    let cost: Float
}
