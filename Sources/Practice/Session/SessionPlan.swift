public import Engine
internal import Samples

/// The sections and settings of a session.
public struct SessionPlan: Sendable, Hashable {
    /// The order of the sections.
    public enum Order: Sendable, Hashable {
        /// The order of the list.
        case listed
        /// A random order, the same for the same seed.
        case shuffled(seed: UInt64)
    }

    /// The sections, in frames of the clip, and their settings of playback.
    package var practice: PracticePlan
    /// The identities of the saved sections, in the same order; nil for unsaved ranges.
    package var savedIDs: [Int?]
    /// The order.
    package var order: Order
    /// The section to begin with, by its number in the playing order, from 1. Earlier sections are available to
    /// `skip(by:)`, and to the next round of a repeating plan.
    package var firstSection: Int
    /// The first frame in this section, as a frame of the clip; nil for the section's first frame.
    public var firstFrame: Int64?
    /// A held sound instead of passes; nil for passes.
    package var frozen: FrozenPlace?
    /// Clicks before the first pass; nil for none.
    package var countIn: CountIn?
    /// The part to repeat after a pause.
    package var resumeRewind: ResumeRewind

    /// True if marks set by ear move to the nearest silence or zero crossing within 20 ms.
    public var snapsEdges = false

    /// Creates a plan; the session checks it.
    ///
    /// - Parameters:
    ///   - practice: The sections, in frames of the clip, and their settings of playback.
    ///   - savedIDs: The identities of the saved sections, in the same order. If the count differs from the sections,
    ///     all are nil.
    ///   - order: The order.
    ///   - firstSection: The section to begin with, in the playing order, from 1; clamped to the plan.
    ///   - countIn: Clicks before the first pass.
    ///   - resumeRewind: The part to repeat after a pause.
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

    /// The places in the list, in the order of playing.
    var playingOrder: [Int] {
        var places = Array(practice.sections.indices)
        if case .shuffled(let seed) = order {
            var random = SplitMix64(seed: seed)
            places.shuffle(using: &random)
        }
        return places
    }

    /// Returns the playing order of changed sections: the order of the list. If shuffled, known sections keep their old
    /// order and new sections follow.
    func order(after old: [Int], of plan: SessionPlan) -> [Int] {
        guard case .shuffled = order else { return Array(practice.sections.indices) }
        // The places of each section, the first place at the end.
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

    /// Returns the engine's plan, with the sections in the order of playing.
    func enginePlan(_ order: [Int]) -> PracticePlan {
        var plan = practice
        plan.sections = order.map { practice.sections[$0] }
        return plan
    }

    /// Returns the same settings for a loop set by ear.
    func enginePlan(loop: Range<Int64>, speed: Speed) throws(ScoreError) -> PracticePlan {
        var plan = practice
        plan.sections = [try Section(loop)]
        (plan.passes, plan.speeds, plan.repeats, plan.steps) = (.endless, .constant(speed), false, [])
        return plan
    }
}
