/// Memory that a player's scores share on the render side. Created and released on the control side only.
///
/// Both kinds are allocated for the first score that needs them, and kept.
struct PlayerMemory {
    let channelCount: Int
    let sampleRate: Int
    /// The most bytes for a kept pass.
    let recordingLimit: Int
    private var voices: VoiceStorage?
    private var pass: PassStorage?

    init(channelCount: Int, sampleRate: Int, recordingLimit: Int) {
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        self.recordingLimit = recordingLimit
    }

    /// Frames before a place that must be decoded so that a voice can begin there.
    var leadInFrames: Int { voices?.leadInFrames ?? 0 }

    /// A score with all the memory it needs.
    ///
    /// - Parameters:
    ///   - ticket: of the request whose result is still expected.
    ///   - needsVoices: whether it needs voices even if no pass does.
    mutating func storage(
        for score: Score, _ preparation: Preparation, ticket: Int?, needsVoices: Bool = false
    ) -> ScoreStorage {
        if voices == nil && (needsVoices || score.needsVoices) {
            voices = VoiceStorage(channelCount: channelCount, sampleRate: sampleRate)
        }
        pass = PassStorage.fitting(score, channelCount: channelCount, limit: recordingLimit, current: pass)
        return ScoreStorage(score, preparation, ticket: ticket, voices: voices, pass: pass)
    }
}
