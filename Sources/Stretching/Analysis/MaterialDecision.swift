/// The two ways to stretch a recording.
package enum Material: String, Sendable, Hashable, CaseIterable {
    /// Instruments, singing with accompaniment, anything with several sounds at once.
    case music
    /// One speaking voice.
    case speech
}

/// The decision between speech and music for a section, and its reason.
///
/// There are only two answers. A voice over music counts as music, unless the music is 18 dB and more below the voice.
/// Singing alone counts as music where notes are held; a sliding synthesiser bass may count as speech, a whisper as
/// music.
package struct MaterialDecision: Sendable, Hashable {
    /// The answer; ``Material/music`` for silence, where this answer does no harm.
    package let material: Material
    /// The mean evidence of the audible seconds, -4 (music) to 4 (speech); undecided near 0.
    package let score: Double
    /// The reason, in words for a user; one line.
    package let reason: String

    /// People glide at least a quarter of the time, a flat synthetic voice a tenth; pauses lie 12 dB down.
    private static let leastGliding = 0.08
    private static let leastDynamics = 5.0

    /// Decides for the seconds of a section.
    ///
    /// - Parameter seconds: Seconds as returned by ``MaterialFeatures/seconds(in:within:of:)``, in any order.
    ///
    /// Real-time safe: no.
    package init(_ seconds: [MaterialFeatures]) {
        guard !seconds.isEmpty else {
            (material, score, reason) = (.music, 0, "nothing but silence")
            return
        }
        func mean(_ value: (MaterialFeatures) -> Double) -> Double {
            seconds.reduce(0) { $0 + value($1) } / Double(seconds.count)
        }
        let score = mean(\.score)
        // Dry drums alternate and pause like speech, but have no voice; a held note that wavers has no pauses.
        let canBeSpeech = mean(\.gliding) > Self.leastGliding && mean(\.dynamics) > Self.leastDynamics
        let material: Material = score > 0 && canBeSpeech ? .speech : .music
        let agreeing = seconds.count { ($0.score > 0) == (score > 0) }
        let gliding = "one gliding pitch \(Int((100 * mean(\.gliding)).rounded())) % of the time"
        let pauses = "pauses \(Int(mean(\.dynamics).rounded())) dB down"
        let under = "music \(Int(mean(\.pauseDepth).rounded())) dB under a voice"
        let held = "partials held \(Int((100 * max(0, mean(\.steadiness))).rounded())) %"
        let signs =
            switch (material, score > 0) {
            case (.speech, _): "\(gliding), \(pauses)"
            case (.music, false):
                mean(\.voiceScore) > 0 ? "\(under), \(gliding)" : "\(held), \(gliding)"
            case (.music, true): "uneven as speech is, but no voice: \(gliding), \(pauses)"
            }
        (self.material, self.score) = (material, score)
        reason = "\(signs); \(agreeing) of \(seconds.count) seconds agree"
    }
}
