/// The paths to the states of a search, as a tree: each step refers to the previous step.
///
/// Steps that no longer lead to a state are removed from time to time. The memory holds the path shared by all states,
/// and the last second or so in which the states' paths differ.
struct SplicePathTree {
    /// The path of a state without a splice.
    static let none: Int32 = -1

    /// A splice, and the index of the previous step on the splice's path.
    struct Step: BitwiseCopyable {
        let previous: Int32
        let jump: Int32
        let output: Int
        let head: Int
        let crossfade: Int32
        /// The cost of the jump itself, without the cost of the jump's time.
        let cost: Float
    }

    private var steps: [Step] = []
    private var sweepAt = 1 << 17

    /// True if enough steps have accumulated for ``sweep(_:)`` to be worthwhile.
    var isFull: Bool { steps.count >= sweepAt }

    /// Appends a step and returns its index.
    mutating func append(_ step: Step) -> Int32 {
        steps.append(step)
        return Int32(steps.count - 1)
    }

    /// Returns the steps of a path, the first step first.
    func steps(to path: Int32) -> [Step] {
        var result: [Step] = []
        var current = path
        while current != SplicePathTree.none {
            result.append(steps[Int(current)])
            current = steps[Int(current)].previous
        }
        return result.reversed()
    }

    /// Drops every step outside these paths.
    ///
    /// - Returns: The new index for each old index.
    mutating func sweep(_ paths: some Sequence<Int32>) -> [Int32] {
        var isHeld = [Bool](repeating: false, count: steps.count)
        for path in paths where path != SplicePathTree.none { isHeld[Int(path)] = true }
        // A step always comes after its predecessor, so one pass from the last step marks all steps.
        for index in steps.indices.reversed() where isHeld[index] && steps[index].previous != SplicePathTree.none {
            isHeld[Int(steps[index].previous)] = true
        }
        var numbers = [Int32](repeating: SplicePathTree.none, count: steps.count)
        var kept: [Step] = []
        for index in steps.indices where isHeld[index] {
            let step = steps[index]
            numbers[index] = Int32(kept.count)
            let previous = step.previous == SplicePathTree.none ? SplicePathTree.none : numbers[Int(step.previous)]
            kept.append(
                Step(
                    previous: previous, jump: step.jump, output: step.output, head: step.head,
                    crossfade: step.crossfade, cost: step.cost))
        }
        steps = kept
        sweepAt = 2 * kept.count + 1 << 17
        return numbers
    }
}
