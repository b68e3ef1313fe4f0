internal import Glibc

/// The most probable sequence of pitches: the second half of pYIN, Viterbi's algorithm over pitches and voicing.
///
/// In pYIN's hidden Markov model only pitches with a candidate can be observed. So the states of a place are its
/// candidates and a state for no pitch. Such states are exact where pYIN rounds to a tenth of a semitone, and cost some
/// hundred steps for each place. Two deviations: a pitch may also jump, with a small probability for any distance,
/// because instruments do; and every decision comes within 3 s, so memory is bounded. Most decisions come much earlier,
/// when all sequences agree.
struct PitchPath {
    /// Decided frequencies in Hz, 0 for no pitch.
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
    /// Probability of a change of voicing from one place to the next; pYIN's.
    private static let change: Float = 0.01
    /// Probability of a jump to a pitch anywhere, per octave.
    private static let jump: Float = 0.002
    /// Greatest glide in 10 ms without a jump, in octaves: pYIN's triangle.
    private static let glide: Float = 0.2

    /// Appends the candidates of the next place.
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
        // Costs stay near 0 for recordings of any length.
        let least = next.min() ?? 0
        costs = next.map { $0 - least }
        places.append(states)
        if places.count % 32 == 0 { decide() }
    }

    /// Decides all remaining places.
    mutating func finish() {
        guard let best = costs.indices.min(by: { costs[$0] < costs[$1] }) else { return }
        settle(places.count, from: best)
        costs = []
    }

    private static func step(from: Float, to: Float) -> Float {
        if from == 0 { return to == 0 ? stay : begin }
        if to == 0 { return begin }
        let distance = abs(to - from)
        // The density of the triangle against the density of a tenth of a semitone.
        let near = max(0, 1 - distance / glide) / glide
        return stay - log((near + jump) * 0.2)
    }
    private static let stay = -log(1 - change)
    private static let begin = -log(change)

    /// Decides the places on which all sequences agree, or which have waited too long.
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

    /// Decides the first `count` places; `last` is the state of the last of these places.
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
