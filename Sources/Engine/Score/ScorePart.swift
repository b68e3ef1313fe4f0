/// A run of equal passes: same section, same speeds, same gap. Trivial, so that the render thread can read it.
struct ScorePart: Sendable, BitwiseCopyable {
    /// Index of the section, from 0.
    var section: Int
    /// The view of the clip for the passes.
    private(set) var view = ClipView.forward
    /// The section, in frames of the view.
    private(set) var clipStart: Int64
    private(set) var clipEnd: Int64
    /// The speed over a pass's output frames.
    var curve: SpeedCurve
    /// The pitch, in semitones and as the factor of all frequencies.
    var semitones: Double
    var pitchRatio: Double
    /// The first pass of this part among the section's passes, from 0.
    var firstPass: Int
    var passCount: Int
    /// Passes of the whole section, for reports: "pass 2 of 5". For endless passes, a number beyond any waiting time.
    var sectionPasses: Int
    /// True if the section's passes repeat until a move of the player.
    var isEndless: Bool
    /// Silence after each pass, except after the last pass of the score.
    var gapFrames: Int64
    var joint: Joint.Code

    /// The exact length of a pass in output frames, before rounding.
    var passFrames: Double

    init(
        section: Int, clipStart: Int64, clipEnd: Int64, curve: SpeedCurve, pitch: Pitch, firstPass: Int,
        passCount: Int, sectionPasses: Int, isEndless: Bool = false, gapFrames: Int64, joint: Joint
    ) {
        self.section = section
        self.clipStart = clipStart
        self.clipEnd = clipEnd
        self.curve = curve
        semitones = pitch.semitones
        pitchRatio = pitch.ratio
        self.firstPass = firstPass
        self.passCount = passCount
        self.sectionPasses = sectionPasses
        self.isEndless = isEndless
        self.gapFrames = gapFrames
        self.joint = joint.code
        passFrames = curve.time(toCover: Double(clipEnd - clipStart))
    }

    /// Sets another view of the clip for the passes, over the same section.
    mutating func look(through view: ClipView) {
        let range = view.range(clipRange)
        self.view = view
        (clipStart, clipEnd) = (range.lowerBound, range.upperBound)
    }

    /// The section, in frames of the clip.
    var clipRange: Range<Int64> { view.range(clipStart..<clipEnd) }

    /// Returns the frame of the clip at a frame of the view. At the end of a pass this is the edge of the section: the
    /// frame after its last frame or, played backwards, its first frame.
    func clipFrame(at frame: Int64) -> Int64 {
        view.isMirrored ? max(view.frame(frame), clipRange.lowerBound) : frame
    }

    /// The clip's frame at the start of a pass, and at its end.
    var firstClipFrame: Int64 { clipFrame(at: clipStart) }
    var lastClipFrame: Int64 { clipFrame(at: clipEnd) }

    /// Passes of the whole section, for reports; 0 for endless passes.
    var reportedPasses: Int { isEndless ? 0 : sectionPasses }

    /// The speed at the beginning of a pass.
    var speed: Double { curve.initialSpeed }

    /// True for another pitch than the recording's.
    var isPitched: Bool { pitchRatio != 1 }

    /// True if every pass is a copy of the clip from end to end, without a voice.
    var isCopy: Bool { curve.isConstant && curve.initialSpeed == 1 && pitchRatio == 1 }

    /// True if copies and voices alternate within a pass.
    var hasCopies: Bool { curve.hasCopies && pitchRatio == 1 }

    /// Returns true if the clip is copied at a frame of the curve.
    func isCopy(at frame: Int64) -> Bool { pitchRatio == 1 && curve.isCopy(at: frame) }
}

extension Joint {
    /// `Joint` without its string: trivial, for the render thread.
    enum Code: UInt8, BitwiseCopyable, Sendable {
        case crossfade, fade, hard
    }

    var code: Code {
        switch self {
        case .crossfade: .crossfade
        case .fade: .fade
        case .hard: .hard
        }
    }
}
