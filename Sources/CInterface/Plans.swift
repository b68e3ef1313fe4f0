internal import CWoodshed
internal import Clips
internal import Engine

/// The sections of a C program, and the ids of the saved sections behind these.
struct GivenSections {
    /// Maximum number of sections in a plan.
    private static let most = 1 << 20

    let sections: [Section]
    /// For each section, the id of its saved section; nil without a saved section.
    let ids: [Int?]

    /// Reads the sections of an array.
    init(_ first: UnsafePointer<woodshed_section>?, count: Int) throws {
        guard let first = unsafe first else { throw ArgumentError.missing("sections") }
        guard (1...Self.most).contains(count) else {
            throw ArgumentError("there are \(count) sections", remedy: "Pass 1 to \(Self.most).")
        }
        let size = try unsafe Struct.size(of: first, "the first section")
        var (sections, ids): ([Section], [Int?]) = ([], [])
        for index in 0..<count {
            let given = try unsafe Struct.read(
                UnsafeRawPointer(first) + index * size, size: size, default: woodshed_section(), "section \(index + 1)")
            sections.append(try unsafe Self.section(given))
            unsafe ids.append(given.id == 0 ? nil : Int(given.id))
        }
        (self.sections, self.ids) = (sections, ids)
    }

    /// Reads the sections of a plan; a plan without sections has the whole clip as its section.
    init(_ plan: woodshed_plan, for clip: Clip) throws {
        if unsafe plan.section_count == 0 {
            self.init(sections: [try Section(0..<clip.frameCount)], ids: [nil])
        } else {
            try unsafe self.init(plan.sections, count: plan.section_count)
        }
    }

    private init(sections: [Section], ids: [Int?]) { (self.sections, self.ids) = (sections, ids) }

    private static func section(_ section: woodshed_section) throws -> Section {
        // If the end precedes the start, the range is empty, and `Section` refuses an empty range.
        try unsafe Section(
            section.start..<max(section.start, section.end),
            name: section.name == nil ? nil : Argument.text(section.name, "the name of a section"),
            passes: PassCount(section.passes),
            speeds: SpeedSchedule(section.speed, section.speed_to, section.speed_step))
    }
}

extension PracticePlan {
    /// Returns the plan of a C program, and the ids of its sections.
    static func given(
        _ pointer: UnsafePointer<woodshed_plan>?, for clip: Clip
    ) throws -> (plan: PracticePlan, ids: [Int?]) {
        let plan = try unsafe Struct.read(pointer, default: woodshed_plan(), "the plan")
        let sections = try unsafe GivenSections(plan, for: clip)
        return (try unsafe PracticePlan(plan, sections.sections), sections.ids)
    }

    private init(_ plan: woodshed_plan, _ sections: [Section]) throws {
        unsafe self.init(
            sections: sections, passes: try PassCount(plan.passes) ?? 1,
            speeds: try SpeedSchedule(plan.speed, plan.speed_to, plan.speed_step) ?? .constant(.normal),
            pitch: try Pitch(semitones: plan.semitones), gap: Gap(frames: plan.gap_frames, passes: plan.gap_passes),
            joint: try Argument.choice(plan.joint, [0: .crossfade, 1: .fade, 2: .hard], "the joint"),
            material: try Argument.choice(plan.material, [0: .auto, 1: .music, 2: .speech], "the material"),
            quality: plan.light == 0 ? .full : .light, varispeed: plan.varispeed != 0, reversed: plan.reversed != 0,
            repeats: plan.repeats != 0)
        formants = try unsafe Argument.choice(
            plan.formants, [0: .auto, 1: .keep, 2: .move], "the handling of formants")
    }

    /// Returns the score of a plan of a C program.
    static func score(_ pointer: UnsafePointer<woodshed_plan>?, for clip: Clip) throws -> Score {
        try Score(
            unsafe given(pointer, for: clip).plan, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
    }
}

extension Gap {
    /// Creates a gap in frames, or, for 0 frames, in lengths of a pass.
    init(frames: Int64, passes: Double) {
        self = frames != 0 ? .frames(frames) : passes == 0 ? .none : .passLengths(passes)
    }
}

extension PassCount {
    /// Creates a number of passes; nil for 0.
    init?(_ number: Int32) throws {
        switch number {
        case 0: return nil
        case WOODSHED_ENDLESS: self = .endless
        default: self = .count(Int(number))
        }
    }
}

extension SpeedSchedule {
    /// Creates a constant speed or a ramp; nil if all arguments are 0.
    init?(_ speed: Double, _ end: Double, _ step: Double) throws {
        if step != 0 || end != 0 {
            self = .ramp(
                from: try Speed(factor: speed == 0 ? 1 : speed), to: try Speed(factor: end), step: step)
        } else if speed != 0 {
            self = .constant(try Speed(factor: speed))
        } else {
            return nil
        }
    }
}
