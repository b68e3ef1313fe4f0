internal import DSP

/// What the render thread is to play a part of a score with. Trivial.
struct VoiceChoice: BitwiseCopyable {
    var method: TempoMethod
    /// Whether the attacks of the recording are to be treated as such.
    var knowsAttacks: Bool

    /// Bands and rotations alone: nothing is known of the section yet.
    static var plain: VoiceChoice { VoiceChoice(method: .fullBands, knowsAttacks: false) }
}

/// What was found out about a score before it is played; immutable.
struct Preparation: Sendable {
    /// For each section, what it was taken for; empty as long as nothing is known, or no part needs a voice.
    var materials: [SectionMaterial] = []
    /// For each part of the score.
    var voices: [VoiceChoice]
    /// Keeps what the lists of splices in `voices` refer to.
    var plans: [SplicePlan] = []

    /// Nothing is known: every voice is plain.
    init(unknownPartsOf score: Score) {
        let method = score.plan.quality.method
        voices = score.parts.map { part in
            // One voice plays the whole pass, so it must be able to follow the fastest part of its curve.
            let fastest = part.curve.speeds.upperBound / part.pitchRatio
            let isTooFast = fastest > Stretcher.fastestInBands
            return VoiceChoice(method: isTooFast ? .lightBands : method, knowsAttacks: false)
        }
    }
}

// The choices are trivial but for the addresses in their lists of splices, which `plans` keeps.
extension VoiceChoice: @unchecked Sendable {}

extension StretchQuality {
    /// How the voices divide their source.
    var bands: StretchBands {
        switch self {
        case .full: .three
        case .light: .one
        }
    }

    /// The method of a voice that is no speech.
    var method: TempoMethod {
        switch self {
        case .full: .fullBands
        case .light: .lightBands
        }
    }
}
