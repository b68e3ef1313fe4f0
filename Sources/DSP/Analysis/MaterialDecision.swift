/// The two ways to stretch a recording.
public enum Material: String, Sendable, Hashable, CaseIterable {
    /// Instruments, singing with accompaniment, anything in which several things sound at once.
    case music
    /// One speaking voice.
    case speech
}

/// Whether a section is speech or music, and why.
///
/// It knows two answers only. A voice over soft music is what the louder of the two is; singing alone counts as music
/// where it holds its notes; a synthesiser's bass that slides may pass for speech, a whisper for music.
public struct MaterialDecision: Sendable, Hashable {
    /// The answer; ``Material/music`` for silence, as it does no harm there.
    public let material: Material
    /// The mean evidence of the seconds that sound, -4 (music) to 4 (speech); near 0 it could be either.
    public let score: Double
    /// Why, in words for a user; one line.
    public let reason: String

    /// People glide a quarter of the time at least, a flat synthetic voice a tenth; pauses lie 12 dB down.
    private static let leastGliding = 0.08
    private static let leastDynamics = 5.0

    /// The decision for the seconds of a section.
    ///
    /// - Parameter seconds: As ``MaterialFeatures/seconds(in:within:)`` gives them, in any order.
    ///
    /// Real-time safe: no.
    public init(_ seconds: [MaterialFeatures]) {
        guard !seconds.isEmpty else {
            (material, score, reason) = (.music, 0, "nothing but silence")
            return
        }
        func mean(_ value: (MaterialFeatures) -> Double) -> Double {
            seconds.reduce(0) { $0 + value($1) } / Double(seconds.count)
        }
        let score = mean(\.score)
        // Dry drums alternate and pause as speech does, but have no voice; a held note that wavers has no pauses.
        let canBeSpeech = mean(\.gliding) > Self.leastGliding && mean(\.dynamics) > Self.leastDynamics
        let material: Material = score > 0 && canBeSpeech ? .speech : .music
        let agreeing = seconds.count { ($0.score > 0) == (score > 0) }
        let gliding = "one gliding pitch \(Int((100 * mean(\.gliding)).rounded())) % of the time"
        let pauses = "pauses \(Int(mean(\.dynamics).rounded())) dB down"
        let held = "partials held \(Int((100 * max(0, mean(\.steadiness))).rounded())) %"
        let signs =
            switch (material, score > 0) {
            case (.speech, _): "\(gliding), \(pauses)"
            case (.music, false): "\(held), \(gliding)"
            case (.music, true): "uneven as speech is, but no voice: \(gliding), \(pauses)"
            }
        (self.material, self.score) = (material, score)
        reason = "\(signs); \(agreeing) of \(seconds.count) seconds agree"
    }
}

/// A stretch of a recording that is of one material.
public struct MaterialPassage: Sendable, Hashable {
    /// Its frames, in frames of the recording: whole seconds.
    public let range: Range<Int64>
    /// What it is.
    public let material: Material

    /// Divides a programme that changes into its passages, in order of time.
    ///
    /// The division with the most evidence for it, where each change costs what two clear seconds are worth; so a single
    /// odd second changes nothing. Silent seconds belong to what comes before them. Changes are right to about a second.
    /// - Parameter seconds: As ``MaterialFeatures/seconds(in:within:)`` gives them, in any order.
    ///
    /// Real-time safe: no.
    public static func passages(_ seconds: [MaterialFeatures]) -> [MaterialPassage] {
        let ordered = seconds.sorted { $0.range.lowerBound < $1.range.lowerBound }
        guard let first = ordered.first else { return [] }
        // Two ways through time, one ending in each material; the better way into each is remembered.
        let changeCost = 8.0
        var (music, speech) = (-first.score, first.score)
        var cameFrom: [(music: Material, speech: Material)] = [(.music, .speech)]
        for second in ordered.dropFirst() {
            let intoMusic: Material = speech - changeCost > music ? .speech : .music
            let intoSpeech: Material = music - changeCost > speech ? .music : .speech
            (music, speech) = (
                max(music, speech - changeCost) - second.score, max(speech, music - changeCost) + second.score
            )
            cameFrom.append((intoMusic, intoSpeech))
        }
        var state: Material = speech > music ? .speech : .music
        var states: [Material] = []
        for step in cameFrom.reversed() {
            states.append(state)
            state = state == .music ? step.music : step.speech
        }
        states.reverse()
        return joined(ordered, states)
    }

    /// Neighbouring seconds of one state as passages, each judged once more as a whole.
    private static func joined(_ seconds: [MaterialFeatures], _ states: [Material]) -> [MaterialPassage] {
        var result: [MaterialPassage] = []
        var start = 0
        while start < seconds.count {
            let end = states[start...].firstIndex { $0 != states[start] } ?? seconds.count
            // Without a voice in it a passage is music after all, see MaterialDecision.
            let material = states[start] == .music ? .music : MaterialDecision(Array(seconds[start..<end])).material
            let upper = end < seconds.count ? seconds[end].range.lowerBound : seconds[end - 1].range.upperBound
            let range = seconds[start].range.lowerBound..<upper
            if let last = result.last, last.material == material {
                result[result.count - 1] = MaterialPassage(range: last.range.lowerBound..<upper, material: material)
            } else {
                result.append(MaterialPassage(range: range, material: material))
            }
            start = end
        }
        return result
    }
}
