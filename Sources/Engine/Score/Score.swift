// The score: the whole plan as a value. It says for every output frame which frame of the clip is heard, at which speed,
// and nothing else decides it: not the block size, not the device, not when a page was decoded. It is compiled from a plan
// once, off the render thread; a million passes of a section take one entry.

/// A compiled, checked plan: what is heard at every output frame.
///
/// Real-time safe: reading through a `ScoreCursor` only. Making one allocates.
public struct Score: Sendable, Hashable {
    /// The longest score and the longest gap, in frames: ten thousand years at 384 kHz, and far from overflow.
    static let longest: Int64 = 1 << 56
    /// Runs of equal passes in a score. The render thread looks a place up by going through them, within some 50 µs.
    static let maximumParts = 20_000

    /// The sections in the order they are played.
    public let sections: [Section]
    /// The plan the score was made of.
    public let plan: PracticePlan
    /// The clip's length, in frames: no section reaches past it.
    public let clipFrameCount: Int64
    /// Frames of output a second: what the fades' lengths are counted in.
    public let sampleRate: Int
    /// The length of the whole, in output frames.
    public let frameCount: Int64

    let parts: [ScorePart]

    /// Compiles a plan.
    ///
    /// - Parameters:
    ///   - plan: sections, passes, speeds, gap and joint.
    ///   - clipFrameCount: the clip's length in frames.
    ///   - sampleRate: the engine's rate in Hz.
    /// - Throws: `ScoreError`, which says what is out of range and what to do.
    public init(_ plan: PracticePlan, clipFrameCount: Int64, sampleRate: Int) throws(ScoreError) {
        precondition(sampleRate > 0, "a sample rate is positive")
        try Score.check(plan, clipFrameCount: clipFrameCount, sampleRate: sampleRate)
        var parts: [ScorePart] = []
        for (index, section) in plan.sections.enumerated() {
            try Score.append(section, at: index, of: plan, to: &parts)
            guard parts.count <= Score.maximumParts else {
                throw ScoreError(
                    .tooLong, "there are more sections and speeds than can be followed",
                    remedy: "Give fewer sections, or a ramp with larger steps.")
            }
        }
        self.plan = plan
        self.sections = plan.sections
        self.clipFrameCount = clipFrameCount
        self.sampleRate = sampleRate
        self.parts = parts
        self.frameCount = try Score.length(of: parts)
    }

    /// The same plan at another speed, for a change while playing.
    func atSpeed(_ speed: Speed) throws(ScoreError) -> Score {
        var changed = plan
        changed.speeds = .constant(speed)
        return try Score(changed, clipFrameCount: clipFrameCount, sampleRate: sampleRate)
    }

    private static func check(
        _ plan: PracticePlan, clipFrameCount: Int64, sampleRate: Int
    ) throws(ScoreError) {
        guard !plan.sections.isEmpty else {
            throw ScoreError(.noSections, "there is nothing to play", remedy: "Give at least one section.")
        }
        guard plan.passes >= 1 else {
            throw ScoreError(
                .passesOutOfRange, "\(plan.passes) passes cannot be played", remedy: "Ask for one pass or more.")
        }
        if case .ramp(_, _, let step) = plan.speeds, step == 0 || !step.isFinite {
            throw ScoreError(
                .rampStepOutOfRange, "a ramp with a step of \(step * 100) % never arrives",
                remedy: "Give a step such as 5 %.")
        }
        for section in plan.sections where section.range.upperBound > clipFrameCount {
            let rate = Double(sampleRate)
            let end = Double(section.range.upperBound) / rate
            throw ScoreError(
                .sectionOutsideClip,
                "the section ends at \(end) s (frame \(section.range.upperBound)), "
                    + "the recording at \(Double(clipFrameCount) / rate) s (frame \(clipFrameCount))",
                remedy: "Choose an end inside the recording.")
        }
    }

    private static func append(
        _ section: Section, at index: Int, of plan: PracticePlan, to parts: inout [ScorePart]
    ) throws(ScoreError) {
        // A ramp gives one part for each speed on the way; the rest of the passes share the last part.
        let varied = min(plan.passes, plan.speeds.passesToReachLast)
        for pass in 0..<varied {
            let speed = plan.speeds.factor(ofPass: pass)
            let passFrames = Double(section.range.count) / speed
            guard passFrames >= 1 else {
                throw ScoreError(
                    .sectionTooShort,
                    "a section of \(section.range.count) frames gives no sound at \(speed * 100) %",
                    remedy: "Make the section longer or the speed lower.")
            }
            guard let gapFrames = plan.gap.frameCount(passFrames: passFrames) else {
                throw ScoreError(
                    .gapOutOfRange, "this gap cannot be played", remedy: "Give a gap of 0 or more, such as 0.5 or 1.0x."
                )
            }
            parts.append(
                ScorePart(
                    section: index, clipStart: section.range.lowerBound, clipEnd: section.range.upperBound,
                    speed: speed, firstPass: pass, passCount: pass + 1 == varied ? plan.passes - pass : 1,
                    sectionPasses: plan.passes, gapFrames: gapFrames, joint: plan.joint))
        }
    }

    private static func length(of parts: [ScorePart]) throws(ScoreError) -> Int64 {
        var cursor = ScoreCursor.start(of: parts[0], index: 0, at: 0)
        var total: Int64 = 0
        for (index, part) in parts.enumerated() {
            let passes = Double(part.passCount)
            guard passes * (part.passFrames + Double(part.gapFrames)) + Double(total) < Double(longest) else {
                throw ScoreError(
                    .tooLong, "the whole would last longer than can be counted",
                    remedy: "Ask for fewer passes, shorter gaps or a higher speed.")
            }
            if index > 0 { cursor = cursor.startOfPart(part, index: index, at: total) }
            cursor.skipToLastPass(of: part)
            total = cursor.spanEnd + (index + 1 < parts.count ? part.gapFrames : 0)
        }
        return total
    }
}

/// A run of equal passes: same section, same speed, same gap. Trivial, so that the render thread can read it.
struct ScorePart: Sendable, Hashable, BitwiseCopyable {
    /// Index of the section, from 0.
    var section: Int
    var clipStart: Int64
    var clipEnd: Int64
    var speed: Double
    /// The first pass of this part among the section's passes, from 0.
    var firstPass: Int
    var passCount: Int
    /// Passes of the whole section, for the listener: "pass 2 of 5".
    var sectionPasses: Int
    /// Silence after each pass; after the very last of the score it is left out.
    var gapFrames: Int64
    var joint: Joint.Code

    init(
        section: Int, clipStart: Int64, clipEnd: Int64, speed: Double, firstPass: Int, passCount: Int,
        sectionPasses: Int, gapFrames: Int64, joint: Joint
    ) {
        self.section = section
        self.clipStart = clipStart
        self.clipEnd = clipEnd
        self.speed = speed
        self.firstPass = firstPass
        self.passCount = passCount
        self.sectionPasses = sectionPasses
        self.gapFrames = gapFrames
        self.joint = joint.code
    }

    /// The exact length of a pass in output frames, before rounding.
    var passFrames: Double { Double(clipEnd - clipStart) / speed }
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
