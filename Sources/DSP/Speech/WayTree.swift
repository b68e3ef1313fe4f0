/// The ways that lead to the states of a search, as a tree: each step knows the one before.
///
/// Steps that lead to no state any more are swept away from time to time, so the memory is that of the way all states
/// share, and of the last second or so, in which they differ.
struct WayTree {
    /// The way of a state that has seen no splice.
    static let none: Int32 = -1

    /// A splice and what was before it.
    struct Step: BitwiseCopyable {
        let before: Int32
        let jump: Int32
        let output: Int
        let head: Int
        let crossfade: Int32
    }

    private var steps: [Step] = []
    private var sweepAt = 1 << 17

    /// Whether so many steps have gathered that ``sweep(_:)`` is worth its while.
    var isFull: Bool { steps.count >= sweepAt }

    /// Adds a step and returns its number.
    mutating func append(_ step: Step) -> Int32 {
        steps.append(step)
        return Int32(steps.count - 1)
    }

    /// The steps of a way, the first one first.
    func steps(to way: Int32) -> [Step] {
        var result: [Step] = []
        var current = way
        while current != WayTree.none {
            result.append(steps[Int(current)])
            current = steps[Int(current)].before
        }
        return result.reversed()
    }

    /// Drops every step that none of these ways holds.
    ///
    /// - Returns: For each old number the new one.
    mutating func sweep(_ ways: some Sequence<Int32>) -> [Int32] {
        var isHeld = [Bool](repeating: false, count: steps.count)
        for way in ways where way != WayTree.none { isHeld[Int(way)] = true }
        // A step is younger than the one before it, so one pass from the youngest finds all.
        for index in steps.indices.reversed() where isHeld[index] && steps[index].before != WayTree.none {
            isHeld[Int(steps[index].before)] = true
        }
        var numbers = [Int32](repeating: WayTree.none, count: steps.count)
        var kept: [Step] = []
        for index in steps.indices where isHeld[index] {
            let step = steps[index]
            numbers[index] = Int32(kept.count)
            let before = step.before == WayTree.none ? WayTree.none : numbers[Int(step.before)]
            kept.append(
                Step(before: before, jump: step.jump, output: step.output, head: step.head, crossfade: step.crossfade))
        }
        steps = kept
        sweepAt = 2 * kept.count + 1 << 17
        return numbers
    }
}
