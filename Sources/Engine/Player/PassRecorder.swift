// The sound is a function of the score, so a repeated pass sounds the same. The first pass of a part that a voice plays is
// recorded, and the following passes are copies of it: a thousandth of the work, the same bits.

/// State of the recorded pass: which part, how much of it, and where. Trivial; owned by the render side.
struct PassRecorder: BitwiseCopyable {
    /// Memory that the current score brought.
    let memory: PassMemory
    /// The part whose pass is recorded; nil if none is.
    private(set) var part: Int?
    /// Frames recorded so far, from the first frame of the pass on.
    private(set) var frameCount = 0
    /// The most frames that any pass of the part can need.
    private(set) var neededFrames = 0

    init(memory: PassMemory) {
        self.memory = memory
    }

    /// Whether passes of a part can be played from the memory.
    func isComplete(for part: Int) -> Bool { self.part == part && frameCount == neededFrames }

    /// Discards the recorded pass and begins to record a pass of another part.
    ///
    /// - Returns: false if the memory is too small.
    mutating func begin(part: Int, neededFrames: Int) -> Bool {
        discard()
        guard neededFrames <= memory.frameCount else { return false }
        self.part = part
        self.neededFrames = neededFrames
        return true
    }

    mutating func discard() {
        part = nil
        frameCount = 0
        neededFrames = 0
    }

    /// Appends frames that the voice has just produced.
    mutating func append(_ source: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int) {
        let fitting = min(count, neededFrames - frameCount)
        unsafe memory.write(source, at: frameCount, fitting)
        frameCount += fitting
    }
}

extension ScorePart {
    /// The most frames that a layer playing any whole pass of this part can need: rounding may add one to the exact length, and the
    /// layer may continue under the next one.
    ///
    /// - Returns: nil for passes that need no recording: copies of the clip, and passes that are played once.
    func recordedFrames(crossfadeFrames: Int) -> Int? {
        guard !isCopy, !hasCopies, passCount > 1, passFrames < 1e9 else { return nil }
        return Int(passFrames) + 2 + crossfadeFrames
    }
}
