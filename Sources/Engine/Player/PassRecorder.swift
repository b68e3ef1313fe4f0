// A pass that comes again unchanged sounds the same, since the sound is a function of the score. So the first pass of a part
// that a voice plays is kept, and those that follow are copies of it: a thousandth of the work, the same bits.

/// What is kept of the passes of a part: which part, how much of it, and where. Trivial; the render side's own.
struct PassRecorder: BitwiseCopyable {
    /// Memory the current score brought along.
    let memory: PassMemory
    /// The part whose pass is kept; nil when none is.
    private(set) var part: Int?
    /// Frames kept so far, from the pass's first one on.
    private(set) var frameCount = 0
    /// Frames that any pass of the part can need.
    private(set) var neededFrames = 0

    init(memory: PassMemory) {
        self.memory = memory
    }

    /// Whether passes of a part can be played from the memory.
    func isComplete(for part: Int) -> Bool { self.part == part && frameCount == neededFrames }

    /// Forgets what is there and begins to keep a pass of another part.
    ///
    /// - Returns: false when the memory is too small.
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

    /// Keeps what a voice has just given, the frames after those that are kept already.
    mutating func append(_ source: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int) {
        let fitting = min(count, neededFrames - frameCount)
        unsafe memory.write(source, at: frameCount, fitting)
        frameCount += fitting
    }
}

extension ScorePart {
    /// Frames that a layer playing any whole pass of this part can give: rounding may add one to the exact length, and the
    /// layer may run on under the one that follows.
    ///
    /// - Returns: nil for passes that are not worth keeping: they are copies of the clip, or come once.
    func recordedFrames(crossfadeFrames: Int) -> Int? {
        guard !isCopy, !hasCopies, passCount > 1, passFrames < 1e9 else { return nil }
        return Int(passFrames) + 2 + crossfadeFrames
    }
}
