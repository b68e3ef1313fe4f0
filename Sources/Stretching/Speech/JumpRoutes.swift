/// The jumps of an analysis within a section, sorted by their starting frame: each jump forward and in reverse.
///
/// All frames are counted from the section's start.
struct JumpRoutes {
    /// A jump in one direction.
    struct Route: BitwiseCopyable {
        let from: Int
        /// Negative for a jump back.
        let jump: Int32
        let crossfade: Int32
        let cost: Float
        /// Number of whole hops of the crossfade, and the number of frames by which the crossfade's start can be
        /// delayed within these hops.
        let hops: Int32
        let slack: Int32

        init(from: Int, jump: Int, crossfade: Int, cost: Float, hop: Int) {
            self.from = from
            self.jump = Int32(jump)
            self.crossfade = Int32(crossfade)
            self.cost = cost
            hops = Int32((crossfade + hop - 1) / hop)
            slack = hops * Int32(hop) - Int32(crossfade)
        }
    }

    private let hop: Int
    let forward: Table
    let back: Table
    /// Amount of a burst's beginning in each hop, 0 to 1.
    private let bursts: [Float]

    /// Routes sorted by the hop of the section in which they begin.
    struct Table {
        var routes: [Route] = []
        /// The index of each hop's first route, and one more entry: the count of all.
        var starts: [Int] = []

        init(_ unsorted: [Route], hop: Int, hopCount: Int) {
            starts = [Int](repeating: 0, count: hopCount + 1)
            for route in unsorted { starts[route.from / hop + 1] += 1 }
            for index in 0..<hopCount { starts[index + 1] += starts[index] }
            guard let any = unsorted.first else { return }
            routes = [Route](repeating: any, count: unsorted.count)
            var next = starts
            for route in unsorted {
                routes[next[route.from / hop]] = route
                next[route.from / hop] += 1
            }
        }

        /// Returns the routes that begin in a hop or in the next hop.
        func near(_ hop: Int) -> Range<Int> {
            guard hop + 1 < starts.count else { return 0..<0 }
            return starts[hop]..<starts[min(hop + 2, starts.count - 1)]
        }
    }

    init(_ analysis: SpeechAnalysis, section: Range<Int64>) {
        let shape = analysis.shape
        let hop = shape.cellFrames
        self.hop = hop
        let hopCount = section.count / hop + 1
        bursts = (0...hopCount).map { index in
            let frame = section.lowerBound + Int64(index * hop)
            let cell = floorDivided(frame, Int64(hop)) - analysis.firstCell
            return analysis.bursts.indices.contains(Int(cell)) ? analysis.bursts[Int(cell)] : 0
        }
        var (later, earlier): ([Route], [Route]) = ([], [])
        for cell in 0..<analysis.cellCount {
            let from = Int((analysis.firstCell + Int64(cell)) * Int64(hop) - section.lowerBound)
            guard from >= 0 && from < section.count else { continue }
            for jump in analysis.jumps[analysis.firstJump[cell]..<analysis.firstJump[cell + 1]] {
                let lag = Int(jump.lag) * shape.stepFrames
                let crossfade = shape.crossfade(ofLag: Int(jump.lag)) * shape.stepFrames
                // Nothing beyond the section's end may be heard, not even during the crossfade.
                guard from + lag + crossfade <= section.count else { continue }
                later.append(
                    Route(from: from, jump: lag, crossfade: crossfade, cost: jump.cost, hop: hop))
                earlier.append(
                    Route(from: from + lag, jump: -lag, crossfade: crossfade, cost: jump.cost, hop: hop))
            }
        }
        forward = Table(later, hop: hop, hopCount: hopCount)
        back = Table(earlier, hop: hop, hopCount: hopCount)
    }

    /// Returns the amount of a burst's beginning in the hop that contains a frame.
    func burst(at head: Int) -> Float { bursts.indices.contains(head / hop) ? bursts[head / hop] : 0 }
}
