/// Memory shared by a player's scores on the render side. Threads: created and released on the control side only.
///
/// Both kinds are allocated for the first score with a need for them, and kept.
struct PlayerMemory {
    let channelCount: Int
    let sampleRate: Int
    /// Maximum number of bytes for a kept pass.
    let recordingLimit: Int
    private var voices: VoiceStorage?
    private var pass: PassStorage?

    init(channelCount: Int, sampleRate: Int, recordingLimit: Int) {
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        self.recordingLimit = recordingLimit
    }

    /// Number of frames before a place to decode for the start of a voice there.
    var leadInFrames: Int { voices?.leadInFrames ?? 0 }

    /// Returns a score with all the memory it needs.
    ///
    /// - Parameters:
    ///   - ticket: of the request with a result still to come.
    ///   - needsVoices: true if the storage must have voices even if no pass needs voices.
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
