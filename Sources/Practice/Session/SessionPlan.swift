public import Engine

/// What a session plays, and how.
public struct SessionPlan: Sendable, Hashable {
    /// The order of the sections.
    public enum Order: Sendable, Hashable {
        /// As they are listed.
        case listed
        /// In a random order, the same for the same seed.
        case shuffled(seed: UInt64)
    }

    /// The sections, in frames of the clip. They may have passes, speeds and gaps of their own.
    public var sections: [Section]
    /// The identities of the saved sections that they come from, in the same order; nil for ranges that are not saved.
    public var savedIDs: [Int?]
    /// Passes of each section that has no number of its own.
    public var passes: PassCount
    /// The speed of each pass.
    public var speeds: SpeedSchedule
    /// The pitch of all passes.
    public var pitch: Pitch
    /// The silence after each pass.
    public var gap: Gap
    /// How one pass follows another.
    public var joint: Joint
    /// The method for other speeds.
    public var material: MaterialChoice
    /// How much work the method for music does.
    public var quality: StretchQuality
    /// Whether the first section follows the last.
    public var repeats: Bool
    /// The order.
    public var order: Order
    /// The first section to play, by its number in the list, from 1; those before it are left out of the first round only if the session
    /// does not repeat.
    public var firstSection: Int

    /// A plan; it is checked when a session is made from it.
    public init(
        sections: [Section], savedIDs: [Int?] = [], passes: PassCount = .endless,
        speeds: SpeedSchedule = .constant(.normal), pitch: Pitch = .original, gap: Gap = .none,
        joint: Joint = .crossfade, material: MaterialChoice = .auto, quality: StretchQuality = .full,
        repeats: Bool = false, order: Order = .listed, firstSection: Int = 1
    ) {
        self.sections = sections
        self.savedIDs = savedIDs.count == sections.count ? savedIDs : Array(repeating: nil, count: sections.count)
        (self.passes, self.speeds, self.pitch, self.gap) = (passes, speeds, pitch, gap)
        (self.joint, self.material, self.quality) = (joint, material, quality)
        (self.repeats, self.order, self.firstSection) = (repeats, order, firstSection)
    }

    /// The places of the list in the order in which they are played.
    var playingOrder: [Int] {
        var places = Array(sections.indices)
        if case .shuffled(let seed) = order {
            var random = ShuffleGenerator(state: seed)
            places.shuffle(using: &random)
        }
        let first = min(max(firstSection - 1, 0), max(0, places.count - 1))
        // Beginning later in a round that repeats leaves nothing out: what was before comes at the end.
        return repeats ? Array(places[first...] + places[..<first]) : Array(places[first...])
    }

    /// The engine's plan, with the sections in the order of playing.
    func enginePlan(_ order: [Int]) -> PracticePlan {
        PracticePlan(
            sections: order.map { sections[$0] }, passes: passes, speeds: speeds, pitch: pitch, gap: gap, joint: joint,
            material: material, quality: quality, repeats: repeats)
    }

    /// The same settings for a loop that is set by ear.
    func enginePlan(loop: Range<Int64>, speed: Speed?, pitch: Pitch) throws(ScoreError) -> PracticePlan {
        PracticePlan(
            sections: [try Section(loop)], passes: .endless, speeds: speed.map { .constant($0) } ?? speeds,
            pitch: pitch, gap: gap, joint: joint, material: material, quality: quality)
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same order on every machine, which the system's generator does not promise.
private struct ShuffleGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
