public import Explanations

/// A named range of a clip: the range that a musician repeats. A section may have passes, speeds and a gap of its own;
/// nil values come from the plan.
public struct Section: Sendable, Hashable {
    /// First frame and the frame after the last, in frames of the clip (at the engine's rate).
    public let range: Range<Int64>
    /// The user's name for the section; nil without a name.
    public let name: String?
    /// The section's own number of passes; nil takes the plan's.
    public var passes: PassCount?
    /// The section's own speeds; nil takes the plan's.
    public var speeds: SpeedSchedule?
    /// The gap after the section's own passes; nil takes the plan's.
    public var gap: Gap?
    /// The section's own steps, which replace ``passes``; nil takes the plan's, and an empty list plays ``passes``.
    public var steps: [PassStep]?

    /// Checks a range. The initialiser of a score checks the range against the clip.
    ///
    /// - Parameters:
    ///   - range: frames of the clip at the engine's rate; at least one, from 0.
    ///   - name: the user's name for the section; nil for none.
    ///   - passes: the section's own number of passes; nil for the plan's.
    ///   - speeds: the section's own speeds; nil for the plan's.
    ///   - gap: the gap after the section's passes; nil for the plan's.
    /// - Throws: `ScoreError` of kind `emptySection` if the range contains no frame, `sectionOutsideClip` if the range
    ///   starts before frame 0.
    public init(
        _ range: Range<Int64>, name: String? = nil, passes: PassCount? = nil, speeds: SpeedSchedule? = nil,
        gap: Gap? = nil
    ) throws(ScoreError) {
        guard !range.isEmpty else {
            throw ScoreError(
                .emptySection, "the section starts and ends at frame \(range.lowerBound)",
                remedy: "Give a start that lies before the end.")
        }
        guard range.lowerBound >= 0 else {
            throw ScoreError(
                .sectionOutsideClip, "the section starts before the recording does",
                remedy: "Give a start of 0 or later.")
        }
        self.range = range
        self.name = name
        steps = nil
        (self.passes, self.speeds, self.gap) = (passes, speeds, gap)
    }
}

/// Number of times a section plays before the next section.
public enum PassCount: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// This many times, at least once: 5 means five passes in total.
    case count(Int)
    /// Until the player moves on or stops.
    case endless

    /// Creates a number of passes.
    public init(integerLiteral value: Int) { self = .count(value) }

    /// The number of passes; nil for `endless`.
    package var number: Int? {
        if case .count(let number) = self { number } else { nil }
    }
}

/// Some passes of a section with a speed and a gap of their own: first slowly, then at the recording's speed, then with
/// time to answer.
public struct PassStep: Sendable, Hashable {
    /// Number of passes, at least one.
    package var passes: Int
    /// Speed of the passes; nil takes the section's or the plan's.
    package var speed: Speed?
    /// The gap after each pass; nil takes the section's or the plan's.
    package var gap: Gap?

    /// Creates a step; the initialiser of a score checks the step.
    public init(passes: Int, speed: Speed? = nil, gap: Gap? = nil) {
        (self.passes, self.speed, self.gap) = (passes, speed, gap)
    }
}

/// Transition from one pass to the next.
public enum Joint: String, Sendable, Hashable, CaseIterable {
    /// The sound continues past the end for 5 ms and crossfades with the new start: no click, no gap. The default.
    case crossfade
    /// 3 ms out, 3 ms in, inside the passes.
    case fade
    /// A bit-exact cut: every pass is the recording itself, with a click where the music jumps.
    case hard
}

/// The silence after every pass but the last of a score that ends.
public enum Gap: Sendable, Hashable {
    /// The next pass follows at once.
    case none
    /// A number of output frames, 0 or more.
    case frames(Int64)
    /// A multiple of the pass's own length, 0 or more: 1 leaves as much time as the pass took, for your own playing.
    case passLengths(Double)

    /// Returns the gap after a pass of `passFrames` output frames (not yet rounded), or nil for a gap out of range.
    func frameCount(passFrames: Double) -> Int64? {
        switch self {
        case .none:
            return 0
        case .frames(let count):
            return count >= 0 && count <= Score.longest ? count : nil
        case .passLengths(let factor):
            let count = (factor * passFrames).rounded()
            return factor >= 0 && count <= Double(Score.longest) ? Int64(count) : nil
        }
    }
}

/// The user's request: sections, passes, speeds, pitch, gap and joint. A ``Score`` compiles the plan and checks all
/// values.
///
///     let bridge = try Section(441_000..<882_000, name: "Bridge")
///     let speed = try Speed(factor: 0.7)
///     let plan = PracticePlan(sections: [bridge], passes: 5, speeds: .constant(speed), gap: .passLengths(1))
public struct PracticePlan: Sendable, Hashable {
    /// The sections, at least one. The sections play one after another, each with all its passes.
    public var sections: [Section]
    /// The passes of each section without a number of its own; 1 or more, or endless.
    public var passes: PassCount
    /// The speed of each pass; a ramp begins anew with every section.
    public var speeds: SpeedSchedule
    /// The pitch of the whole plan; the tempo does not depend on the pitch.
    public var pitch: Pitch
    /// True if the pitch follows the speed, as on a tape; then ``pitch`` must be the recording's own. A change of speed
    /// is then audible sooner, and the recording needs no analysis.
    public var varispeed: Bool
    /// True if every pass plays from the section's end to its beginning. Neither the order of the sections nor the time
    /// of speed curves changes.
    public var reversed: Bool
    /// The silence after every pass but the last of a score that ends.
    public var gap: Gap
    /// Transition between passes.
    public var joint: Joint
    /// The method for sections at other speeds.
    public var material: MaterialChoice
    /// Amount of work in the method for music.
    public var quality: StretchQuality
    /// Treatment of formants at another pitch.
    public var formants: FormantChoice
    /// True if the first section follows the last, without an end.
    public var repeats: Bool
    /// The passes of every section without steps of its own, one step after another, in place of the number of passes.
    /// Empty for none.
    public var steps: [PassStep]

    /// Makes a plan. The initialiser of a score checks its values.
    ///
    /// - Parameters:
    ///   - sections: at least one, in frames of the clip.
    ///   - passes: the passes of each section without a number of its own.
    ///   - speeds: the speed of each pass, 25 % to 400 %.
    ///   - pitch: −24 to 24 semitones; the recording's own pitch with `varispeed`.
    ///   - gap: the silence after each pass, in output frames or in lengths of the pass.
    ///   - joint: the transition from one pass to the next.
    ///   - material: the method for other speeds.
    ///   - quality: the amount of work in the method for music.
    ///   - formants: the treatment of formants at another pitch.
    ///   - varispeed: true if the pitch follows the speed.
    ///   - reversed: true for passes played backwards.
    ///   - repeats: true if the first section follows the last.
    ///   - steps: passes with speeds and gaps of their own, for sections without steps; empty for none.
    public init(
        sections: [Section], passes: PassCount = 1, speeds: SpeedSchedule = .constant(.normal),
        pitch: Pitch = .original, gap: Gap = .none, joint: Joint = .crossfade, material: MaterialChoice = .auto,
        quality: StretchQuality = .full, formants: FormantChoice = .auto, varispeed: Bool = false,
        reversed: Bool = false, repeats: Bool = false, steps: [PassStep] = []
    ) {
        self.sections = sections
        self.passes = passes
        self.speeds = speeds
        self.pitch = pitch
        self.gap = gap
        self.joint = joint
        self.material = material
        self.quality = quality
        self.formants = formants
        self.varispeed = varispeed
        self.reversed = reversed
        self.repeats = repeats
        self.steps = steps
    }
}

extension PracticePlan {
    /// Leaves the speed of all steps to the plan.
    package mutating func dropStepSpeeds() {
        for index in steps.indices { steps[index].speed = nil }
        for section in sections.indices {
            for index in sections[section].steps?.indices ?? 0..<0 { sections[section].steps?[index].speed = nil }
        }
    }
}
