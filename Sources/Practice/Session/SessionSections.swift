internal import Engine

/// The sections of a session in their order of playing, and the current section among them.
///
/// A section has a place in the plan's list, from 0, and a number in the order of playing, from 1. A removed section is
/// kept until its pass ends. A value without a player, so that every change can be tested as a function.
struct SessionSections: Sendable {
    /// The change of the current section's number.
    typealias Move = (from: Int, to: Int)

    /// The plan with the present sections.
    private(set) var plan: SessionPlan
    /// The places of the sections in the order of playing.
    private(set) var order: [Int]
    /// The number of the current section, or of the last section before a loop set by ear.
    private(set) var current: Int
    /// The place of a removed section, kept until its pass ends.
    private var leaving: Int?
    /// The sections in the order of playing, and the identities of the saved sections among them. Stored, because a
    /// screen reads the list at every redraw, and a recording may have thousands of sections.
    private(set) var list: [(section: Section, savedID: Int?)] = []

    init(_ plan: SessionPlan) {
        self.plan = plan
        order = plan.playingOrder
        current = min(max(1, plan.firstSection), max(1, order.count))
        updateList()
    }

    private mutating func updateList() { list = order.map { (plan.practice.sections[$0], plan.savedIDs[$0]) } }

    /// The place of the current section.
    var currentPlace: Int? { place(of: current) }

    /// The frame to begin with in the current section; nil for the section's first frame.
    var firstFrame: Int64? {
        plan.firstFrame.flatMap { range(of: current)?.contains($0) == true ? $0 : nil }
    }

    /// The engine's plan of the sections.
    var enginePlan: PracticePlan { plan.enginePlan(order) }

    /// Returns the frames of a section by its number; nil if there is no such section.
    func range(of number: Int) -> Range<Int64>? { place(of: number).map { plan.practice.sections[$0].range } }

    /// Returns the identity of a saved section by its number; nil if unsaved.
    func savedID(of number: Int) -> Int? { place(of: number).flatMap { plan.savedIDs[$0] } }

    /// Returns the number of a section with a frame: of a preferred section, or else of the first section.
    ///
    /// - Parameter preferred: Numbers of sections, the most preferred first.
    func number(at frame: Int64, preferring preferred: [Int]) -> Int? {
        preferred.first { range(of: $0)?.contains(frame) == true }
            ?? order.firstIndex { plan.practice.sections[$0].range.contains(frame) }.map { $0 + 1 }
    }

    private func place(of number: Int) -> Int? { number >= 1 && number <= order.count ? order[number - 1] : nil }

    // MARK: Changing

    /// Makes a section the current one.
    ///
    /// - Returns: False if there is no section with this number.
    @discardableResult
    mutating func go(to number: Int) -> Bool {
        guard place(of: number) != nil else { return false }
        current = number
        return true
    }

    /// Sets the passes of every section.
    mutating func setPasses(_ passes: PassCount) {
        plan.practice.passes = passes
        plan.practice.steps = []
        for index in plan.practice.sections.indices where index != leaving {
            (plan.practice.sections[index].passes, plan.practice.sections[index].steps) = (nil, nil)
        }
        updateList()
    }

    /// Sets the gap after the passes of every section.
    mutating func setGap(_ gap: Gap) {
        plan.practice.gap = gap
        for index in plan.practice.sections.indices { plan.practice.sections[index].gap = nil }
        for index in plan.practice.steps.indices { plan.practice.steps[index].gap = nil }
        updateList()
    }

    /// Sets the direction of every pass.
    mutating func setReversed(_ isReversed: Bool) { plan.practice.reversed = isReversed }

    /// Replaces the sections. Finds the current section again by its identity or its frames. If the section is gone,
    /// its pass plays to the end.
    ///
    /// - Parameters:
    ///   - frame: The current frame in the section; nil if the section has not begun.
    ///   - pass: The current pass; nil before the first pass.
    ///   - isLooping: True if a loop set by ear plays instead of the section.
    /// - Returns: The move of the current section; nil if the section is gone.
    mutating func replace(
        by sections: [Section], savedIDs: [Int?], at frame: Int64?, inPass pass: Int?, isLooping: Bool
    ) -> Move? {
        let (old, from, place) = (plan, current, currentPlace)
        (plan.practice.sections, plan.savedIDs) = (sections, savedIDs)
        let wasLeaving = leaving != nil && leaving == place
        leaving = nil
        var target = place.flatMap { wasLeaving ? nil : self.place(of: $0, in: old, at: frame, isLooping: isLooping) }
        if let place, let pass, target == nil, wasLeaving || old.savedIDs[place] != nil, !isLooping {
            target = leave(old.practice.sections[place], inPass: pass)
        }
        order = plan.order(after: order, of: old)
        current = target.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 1
        updateList()
        return target == nil ? nil : (from, current)
    }

    /// Returns the current place of a section from an old plan; nil if the section is gone.
    private func place(of place: Int, in old: SessionPlan, at frame: Int64?, isLooping: Bool) -> Int? {
        let section = old.practice.sections[place]
        let sections = plan.practice.sections
        func holds(_ index: Int) -> Bool { sections[index].range.contains(frame ?? section.range.lowerBound) }
        let same =
            old.savedIDs[place].flatMap { plan.savedIDs.firstIndex(of: $0) }
            ?? sections.firstIndex { $0.range == section.range }
        if let same, frame == nil || holds(same) || isLooping { return same }
        // The section was split or joined: choose the part with the last beginning before the place.
        let isCovered = sections.contains { $0.range.contains(section.range) }
        guard same != nil || isCovered || old.savedIDs[place] == nil else { return nil }
        return sections.indices.filter(holds).max { sections[$0].range.lowerBound < sections[$1].range.lowerBound }
            ?? same
    }

    /// Keeps a removed section until its pass ends.
    ///
    /// - Returns: The section's place.
    private mutating func leave(_ section: Section, inPass pass: Int) -> Int {
        let sections = plan.practice.sections
        let place = sections.firstIndex { $0.range.lowerBound >= section.range.lowerBound } ?? sections.count
        var last = section
        (last.passes, last.steps) = (.count(pass), [])
        plan.practice.sections.insert(last, at: place)
        plan.savedIDs.insert(nil, at: place)
        leaving = place
        return place
    }

    /// Removes a kept section, once another section is the current one.
    ///
    /// - Returns: The move of the current section; nil if no section was removed.
    mutating func dropLeft() -> Move? {
        guard let left = leaving, let place = currentPlace, place != left else { return nil }
        plan.practice.sections.remove(at: left)
        plan.savedIDs.remove(at: left)
        leaving = nil
        let from = current
        order = order.filter { $0 != left }.map { $0 > left ? $0 - 1 : $0 }
        current = (order.firstIndex(of: place > left ? place - 1 : place) ?? 0) + 1
        updateList()
        return (from, current)
    }
}
