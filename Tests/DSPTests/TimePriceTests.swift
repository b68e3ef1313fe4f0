import Testing

@testable import Stretching

@Suite("Time prices")
struct TimePriceTests {
    private static let hop = 44

    /// One jump within a sound that is otherwise copied.
    private struct Way {
        let speed: Double
        /// Milliseconds: the beginning of the jump in the output, its distance, and the output's length.
        let start: Int
        let jump: Int
        let end: Int

        /// The price of all shifts in time, without the splice itself.
        var price: Double {
            let hop = TimePriceTests.hop
            let route = JumpRoutes.Route(
                from: start * hop, jump: jump * hop, crossfade: 4 * hop, cost: 0, hop: hop)
            var (sum, head, output) = (0.0, 0, 0)
            while output < end {
                let prices = TimePrices(hopFrames: hop, nominal: Double(output * hop) * speed, speed: speed)
                if output == start {
                    sum += prices.jump(route, from: head * hop, hops: 4)
                    output += 4
                    head += 4 + jump
                } else {
                    sum += prices.copy(of: head * hop, burst: 0)
                    output += 1
                    head += 1
                }
            }
            return sum
        }
    }

    @Test(
        "removing inserted periods costs as much as inserting them",
        arguments: [(0.5, 16), (0.8, 10)])
    func reversed(speed: Double, period: Int) {
        let source = Int(Double(period) / (1 / speed - 1))
        let output = source + period
        for start in [source / 2 + 2, source / 2 + 1, source / 2] {
            let there = Way(speed: speed, start: start, jump: -period, end: output)
            // The search finds the same period half a period before its second beginning, and equally well anywhere
            // near.
            let back = Way(speed: 1 / speed, start: start - period / 2, jump: period, end: source)
            // A copied hop is priced in its middle; the integral over the hop differs by less than this.
            #expect(abs(there.price - back.price) < 0.01 * there.price, "\(there.price), \(back.price)")
        }
    }
}
