// The search for the cheapest sequence of splices: dynamic programming over time and distance from the nominal
// position.
//
// Time is divided into hops of one cell (1 ms) of output. Each hop has one state for each millisecond of distance
// between the actual and the nominal position. A state holds its cheapest path so far and its exact frame, so that
// jumps of any length stay exact. From a state a path can copy a hop, or take any known jump that begins within the hop
// and copy to the end of the jump's crossfade.

internal import Glibc

/// One search. All frames are counted from the section's start.
struct SpliceSearch: ~Copyable {
    private let lengths: Lengths
    private let routes: JumpRoutes
    private var paths = SplicePathTree()
    /// Number of rows of states held at a time: as many as a crossfade spans.
    private let rowCount: Int
    private var best = Ending()
    /// Total change of the sound by the jumps of the found sequence: the sum of the jumps' costs.
    private(set) var change = 0.0

    private struct Lengths {
        let source: Int
        let output: Int
        let hop: Int
        /// 2^32 divided by the hop, rounded up.
        let inverseHop: UInt64

        /// States per hop: ±40 ms of distance.
        var distances: Int { 81 }
        /// The last jump's crossfade, and its earliest position before the end: 4 and 40 ms.
        var lastCrossfade: Int { 4 * hop }
        var lastReach: Int { 40 * hop }
    }

    private struct State {
        var cost = Double.infinity
        /// The source frame at the state.
        var head = 0
        /// The start of the last jump back: everything before this frame has been heard twice.
        var repeatedUntil = 0
        var path = SplicePathTree.none
    }

    private struct Ending {
        var cost = Double.infinity
        var path = SplicePathTree.none
        var splice: (output: Int, head: Int, jump: Int, crossfade: Int)?
    }

    /// The fixed price of every splice at half speed; the price falls with the square of the inserted share.
    ///
    /// If few splices are needed, the price must not prevent the path from reaching the best splices. If every sound is
    /// heard twice, the price must outweigh the differences between equally similar places, or the reverse plan would
    /// choose other places.
    private static let splicePrice = 0.02
    /// The price of playing the full length of a jump a third time: the repetition sounds like a buzz.
    private static let repeatPrice = 0.05
    /// The price of each millisecond of the last jump, whose length is not chosen and whose sides are not compared.
    private static let lastJumpPrice = 1.0

    init(_ analysis: SpeechAnalysis, section: Range<Int64>, outputFrames: Int) {
        let hop = analysis.shape.cellFrames
        lengths = Lengths(
            source: section.count, output: outputFrames, hop: hop,
            inverseHop: (1 << 32) / UInt64(hop) + 1)
        routes = JumpRoutes(analysis, section: section)
        rowCount = analysis.shape.longestCrossfadeFrames / hop + 4
    }

    /// Returns the cheapest sequence of splices for the given nominal positions, in order.
    mutating func run(_ section: Range<Int64>, position: (Int64) -> Double) -> [Splice] {
        guard lengths.output > 0 else { return [] }
        // The states of all hops within reach of a crossfade: a ring of rows.
        var states = [State](repeating: State(), count: rowCount * lengths.distances)
        states[Row(of: 0, nominal: position(0), lengths, rowCount).index(ofHead: 0, lengths)] = State(cost: 0)
        let hopCount = (lengths.output - 1) / lengths.hop + 1
        var moments = (0...rowCount).map { position(Int64($0 * lengths.hop)) }
        for hop in 0..<hopCount {
            advance(&states, at: hop, moments)
            if paths.isFull { sweep(&states) }
            moments.removeFirst()
            moments.append(position(Int64((hop + rowCount + 1) * lengths.hop)))
        }
        return splices(section)
    }

    /// Extends the paths of a hop's states by every possible step.
    private mutating func advance(_ states: inout [State], at hop: Int, _ moments: [Double]) {
        var states = states.mutableSpan
        let speed = (moments[1] - moments[0]) / Double(lengths.hop)
        let prices = TimePrices(hopFrames: lengths.hop, nominal: moments[0], speed: speed)
        let rows = moments.enumerated().map { Row(of: hop + $0, nominal: $1, lengths, rowCount) }
        // Expensive states are extended too. In noise every splice is expensive, and for a while the cheapest path only
        // copies. If only states near the cheapest state were kept, the path would drift from the nominal position for
        // good.
        for index in rows[0].first..<rows[0].first + lengths.distances {
            let state = states[index]
            states[index] = State()
            guard state.cost < .infinity else { continue }
            finish(state, output: hop * lengths.hop)
            var copied = state
            copied.head += lengths.hop
            copied.cost += prices.copy(of: state.head, burst: routes.burst(at: state.head))
            // Copying beyond the section's end is the last resort.
            if copied.head > lengths.source { copied.cost += SpliceSearch.lastJumpPrice }
            let target = rows[1].index(ofHead: copied.head, lengths)
            if copied.cost < states[target].cost { states[target] = copied }
            guard speed != 1 || abs(Double(state.head) - moments[0]) > 1 else { continue }
            let next = Passage(state: state, hop: hop, prices: prices)
            if speed <= 1 { take(routes.back, next, &states, rows) }
            if speed >= 1 { take(routes.forward, next, &states, rows) }
        }
    }

    /// A state to extend, and the price of the state's time.
    private struct Passage {
        let state: State
        let hop: Int
        let prices: TimePrices
    }

    /// Takes every route that begins within a hop of a state's position.
    @inline(__always)
    private mutating func take(
        _ table: JumpRoutes.Table, _ passage: Passage, _ states: inout MutableSpan<State>, _ rows: [Row]
    ) {
        let state = passage.state
        let candidates = table.near(state.head / lengths.hop)
        for index in candidates {
            let route = table.routes[index]
            let delay = route.from - state.head
            guard delay >= 0 && delay < lengths.hop else { continue }
            // In whole hops: the crossfade and the delay before the crossfade.
            let hops = Int(route.hops) + (delay > Int(route.slack) ? 1 : 0)
            let landing = route.from + Int(route.jump)
            let head = landing + hops * lengths.hop - delay
            guard (passage.hop + hops) * lengths.hop <= lengths.output && head <= lengths.source else { continue }
            var cost = state.cost + Double(route.cost) + SpliceSearch.splicePrice * passage.prices.spliceShare
            cost += passage.prices.jump(route, from: state.head, hops: hops)
            if route.jump < 0 && state.repeatedUntil > landing {
                let again = Double(state.repeatedUntil - landing) / Double(-route.jump)
                cost += SpliceSearch.repeatPrice * min(1, again)
            }
            let target = rows[hops].index(ofHead: head, lengths)
            guard cost < states[target].cost else { continue }
            let step = SplicePathTree.Step(
                previous: state.path, jump: route.jump, output: passage.hop * lengths.hop + delay, head: route.from,
                crossfade: route.crossfade, cost: route.cost)
            states[target] = State(
                cost: cost, head: head, repeatedUntil: route.jump < 0 ? route.from : state.repeatedUntil,
                path: paths.append(step))
        }
    }

    // MARK: - States

    /// The states of one hop: one for each millisecond of distance from the nominal position.
    private struct Row {
        /// The index of the first state.
        let first: Int
        /// The lowest head of the first state.
        private let lowest: Int

        init(of hop: Int, nominal: Double, _ lengths: Lengths, _ rowCount: Int) {
            first = hop % rowCount * lengths.distances
            lowest = Int(nominal.rounded(.up)) - lengths.distances / 2 * lengths.hop
        }

        /// Returns the state for a head. Heads further away share the outermost state, at a rising price.
        @inline(__always)
        func index(ofHead head: Int, _ lengths: Lengths) -> Int {
            let height = head - lowest
            if height < lengths.hop { return first }
            if height >= lengths.distances * lengths.hop { return first + lengths.distances - 1 }
            // Division by multiplication: exact, because a height is below 2^17 and a hop below 2^10.
            return first + Int((UInt64(truncatingIfNeeded: height) &* lengths.inverseHop) >> 32)
        }
    }

    private mutating func sweep(_ states: inout [State]) {
        let numbers = paths.sweep(states.lazy.filter { $0.cost < .infinity }.map(\.path) + [best.path])
        for index in states.indices where states[index].path != SplicePathTree.none {
            states[index].path = numbers[Int(states[index].path)]
        }
        if best.path != SplicePathTree.none { best.path = numbers[Int(best.path)] }
    }

    // MARK: - The end

    /// Considers a last jump, after which the head reaches the section's end with the last output frame.
    ///
    /// Without a last jump, paths end so near to the section's end that this jump is only some frames long.
    private mutating func finish(_ state: State, output: Int) {
        let rest = lengths.output - output
        guard rest <= lengths.lastReach else { return }
        let jump = lengths.source - (state.head + rest)
        let milliseconds = Double(abs(jump)) / Double(lengths.hop)
        let price = jump == 0 ? 0 : SpliceSearch.splicePrice + SpliceSearch.lastJumpPrice * milliseconds
        guard state.cost + price < best.cost else { return }
        best = Ending(cost: state.cost + price, path: state.path)
        if jump != 0 { best.splice = (output, state.head, jump, min(lengths.lastCrossfade, rest)) }
    }

    private mutating func splices(_ section: Range<Int64>) -> [Splice] {
        var steps = paths.steps(to: best.path)
        if let last = best.splice {
            steps.append(
                SplicePathTree.Step(
                    previous: best.path, jump: Int32(last.jump), output: last.output, head: last.head,
                    crossfade: Int32(last.crossfade), cost: 0))
        }
        change = steps.reduce(0) { $0 + Double($1.cost) }
        return steps.map { step in
            let sourceFrame = section.lowerBound + Int64(step.head)
            return Splice(
                outputFrame: Int64(step.output), sourceFrame: sourceFrame, jumpFrames: step.jump,
                crossfadeFrames: step.crossfade)
        }
    }
}
