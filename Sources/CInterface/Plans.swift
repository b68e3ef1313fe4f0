internal import CWoodshed
internal import Clips
internal import Engine

extension PracticePlan {
    /// The plan of a C program; without sections it is the whole clip.
    init(_ pointer: UnsafePointer<woodshed_plan>?, for clip: Clip) throws {
        let plan = try unsafe Struct.read(pointer, default: woodshed_plan(), "the plan")
        try unsafe self.init(
            sections: Self.sections(of: plan, for: clip), passes: try PassCount(plan.passes) ?? 1,
            speeds: try SpeedSchedule(plan.speed, plan.speed_to, plan.speed_step) ?? .constant(.normal),
            pitch: try Pitch(semitones: plan.semitones), gap: try Self.gap(plan),
            joint: try Argument.choice(plan.joint, [0: .crossfade, 1: .fade, 2: .hard], "the joint"),
            material: try Argument.choice(plan.material, [0: .auto, 1: .music, 2: .speech], "the material"),
            quality: plan.light == 0 ? .full : .light, varispeed: plan.varispeed != 0, reversed: plan.reversed != 0,
            repeats: plan.repeats != 0)
    }

    /// The score of a plan of a C program.
    static func score(_ pointer: UnsafePointer<woodshed_plan>?, for clip: Clip) throws -> Score {
        try Score(
            unsafe PracticePlan(pointer, for: clip), clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
    }

    private static func sections(of plan: woodshed_plan, for clip: Clip) throws -> [Section] {
        guard let first = unsafe plan.sections, unsafe plan.section_count > 0 else {
            guard unsafe plan.section_count == 0 else { throw ArgumentError.missing("sections") }
            return [try Section(0..<clip.frameCount)]
        }
        guard unsafe plan.section_count <= 1 << 20 else {
            throw unsafe ArgumentError("there are \(plan.section_count) sections", remedy: "Pass at most 1048576.")
        }
        let size = try unsafe Struct.size(of: first, "the first section")
        return try unsafe (0..<plan.section_count).map { index in
            let raw = unsafe UnsafeRawPointer(first) + index * size
            return try unsafe section(
                Struct.read(raw, size: size, default: woodshed_section(), "section \(index + 1)"))
        }
    }

    private static func section(_ section: woodshed_section) throws -> Section {
        // One that ends before it starts is refused as an empty one.
        try unsafe Section(
            section.start..<max(section.start, section.end),
            name: section.name == nil ? nil : Argument.text(section.name, "the name of a section"),
            passes: PassCount(section.passes),
            speeds: SpeedSchedule(section.speed, section.speed_to, section.speed_step))
    }

    private static func gap(_ plan: woodshed_plan) throws -> Gap {
        guard unsafe plan.gap_frames == 0 else { return unsafe .frames(plan.gap_frames) }
        return unsafe plan.gap_passes == 0 ? .none : .passLengths(plan.gap_passes)
    }
}

extension PassCount {
    /// A number of passes; nil for 0.
    init?(_ number: Int32) throws {
        switch number {
        case 0: return nil
        case WOODSHED_ENDLESS: self = .endless
        default: self = .count(Int(number))
        }
    }
}

extension SpeedSchedule {
    /// A constant speed or a ramp; nil if nothing is said.
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
