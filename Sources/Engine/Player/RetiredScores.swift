internal import Realtime
internal import Samples

/// Scores to return to the control side, which frees their memory: at once, or when no layer plays from this memory any
/// more.
///
/// Real-time safe: yes.
struct RetiredScores: ~Copyable {
    private var ring: RingProducer<Int>
    /// Replaced scores with memory still in use by a layer, at most one score per layer.
    private var heard: InlineArray<4, RenderScore> = InlineArray(repeating: RenderScore.none)
    private(set) var count = 0

    init(_ ring: consuming RingProducer<Int>) {
        self.ring = ring
    }

    /// Retires the score played until now.
    mutating func retire(_ score: RenderScore, heardIn stack: borrowing Boxed<LayerStack>) {
        giveBackUnheard(in: stack)
        guard stack.value.isHeard(score) else { return giveBack(score) }
        // Each of these scores plays in a layer of its own, so there is room.
        heard[count] = score
        count += 1
    }

    /// Returns the scores whose layers have ended.
    mutating func giveBackUnheard(in stack: borrowing Boxed<LayerStack>) {
        var kept = 0
        for index in 0..<count {
            let score = heard[index]
            if stack.value.isHeard(score) {
                heard[kept] = score
                kept += 1
            } else {
                giveBack(score)
            }
        }
        count = kept
    }

    /// Returns scores through another ring from now on. Call this between two blocks only.
    mutating func giveBack(through ring: consuming RingProducer<Int>) { self.ring = ring }

    /// Returns a score without any sound.
    mutating func giveBack(_ score: RenderScore) {
        // The return ring has room for every score that can be under way, so nothing is lost.
        _ = ring.push(score.address)
    }
}
