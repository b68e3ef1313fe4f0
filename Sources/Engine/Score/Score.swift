// The score: the whole plan as a value. For every output frame the score determines the frame of the clip and the
// speed. Nothing else has an influence: not the block size, not the device, not the time at which a page was decoded. A
// plan is compiled once, off the render thread; a million passes of a section take one entry.

public import Clips
public import Explanations

/// A plan, checked and compiled for a clip. The score determines the sound at every output frame.
///
/// A value that never changes. Making a score allocates; the work grows with the number of sections and not with the
/// number of passes.
///
/// Threads: any. Real-time safe: no.
public struct Score: Sendable {
    /// The longest score and the longest gap, in frames: ten thousand years at 384 kHz, and far from overflow.
    static let longest: Int64 = 1 << 56
    /// Maximum number of runs of equal passes in a score.
    static let maximumParts = 20_000
    /// Total length of all endless passes of a score, in frames: centuries, and exact as a `Double`.
    private static let endlessFrames: Int64 = 1 << 52

    /// The sections in playing order.
    package let sections: [Section]
    /// The plan behind the score.
    public let plan: PracticePlan
    /// The clip's length, in frames: no section reaches past this length.
    let clipFrameCount: Int64
    /// Output frames per second, in Hz; the lengths of fades depend on this rate.
    let sampleRate: Int
    /// The total length, in output frames; nil for a score without an end.
    public let frameCount: Int64?

    let parts: [ScorePart]
    /// False if every pass is a copy of the clip.
    let needsVoices: Bool
    /// Index from frames of the clip to parts.
    let places: ClipPlaces
    /// Owns the knots behind the pointers of the parts' curves.
    private let curves: [SpeedCurveStorage]

    /// Checks and compiles a plan.
    ///
    /// - Parameters:
    ///   - plan: sections, passes, speeds, pitch, gap and joint.
    ///   - clipFrameCount: the clip's length in frames at the engine's rate.
    ///   - sampleRate: the engine's rate in Hz.
    /// - Throws: `ScoreError` with the kind of the error, a message and a remedy.
    public init(_ plan: PracticePlan, clipFrameCount: Int64, sampleRate: Int) throws(ScoreError) {
        precondition(sampleRate > 0, "a sample rate is positive")
        try Score.check(plan, clipFrameCount: clipFrameCount, sampleRate: sampleRate)
        var parts: [ScorePart] = []
        var curves = CurveSource(sampleRate: sampleRate)
        for (index, section) in plan.sections.enumerated() {
            try Score.append(section, at: index, of: plan, to: &parts, curves: &curves)
        }
        if plan.reversed {
            let view = ClipView(mirroring: clipFrameCount)
            for index in parts.indices { parts[index].look(through: view) }
        }
        self.plan = plan
        self.sections = plan.sections
        self.clipFrameCount = clipFrameCount
        self.sampleRate = sampleRate
        self.parts = parts
        needsVoices = parts.contains { !$0.isCopy }
        places = ClipPlaces(parts)
        self.curves = curves.storages
        let length = try Score.length(of: parts)
        frameCount = plan.repeats || parts.contains(where: \.isEndless) ? nil : length
    }

    /// Checks and compiles a plan for a clip.
    ///
    /// - Throws: `ScoreError` with the kind of the error, a message and a remedy.
    public init(_ plan: PracticePlan, for clip: Clip) throws(ScoreError) {
        try self.init(plan, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
    }

    /// Returns the same plan at another speed, for a change while playing.
    func atSpeed(_ speed: Speed) throws(ScoreError) -> Score {
        var changed = plan
        changed.speeds = .constant(speed)
        for index in changed.sections.indices { changed.sections[index].speeds = nil }
        changed.dropStepSpeeds()
        return try Score(changed, clipFrameCount: clipFrameCount, sampleRate: sampleRate)
    }

    /// Returns the same plan at another pitch, for a change while playing.
    func atPitch(_ pitch: Pitch) throws(ScoreError) -> Score {
        var changed = plan
        changed.pitch = pitch
        return try Score(changed, clipFrameCount: clipFrameCount, sampleRate: sampleRate)
    }

    /// Returns the same plan in another direction, for a change while playing.
    func inDirection(reversed: Bool) throws(ScoreError) -> Score {
        var changed = plan
        changed.reversed = reversed
        return try Score(changed, clipFrameCount: clipFrameCount, sampleRate: sampleRate)
    }

    /// The view of the clip for every part.
    var view: ClipView { plan.reversed ? ClipView(mirroring: clipFrameCount) : .forward }

    /// Returns the first clip frame of a section, counted from 0.
    func firstClipFrame(ofSection index: Int) -> Int64 {
        let range = sections[index].range
        return plan.reversed ? range.upperBound - 1 : range.lowerBound
    }

    /// Returns the number of passes of a section, counted from 0: the total of the steps, the section's own number or
    /// the plan's.
    func passes(ofSection index: Int) -> PassCount {
        let steps = sections[index].steps ?? plan.steps
        return steps.isEmpty ? sections[index].passes ?? plan.passes : .count(steps.reduce(0) { $0 + $1.passes })
    }

    /// Returns the speed at the start of a section's first pass, as a factor.
    ///
    /// - Parameter index: the section, counted from 0.
    package func firstSpeed(ofSection index: Int) -> Double { speeds(ofSection: index).factor(ofPass: 0) }

    /// Returns the speeds of a section, counted from 0: the speed of the first step, its own speeds or the plan's.
    func speeds(ofSection index: Int) -> SpeedSchedule {
        (sections[index].steps ?? plan.steps).first?.speed.map { .constant($0) } ?? sections[index].speeds
            ?? plan.speeds
    }

    /// False if playing needs no analysis of the recording: for copies, and for a tape.
    var needsAnalysis: Bool { needsVoices && !plan.varispeed }

    private static func check(
        _ plan: PracticePlan, clipFrameCount: Int64, sampleRate: Int
    ) throws(ScoreError) {
        guard !plan.sections.isEmpty else {
            throw ScoreError(.noSections, "there is nothing to play", remedy: "Give at least one section.")
        }
        let steps = (plan.steps + plan.sections.flatMap { $0.steps ?? [] }).map { PassCount.count($0.passes) }
        for passes in [plan.passes] + plan.sections.compactMap(\.passes) + steps {
            guard let number = passes.number, number < 1 else { continue }
            throw ScoreError(
                .passesOutOfRange, "\(number) passes cannot be played", remedy: "Ask for one pass or more.")
        }
        for speeds in [plan.speeds] + plan.sections.compactMap(\.speeds) {
            guard case .ramp(_, _, let step) = speeds, step == 0 || !step.isFinite else { continue }
            throw ScoreError(
                .rampStepOutOfRange, "a ramp with a step of \(step * 100) % never reaches its last speed",
                remedy: "Give a step such as 5 %.")
        }
        if plan.varispeed, plan.pitch != .original {
            throw ScoreError(
                .pitchWithVarispeed, "a plan with varispeed cannot set a pitch, because the pitch follows the speed",
                remedy: "Choose a pitch or varispeed, not both.")
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
        _ section: Section, at index: Int, of plan: PracticePlan, to parts: inout [ScorePart],
        curves: inout CurveSource
    ) throws(ScoreError) {
        let (speeds, gap) = (section.speeds ?? plan.speeds, section.gap ?? plan.gap)
        let (first, steps) = (parts.count, section.steps ?? plan.steps)
        guard !steps.isEmpty else {
            let passes = section.passes ?? plan.passes
            try append(section, at: index, of: plan, passes, speeds, gap, to: &parts, curves: &curves)
            if passes == .endless { makeEndless(&parts[first...], share: plan.sections.count) }
            return
        }
        var count = 0
        for step in steps {
            let begin = parts.count
            try append(
                section, at: index, of: plan, .count(step.passes), step.speed.map { .constant($0) } ?? speeds,
                step.gap ?? gap, to: &parts, curves: &curves)
            let (sum, isTooLarge) = count.addingReportingOverflow(step.passes)
            guard !isTooLarge else { throw tooLong }
            for part in begin..<parts.count { parts[part].firstPass += count }
            count = sum
        }
        for part in first..<parts.count { parts[part].sectionPasses = count }
    }

    /// Appends passes with one schedule of speeds and one gap.
    private static func append(
        _ section: Section, at index: Int, of plan: PracticePlan, _ passes: PassCount, _ speeds: SpeedSchedule,
        _ gap: Gap, to parts: inout [ScorePart], curves: inout CurveSource
    ) throws(ScoreError) {
        // A ramp gives one part for each speed on the way; the remaining passes share the last part.
        let varied = min(passes.number ?? .max, speeds.passesToReachLast)
        // Before the work: a ramp may have a million steps, and a section any number of ramps.
        guard parts.count + varied <= maximumParts else {
            throw ScoreError(
                .tooLong, "the plan has more than \(maximumParts) sections and speeds",
                remedy: "Give fewer sections, or a ramp with larger steps.")
        }
        for pass in 0..<varied {
            let curve = try curves.curve(of: speeds, pass: pass, distance: Double(section.range.count))
            let passFrames = curve.time(toCover: Double(section.range.count))
            guard passFrames >= 1 else {
                throw ScoreError(
                    .sectionTooShort,
                    "a section of \(section.range.count) frames gives no sound at \(curve.initialSpeed * 100) %",
                    remedy: "Make the section longer or the speed lower.")
            }
            guard let gapFrames = gap.frameCount(passFrames: passFrames) else {
                throw ScoreError(
                    .gapOutOfRange, "the gap is negative, too long or not a number",
                    remedy: "Give a gap of 0 or more, such as 0.5 or 1.0x."
                )
            }
            parts.append(
                ScorePart(
                    section: index, clipStart: section.range.lowerBound, clipEnd: section.range.upperBound,
                    curve: curve, pitch: plan.pitch, firstPass: pass,
                    passCount: pass + 1 == varied ? (passes.number ?? varied) - pass : 1,
                    sectionPasses: passes.number ?? 0, isEndless: passes == .endless, gapFrames: gapFrames,
                    joint: plan.joint))
        }
    }

    /// Gives the last part of a section so many passes that no user will hear the end.
    ///
    /// - Parameter share: number of sections that share the longest time.
    private static func makeEndless(_ parts: inout ArraySlice<ScorePart>, share: Int) {
        guard let last = parts.last else { return }
        let frames = Double(endlessFrames) / Double(share)
        let count = max(1, Int(frames / (last.passFrames + Double(last.gapFrames))))
        parts[parts.endIndex - 1].passCount = count
        for index in parts.indices { parts[index].sectionPasses = last.firstPass + count }
    }

    private static var tooLong: ScoreError {
        ScoreError(
            .tooLong, "the score is longer than positions can count",
            remedy: "Ask for fewer passes, shorter gaps or a higher speed.")
    }

    private static func length(of parts: [ScorePart]) throws(ScoreError) -> Int64 {
        var cursor = ScoreCursor.start(of: parts[0], index: 0, at: 0)
        var total: Int64 = 0
        for (index, part) in parts.enumerated() {
            let passes = Double(part.passCount)
            guard passes * (part.passFrames + Double(part.gapFrames)) + Double(total) < Double(longest) else {
                throw tooLong
            }
            if index > 0 { cursor = cursor.startOfPart(part, index: index, at: total) }
            cursor.skipToLastPass(of: part)
            total = cursor.spanEnd + (index + 1 < parts.count ? part.gapFrames : 0)
        }
        return total
    }
}

/// A score is a function of the values in its initialiser.
extension Score: Hashable {
    /// Returns true if both scores have the same plan, for clips of the same length at the same rate.
    public static func == (left: Score, right: Score) -> Bool {
        left.plan == right.plan && left.clipFrameCount == right.clipFrameCount && left.sampleRate == right.sampleRate
    }

    /// Hashes the values that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(plan)
        hasher.combine(clipFrameCount)
        hasher.combine(sampleRate)
    }
}

/// Makes the curves of a score's parts, each curve once.
private struct CurveSource {
    let sampleRate: Int
    private(set) var storages: [SpeedCurveStorage] = []
    private var last: (speeds: SpeedSchedule, distance: Double, curve: SpeedCurve)?

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// - Parameters:
    ///   - pass: from 0.
    ///   - distance: frames of the section.
    mutating func curve(of speeds: SpeedSchedule, pass: Int, distance: Double) throws(ScoreError) -> SpeedCurve {
        // A curve of points is the same for all sections with this curve, a glide for sections of equal length.
        if let last, last.distance == distance || speeds.isCurve, last.speeds == speeds { return last.curve }
        guard let made = try speeds.storage(distance: distance, sampleRate: sampleRate) else {
            return SpeedCurve(speed: speeds.factor(ofPass: pass))
        }
        storages.append(made.storage)
        let curve = made.storage.curve(period: made.period)
        last = (speeds, distance, curve)
        return curve
    }
}
