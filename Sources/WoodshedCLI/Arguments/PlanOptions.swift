// Options for the engine's plan, and their conversion for a known recording.
import ArgumentParser
import Terminal
import WoodshedPractice

/// Sections, passes and speeds to play.
struct PlanOptions: ParsableArguments {
    @Option(
        name: .customLong("section"), parsing: .unconditionalSingleValue,
        help: .init(
            "Section: 2.0-3.0, 1:20-1:45, 90112f-131072f (frames), or a saved name or number; may be repeated.",
            valueName: "a-b"),
        completion: .custom(SectionNames.complete),
        transform: { try SectionArguments.sections(optionValue($0)) })
    var sections: [[SectionText]] = []

    @OptionGroup var range: RangeOptions

    @Option(
        name: [.customShort("n"), .customLong("passes")], parsing: .unconditional,
        help: .init("Passes of each section; 5 plays it five times.", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var passes: Int?

    @OptionGroup var speed: SpeedOptions

    @OptionGroup var pitch: PitchOptions

    @OptionGroup var direction: DirectionOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: .init(
            "Change the speed with each pass (60%:100%:5%), or within each pass (60%:100%).", valueName: "a:b[:step]"),
        transform: { try RampText(parsing: optionValue($0)) })
    var ramp: RampText?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Silence after each pass: 0.1 (s), 12f, 1.0x (passes).", valueName: "g"),
        transform: { try GapText(parsing: optionValue($0)) })
    var gap: GapText?

    @Option(name: .long, help: "Join the passes by a crossfade, a fade or a hard cut.")
    var joint: JointText = .crossfade

    @OptionGroup private var method: MethodOptions

    mutating func validate() throws {
        if ramp != nil && speed.isGiven {
            throw ValidationError("Use only one of --speed, --curve and --ramp.")
        }
        if !sections.isEmpty && range.isGiven {
            throw ValidationError("--from and --to set one section. Leave them out if you use --section.")
        }
    }

    /// Sections in the order of playing; empty without a given section.
    var chosenSections: [SectionText] {
        range.isGiven ? [.range(range.range)] : sections.flatMap { $0 }
    }
}

extension PlanOptions {
    /// Returns the plan for a recording.
    ///
    /// - Parameters:
    ///   - passes: Passes of each section if the user gave no number.
    ///   - repeats: True if the first section follows the last.
    ///   - saved: The recording's saved sections.
    ///   - kept: The recording's own settings, used where no option is given.
    /// - Throws: A `CommandFailure` for a section with its end at or before its start, a `SectionError` for a missing
    ///   section, a `ScoreError` for another unplayable value.
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

    /// Returns the sections in the order of playing, with the identities of saved sections. The given sections come
    /// first; otherwise all saved sections, if wanted; otherwise the whole recording.
    func planned(for timeline: Timeline, _ saved: SavedSections) throws -> [(section: Section, savedID: Int?)] {
        if chosenSections.isEmpty, saved.areDefault {
            let sections = try saved.list().map { try saved.choice.sections(of: $0, timeline) } ?? []
            if !sections.isEmpty { return sections }
            if saved.choice.onlyHard {
                throw CommandFailure(
                    .notFound, "no section of this recording is marked as hard",
                    remedy:
                        "Mark sections with the key H while the recording plays, or with: woodshed sections FILE hard 2"
                )
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

    /// Returns the settings of saved sections that apply beside the given options.
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
    /// Returns the given speed or curve; the recording's own speed without either option.
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
    /// Returns the given pitch; the recording's own pitch without the option.
    func enginePitch() throws(ScoreError) -> Pitch {
        try pitch.map { text throws(ScoreError) in try Pitch(semitones: text.semitones) } ?? .original
    }
}

extension TimeRange {
    /// Returns the range as a section of a recording.
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
    /// Converts the gap to the engine's units.
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
    /// The engine's material choice.
    var choice: MaterialChoice {
        switch self {
        case .auto: .auto
        case .music: .music
        case .speech: .speech
        }
    }
}

extension QualityText {
    /// The engine's stretch quality.
    var quality: StretchQuality {
        switch self {
        case .full: .full
        case .light: .light
        }
    }
}

extension FormantText {
    /// The engine's formant choice.
    var choice: FormantChoice {
        switch self {
        case .auto: .auto
        case .keep: .keep
        case .move: .move
        }
    }
}

extension JointText {
    /// The engine's joint.
    var joint: Joint {
        switch self {
        case .crossfade: .crossfade
        case .fade: .fade
        case .hard: .hard
        }
    }
}
