// The sound is a function of the score, so a repeated pass sounds the same. The recorder keeps the first pass of a part
// played by a voice, and the following passes are copies: a thousandth of the work, the same bits.

/// State of the recorded pass: its part, its length so far, and its memory. Trivial; owned by the render side.
struct PassRecorder: BitwiseCopyable {
    /// Memory from the current score.
    let memory: PassMemory
    /// The part of the recorded pass; nil without a recorded pass.
    private(set) var part: Int?
    /// Frames recorded so far, from the first frame of the pass on.
    private(set) var frameCount = 0
    /// Maximum number of frames that any pass of the part can need.
    private(set) var neededFrames = 0

    init(memory: PassMemory) {
        self.memory = memory
    }

    /// Returns true if passes of a part can play from the memory.
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

    /// Appends frames just produced by the voice.
    mutating func append(_ source: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int) {
        let fitting = min(count, neededFrames - frameCount)
        unsafe memory.write(source, at: frameCount, fitting)
        frameCount += fitting
    }
}

extension ScorePart {
    /// Returns the maximum number of frames needed by a layer for any whole pass of this part. Rounding may add a frame
    /// to the exact length, and the layer may continue under the next layer.
    ///
    /// - Returns: nil for passes that need no recording: copies of the clip, and passes played once.
    func recordedFrames(crossfadeFrames: Int) -> Int? {
        guard !isCopy, !hasCopies, passCount > 1, passFrames < 1e9 else { return nil }
        return Int(passFrames) + 2 + crossfadeFrames
    }
}
