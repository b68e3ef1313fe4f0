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

    /// The sections, in frames of the clip, and how they are played.
    public var practice: PracticePlan
    /// The identities of the saved sections that they come from, in the same order; nil for ranges that are not saved.
    public var savedIDs: [Int?]
    /// The order.
    public var order: Order
    /// The section to begin with, by its number in the order of playing, from 1. Those before it are there for `skip(by:)`, and for the
    /// next round of a plan that repeats.
    public var firstSection: Int
    /// Where to begin in that section, as a frame of the clip; nil for its first frame.
    public var firstFrame: Int64?
    /// The sound of one place instead of passes; nil for passes.
    public var frozen: FrozenPlace?
    /// Clicks before the first pass; nil for none.
    public var countIn: CountIn?
    /// What is repeated after a pause.
    public var resumeRewind: ResumeRewind

    /// Whether marks that are set by ear move to the nearest silence or zero crossing within 20 ms.
    public var snapsEdges = false

    /// A plan; it is checked when a session is made from it.
    ///
    /// - Parameters:
    ///   - practice: The sections, in frames of the clip, and how they are played.
    ///   - savedIDs: The identities of the saved sections that they come from, in the same order; with another number of them all are nil.
    ///   - order: The order.
    ///   - firstSection: The section to begin with, in the order of playing, from 1. What is outside the plan is moved into it.
    ///   - countIn: Clicks before the first pass.
    ///   - resumeRewind: What is repeated after a pause.
    public init(
        _ practice: PracticePlan, savedIDs: [Int?] = [], order: Order = .listed, firstSection: Int = 1,
        countIn: CountIn? = nil, resumeRewind: ResumeRewind = .off
    ) {
        self.practice = practice
        let count = practice.sections.count
        self.savedIDs = savedIDs.count == count ? savedIDs : Array(repeating: nil, count: count)
        (self.order, self.firstSection) = (order, firstSection)
        (self.countIn, self.resumeRewind) = (countIn, resumeRewind)
        (firstFrame, frozen) = (nil, nil)
    }

    /// The places of the list in the order in which they are played.
    var playingOrder: [Int] {
        var places = Array(practice.sections.indices)
        if case .shuffled(let seed) = order {
            var random = ShuffleGenerator(state: seed)
            places.shuffle(using: &random)
        }
        return places
    }

    /// The order in which changed sections are played: as they are listed, or, if they are shuffled, those that were there before in their
    /// old order and new ones after them.
    func order(after old: [Int], of plan: SessionPlan) -> [Int] {
        guard case .shuffled = order else { return Array(practice.sections.indices) }
        // The places of each section, the first one at the end.
        var (byID, byRange): ([Int: [Int]], [Range<Int64>: [Int]]) = ([:], [:])
        for place in practice.sections.indices.reversed() {
            if let id = savedIDs[place] { byID[id, default: []].append(place) }
            byRange[practice.sections[place].range, default: []].append(place)
        }
        func next(_ id: Int?, _ range: Range<Int64>) -> Int? {
            if let id { byID[id]?.popLast() } else { byRange[range]?.popLast() }
        }
        var isKept = Array(repeating: false, count: practice.sections.count)
        let kept = old.compactMap { place -> Int? in
            while let match = next(plan.savedIDs[place], plan.practice.sections[place].range) {
                if !isKept[match] {
                    isKept[match] = true
                    return match
                }
            }
            return nil
        }
        return kept + practice.sections.indices.filter { !isKept[$0] }
    }

    /// The engine's plan, with the sections in the order of playing.
    func enginePlan(_ order: [Int]) -> PracticePlan {
        var plan = practice
        plan.sections = order.map { practice.sections[$0] }
        return plan
    }

    /// The same settings for a loop that is set by ear.
    func enginePlan(loop: Range<Int64>, speed: Speed) throws(ScoreError) -> PracticePlan {
        var plan = practice
        plan.sections = [try Section(loop)]
        (plan.passes, plan.speeds, plan.repeats, plan.steps) = (.endless, .constant(speed), false, [])
        return plan
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
