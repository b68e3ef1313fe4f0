// From what was typed to what the engine plays, once the recording is known.
import Woodshed

extension PlanOptions {
    /// The plan for a recording.
    ///
    /// - Throws: A `CommandFailure` for a section that ends before it starts or where it starts.
    func plan(for timeline: Timeline) throws(CommandFailure) -> PracticePlan {
        var sections: [Section] = []
        for range in ranges { sections.append(try range.section(of: timeline)) }
        return PracticePlan(
            sections: sections, passes: passes, speeds: try schedule(), gap: gap?.gap(in: timeline) ?? .none,
            joint: joint.joint)
    }

    private func schedule() throws(CommandFailure) -> SpeedSchedule {
        guard let ramp else { return .constant(try speed.engineSpeed()) }
        do {
            return .ramp(from: try Speed(factor: ramp.from), to: try Speed(factor: ramp.to), step: ramp.step)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension SpeedOptions {
    /// The speed, normal unless another was asked for.
    func engineSpeed() throws(CommandFailure) -> Speed {
        do {
            return try speed.map { text throws(ScoreError) in try Speed(factor: text.factor) } ?? .normal
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension TimeRange {
    /// The range as a section of a recording.
    func section(of timeline: Timeline) throws(CommandFailure) -> Section {
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
        do {
            return try Section(start..<end)
        } catch {
            throw CommandFailure(error)
        }
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
