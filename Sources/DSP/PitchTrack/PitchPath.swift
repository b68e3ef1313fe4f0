internal import Glibc

/// The most probable sequence of pitches: the second half of pYIN, Viterbi's algorithm over pitches and voicing.
///
/// In pYIN's hidden Markov model only the pitches that have a candidate can be observed, so the states of a place are its candidates
/// and one more for no pitch. That is exact where pYIN rounds to a tenth of a semitone, and costs some hundred steps for each place. Two
/// deviations: a pitch may also jump, with a small probability for any distance, because instruments do; and a decision is made 3 s
/// later at the latest, so that memory is bounded. Most are made much earlier, when all sequences agree.
struct PitchPath {
    /// Decided so far: frequencies in Hz, 0 for no pitch.
    private(set) var hertz: [Float] = []
    /// The sum of the candidates' probabilities.
    private(set) var voicing: [Float] = []

    private struct State {
        /// In octaves above 1 Hz; 0 for no pitch.
        var octaves: Float
        /// The index of the best state before.
        var before: Int
    }
    private var places: [[State]] = []
    private var costs: [Float] = []

    /// Decisions wait for at most this many places.
    private static let longestWait = 300
    /// Voicing begins or ends from one place to the next with this probability; pYIN's.
    private static let change: Float = 0.01
    /// A jump to a pitch anywhere, per octave.
    private static let jump: Float = 0.002
    /// Without a jump, the pitch moves by up to this many octaves in 10 ms: pYIN's triangle.
    private static let glide: Float = 0.2

    /// Takes the candidates of the next place.
    mutating func append(_ candidates: [PitchCandidate]) {
        let sum = candidates.reduce(0) { $0 + $1.probability }
        voicing.append(max(0, min(1, sum)))
        var states = [State(octaves: 0, before: 0)]
        var next = [-log(max(1e-6, 1 - sum))]
        for candidate in candidates where candidate.probability > 1e-6 {
            states.append(State(octaves: candidate.octaves, before: 0))
            next.append(-log(candidate.probability))
        }
        if let last = places.last {
            for index in states.indices {
                var best = Float.infinity
                for from in last.indices {
                    let cost = costs[from] + Self.step(from: last[from].octaves, to: states[index].octaves)
                    if cost < best {
                        best = cost
                        states[index].before = from
                    }
                }
                next[index] += best
            }
        }
        // Costs stay near 0 however long the recording is.
        let least = next.min() ?? 0
        costs = next.map { $0 - least }
        places.append(states)
        if places.count % 32 == 0 { decide() }
    }

    /// Decides all that is left.
    mutating func finish() {
        guard let best = costs.indices.min(by: { costs[$0] < costs[$1] }) else { return }
        settle(places.count, from: best)
        costs = []
    }

    private static func step(from: Float, to: Float) -> Float {
        if from == 0 { return to == 0 ? stay : begin }
        if to == 0 { return begin }
        let distance = abs(to - from)
        // The density of the triangle against that of a tenth of a semitone.
        let near = max(0, 1 - distance / glide) / glide
        return stay - log((near + jump) * 0.2)
    }
    private static let stay = -log(1 - change)
    private static let begin = -log(change)

    /// Decides what all sequences agree on, or what has waited too long.
    private mutating func decide() {
        var alive = Set(costs.indices)
        var place = places.count - 1
        while place > 0, alive.count > 1 {
            alive = Set(alive.map { places[place][$0].before })
            place -= 1
        }
        if alive.count == 1, let only = alive.first, place > 0 {
            settle(place + 1, from: only)
        } else if places.count > Self.longestWait, let best = costs.indices.min(by: { costs[$0] < costs[$1] }) {
            var state = best
            for place in stride(from: places.count - 1, to: places.count / 2, by: -1) {
                state = places[place][state].before
            }
            settle(places.count / 2 + 1, from: state)
        }
    }

    /// The first `count` places are decided; the last of them has state `last`.
    private mutating func settle(_ count: Int, from last: Int) {
        var state = last
        var decided = [Float](repeating: 0, count: count)
        for place in stride(from: count - 1, through: 0, by: -1) {
            let chosen = places[place][state]
            decided[place] = chosen.octaves > 0 ? exp2(chosen.octaves) : 0
            state = chosen.before
        }
        hertz += decided
        places.removeFirst(count)
    }
}
