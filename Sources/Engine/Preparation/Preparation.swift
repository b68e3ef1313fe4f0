internal import Stretching

/// Method of the render thread for a part of a score. Trivial.
struct VoiceChoice: BitwiseCopyable {
    var method: TempoMethod
    /// True if attacks of the recording are treated separately.
    var knowsAttacks: Bool
    /// True if formants stay in place at another pitch.
    var keepsFormants = false
    /// True if frozen sound lies between two attacks. Frozen sound has three bands, so the full quality knows its
    /// attacks, whatever the method.
    var freezesBetweenAttacks = true

    /// Bands and rotations alone, because the section has no analysis yet.
    static var plain: VoiceChoice { VoiceChoice(method: .bands(.three), knowsAttacks: false) }

    /// Returns true if both choices sound the same for certain; plans are not compared.
    func isSame(as other: VoiceChoice) -> Bool {
        guard knowsAttacks == other.knowsAttacks, keepsFormants == other.keepsFormants,
            freezesBetweenAttacks == other.freezesBetweenAttacks
        else { return false }
        return switch (method, other.method) {
        case (.bands(let bands), .bands(let others)): bands == others
        case (.tape, .tape): true
        default: false
        }
    }
}

/// The result of analysing a score before playing; immutable.
struct Preparation: Sendable {
    /// The classification of each section; empty without an analysis so far, or if no part needs a voice.
    var materials: [SectionMaterial] = []
    /// For each part of the score.
    var voices: [VoiceChoice]
    /// Owns the lists of splices to which `voices` refer.
    var plans: [SplicePlan] = []
    /// Owns the lists of passages to which `voices` refer.
    var passages: [PassagePlan] = []

    /// The bands for which the voices need attacks, in playing and frozen.
    var attackBands: Set<StretchBands> {
        voices.reduce(into: []) { bands, voice in
            if voice.freezesBetweenAttacks { bands.insert(.three) }
            switch voice.method {
            case .bands(let own): if voice.knowsAttacks { bands.insert(own) }
            case .passages(let list): bands.formUnion((0..<list.count).compactMap { list[$0].attackBands })
            case .splices, .tape, .frozen: break
            }
        }
    }

    /// Creates a preparation without any analysis, so every voice is plain.
    init(unknownPartsOf score: Score) {
        voices = score.parts.map { part in
            let isFull = score.plan.quality == .full
            if score.plan.varispeed {
                return VoiceChoice(method: .tape, knowsAttacks: false, freezesBetweenAttacks: isFull)
            }
            // One voice plays the whole pass, so the voice must be able to follow the fastest part of its curve.
            let fastest = part.curve.speeds.upperBound / part.pitchRatio
            let isTooFast = fastest > Stretcher.fastestInBands
            return VoiceChoice(
                method: .bands(isTooFast ? .one : score.plan.quality.bands), knowsAttacks: false,
                keepsFormants: part.isPitched && score.plan.formants == .keep,
                freezesBetweenAttacks: isFull)
        }
    }
}

// The choices are trivial except for the addresses of their lists, which `plans` and `passages` own.
extension VoiceChoice: @unchecked Sendable {}

extension StretchQuality {
    /// The bands into which the voices divide their source.
    var bands: StretchBands {
        switch self {
        case .full: .three
        case .light: .one
        }
    }
}
