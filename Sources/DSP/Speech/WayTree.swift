/// The paths to the states of a search, as a tree: each step refers to the one before it.
///
/// Steps that no longer lead to a state are removed from time to time. The memory holds the path that all states share,
/// and the last second or so in which they differ.
struct WayTree {
    /// The path of a state without a splice.
    static let none: Int32 = -1

    /// A splice and the step before it.
    struct Step: BitwiseCopyable {
        let before: Int32
        let jump: Int32
        let output: Int
        let head: Int
        let crossfade: Int32
    }

    private var steps: [Step] = []
    private var sweepAt = 1 << 17

    /// Whether enough steps have accumulated for ``sweep(_:)`` to be worthwhile.
    var isFull: Bool { steps.count >= sweepAt }

    /// Appends a step and returns its index.
    mutating func append(_ step: Step) -> Int32 {
        steps.append(step)
        return Int32(steps.count - 1)
    }

    /// The steps of a path, the first one first.
    func steps(to way: Int32) -> [Step] {
        var result: [Step] = []
        var current = way
        while current != WayTree.none {
            result.append(steps[Int(current)])
            current = steps[Int(current)].before
        }
        return result.reversed()
    }

    /// Drops every step that is on none of these paths.
    ///
    /// - Returns: The new index for each old one.
    mutating func sweep(_ ways: some Sequence<Int32>) -> [Int32] {
        var isHeld = [Bool](repeating: false, count: steps.count)
        for way in ways where way != WayTree.none { isHeld[Int(way)] = true }
        // A step always comes after its predecessor, so one pass from the last step marks them all.
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
