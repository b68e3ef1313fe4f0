// Converts options to the engine's plan, once the recording is known.
import Terminal
import Woodshed

extension PlanOptions {
    /// The plan for a recording.
    ///
    /// - Parameters:
    ///   - passes: Of each section, if the user gave no number.
    ///   - repeats: Whether the first section follows the last.
    ///   - saved: The sections that are kept with the recording.
    ///   - kept: The recording's own settings, for what no option sets.
    /// - Throws: A `CommandFailure` for a section that ends before it starts or where it starts, a `SectionError` for one that is not
    ///   there, a `ScoreError` for another value that cannot be played.
    func plan(
        for timeline: Timeline, passes: PassCount = 1, repeats: Bool = false, saved: SavedSections = .none,
        kept: KeptSettings = KeptSettings()
    ) throws -> PracticePlan {
        let semitones = pitch.varispeed ? nil : pitch.pitch ?? kept.pitch
        return PracticePlan(
            sections: try planned(for: timeline, saved).map(\.section),
            passes: self.passes.map(PassCount.count) ?? kept.passes ?? passes,
            speeds: try schedule(for: timeline, kept),
            pitch: try semitones.map { text throws(ScoreError) in try Pitch(semitones: text.semitones) } ?? .original,
            gap: (gap ?? kept.gap)?.gap(in: timeline) ?? .none, joint: joint.joint,
            material: method.material.choice, quality: method.quality.quality,
            formants: pitch.formants.choice, varispeed: pitch.varispeed, reversed: direction.reverse, repeats: repeats)
    }

    /// The sections in the order of playing, with the identities of those that are saved: the given ones, or else all that are saved if
    /// they are wanted, or else the whole recording.
    func planned(for timeline: Timeline, _ saved: SavedSections) throws -> [(section: Section, savedID: Int?)] {
        if chosenSections.isEmpty, saved.areDefault {
            let sections = try saved.list().map { try saved.choice.sections(of: $0, timeline) } ?? []
            if !sections.isEmpty { return sections }
            if saved.choice.onlyHard {
                throw CommandFailure(
                    .notFound, "no section of this recording is marked as hard",
                    remedy: "Mark some: the key H while it plays, or woodshed sections FILE hard 2")
            }
        }
        let chosen = chosenSections.isEmpty ? [.range(.whole)] : chosenSections
        return try chosen.map { text in
            switch text {
            case .range(let range): return (try range.section(of: timeline), nil)
            case .saved(let name):
                let section = try saved.section(named: name)
                return (try section.section(of: timeline, choice(onlyHard: false)), section.id)
            }
        }
    }

    /// What counts of saved sections beside the options given.
    func choice(onlyHard: Bool, only: Set<Int>? = nil) -> SavedChoice {
        SavedChoice(
            speed: !speed.isGiven && ramp == nil, passes: passes == nil, gap: gap == nil, onlyHard: onlyHard,
            only: only)
    }

    private func schedule(for timeline: Timeline, _ kept: KeptSettings) throws(ScoreError) -> SpeedSchedule {
        guard let ramp else {
            guard !speed.isGiven, let kept = kept.speed else { return try speed.schedule(for: timeline) }
            return .constant(try Speed(factor: kept.factor))
        }
        let (from, to) = (try Speed(factor: ramp.from), try Speed(factor: ramp.to))
        return ramp.step.map { .ramp(from: from, to: to, step: $0) } ?? .glide(from: from, to: to)
    }
}

extension SpeedOptions {
    /// The speed or the curve, the recording's own speed unless another was asked for.
    func schedule(for timeline: Timeline) throws(ScoreError) -> SpeedSchedule {
        guard let curve else {
            return .constant(try speed.map { text throws(ScoreError) in try Speed(factor: text.factor) } ?? .normal)
        }
        var points: [SpeedPoint] = []
        for point in curve.points {
            let speed = try Speed(factor: point.factor)
            points.append(SpeedPoint(at: point.time.frame(in: timeline), speed, point.glides ? .glide : .step))
        }
        return .curve(points, repeatingEvery: curve.end?.frame(in: timeline))
    }
}

extension PitchOptions {
    /// The pitch, the recording's own unless another was asked for.
    func enginePitch() throws(ScoreError) -> Pitch {
        try pitch.map { text throws(ScoreError) in try Pitch(semitones: text.semitones) } ?? .original
    }
}

extension TimeRange {
    /// The range as a section of a recording.
    func section(of timeline: Timeline) throws -> Section {
        let (start, end) = bounds(in: timeline)
        guard start < end else {
            let rate = Double(timeline.clipRate)
            throw CommandFailure(
                .badData,
                "the section ends at \(clockText(Double(end) / rate, decimals: 3)), "
                    + "but starts at \(clockText(Double(start) / rate, decimals: 3))",
                remedy: "Give a start that lies before the end; the recording is "
                    + "\(clockText(Double(timeline.clipFrames) / rate, decimals: 3)) long.")
        }
        return try Section(start..<end)
    }
}

extension GapText {
    /// The gap in the engine's units.
    func gap(in timeline: Timeline) -> Gap {
        switch self {
        case .seconds(let seconds): .frames(Int64((seconds * Double(timeline.clipRate)).rounded()))
        case .frames(let frames):
            .frames(TimePoint.converted(frames, from: timeline.fileRate, to: timeline.clipRate))
        case .passLengths(let lengths): .passLengths(lengths)
        }
    }
}

extension MaterialText {
    /// The choice in the engine's words.
    var choice: MaterialChoice {
        switch self {
        case .auto: .auto
        case .music: .music
        case .speech: .speech
        }
    }
}

extension QualityText {
    /// The quality in the engine's words.
    var quality: StretchQuality {
        switch self {
        case .full: .full
        case .light: .light
        }
    }
}

extension FormantText {
    /// The choice in the engine's words.
    var choice: FormantChoice {
        switch self {
        case .auto: .auto
        case .keep: .keep
        case .move: .move
        }
    }
}

extension JointText {
    /// The joint in the engine's words.
    var joint: Joint {
        switch self {
        case .crossfade: .crossfade
        case .fade: .fade
        case .hard: .hard
        }
    }
}
