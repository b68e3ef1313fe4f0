// What the control side asks of the render thread: trivial values in a ring, applied in order, each at an exact frame.

/// One request to a player's render state. Real-time safe: yes, it is trivial.
struct PlayerCommand: Sendable, BitwiseCopyable {
    enum Code: UInt8, Sendable, BitwiseCopyable {
        /// Play from the first frame of the score.
        case start
        /// Fade out and stay where we are; `value` is the reason.
        case pause
        /// Go on from where we paused, if it was for the reason `value`, or that is `anyReason`.
        case resume
        /// Fade out and finish; `value` is the reason.
        case stop
        /// Hear clip frame `value` next, in this pass if its section holds it.
        case seek
        /// Hear the first pass of section `value` next.
        case skip
        /// Take over the score in `score`, going on at this clip frame.
        case replaceScore
        /// Take over the score in `score`, which differs in its speed only, within the voice that plays if that can be;
        /// `value` is the frames of the glide.
        case changeSpeed
        /// Go on with the score in `score`, which is the one at the address `value` with more known about it.
        case adoptScore
        /// Glide to the gain `gain`.
        case gain
    }

    /// For `resume`: whatever the reason of the pause.
    static let anyReason: Int64 = -1

    var code: Code
    /// The output frame at which to act; a frame that is over, or -1, means at once.
    var frame: Int64 = -1
    var value: Int64 = 0
    var gain: Float = 1
    var score = RenderScore.none
    /// A change of speed that the voice knows of already, for the frame `frame`; and the layer it was told for.
    var toldLayer: Int64?

    /// True when what sounds may change, for which only few layers may sound.
    var changesLayers: Bool { code != .gain && code != .adoptScore }

    /// True when another score takes the place of the one that plays.
    var replacesScore: Bool { code == .replaceScore || code == .changeSpeed }

    /// Whether nothing is heard of another change of the score that was asked for the same frame before this one, with nothing but
    /// such changes between them.
    ///
    /// A new score and a step count alone; a glide still begins where the step or the score before it led.
    func supersedes(_ earlier: PlayerCommand) -> Bool {
        code == .replaceScore || value == 0 || earlier.code == .changeSpeed && earlier.value > 0
    }

    /// Takes the place of a change that it supersedes: what was to be one more layer remains one.
    mutating func standIn(for earlier: PlayerCommand) {
        if earlier.code == .replaceScore { code = .replaceScore }
    }

    /// True when `score` is handed over with it and must come back.
    var bringsScore: Bool { code == .replaceScore || code == .changeSpeed || code == .adoptScore }
}

/// The parts of a score where the render thread can read them. The control side owns the memory: `ScoreStorage`.
@safe
struct RenderScore: @unchecked Sendable, BitwiseCopyable {
    /// The parts; valid while the storage that made this is alive, which is until the render side gives it back.
    private let parts: UnsafePointer<ScorePart>?
    private let choices: UnsafePointer<VoiceChoice>?
    let partCount: Int
    /// Where a pass that comes again can be kept.
    let recording: PassMemory
    /// The player's voices, from the first score on that needs them.
    let voices: VoicePool

    static var none: RenderScore {
        unsafe RenderScore(parts: nil, choices: nil, count: 0, recording: .none, voices: .none)
    }

    init(
        parts: UnsafePointer<ScorePart>?, choices: UnsafePointer<VoiceChoice>?, count: Int, recording: PassMemory,
        voices: VoicePool
    ) {
        unsafe self.parts = parts
        unsafe self.choices = choices
        self.partCount = count
        self.recording = recording
        self.voices = voices
    }

    /// Identity of the storage, so that the control side knows which score came back.
    var address: Int { unsafe parts.map { Int(bitPattern: $0) } ?? 0 }

    /// A part; `index` is in `0 ..< partCount`, which every caller has from this score's own cursor.
    func part(_ index: Int) -> ScorePart {
        guard let parts = unsafe parts, index >= 0, index < partCount else { return .empty }
        return unsafe parts[index]
    }

    /// What a part is played with.
    func choice(_ index: Int) -> VoiceChoice {
        guard let choices = unsafe choices, index >= 0, index < partCount else { return .plain }
        return unsafe choices[index]
    }

    /// The part that holds a pass of a section.
    func partIndex(section: Int, pass: Int) -> Int? {
        for index in 0..<partCount {
            let part = part(index)
            if part.section == section && pass >= part.firstPass && pass < part.firstPass + part.passCount {
                return index
            }
        }
        return nil
    }

    /// The first part in which a frame of the clip is heard.
    func partIndex(holding clipFrame: Int64) -> Int? {
        for index in 0..<partCount {
            let part = part(index)
            if clipFrame >= part.clipStart && clipFrame < part.clipEnd { return index }
        }
        return nil
    }
}

/// Owns the parts the render thread reads, and keeps what they are played with; made and released on the control side only.
@safe
final class ScoreStorage: @unchecked Sendable {
    /// Bytes a player may take to keep a pass: 64 MiB, three minutes of stereo at 44.1 kHz.
    static let recordingLimit = 64 << 20

    let score: Score
    /// What is known of the score; keeps what the voices' choices refer to.
    let preparation: Preparation
    /// The request for its preparation, if that is still under way.
    let ticket: Int?
    private let parts: UnsafeMutableBufferPointer<ScorePart>
    private let choices: UnsafeMutableBufferPointer<VoiceChoice>
    private let pass: PassStorage?
    private let voices: VoiceStorage?

    /// - Parameters:
    ///   - preparation: made for this score.
    ///   - ticket: of the request that will tell more about it.
    ///   - voices: the player's, if it has any.
    ///   - pass: the player's memory for passes that come again, if there is any.
    init(
        _ score: Score, _ preparation: Preparation, ticket: Int? = nil, voices: VoiceStorage? = nil,
        pass: PassStorage? = nil
    ) {
        self.score = score
        self.preparation = preparation
        self.ticket = ticket
        self.voices = voices
        self.pass = pass
        unsafe parts = .allocate(capacity: score.parts.count)
        _ = unsafe parts.initialize(from: score.parts)
        unsafe choices = .allocate(capacity: score.parts.count)
        _ = unsafe choices.initialize(from: preparation.voices)
    }

    deinit {
        unsafe parts.deallocate()
        unsafe choices.deallocate()
    }

    var renderScore: RenderScore {
        unsafe RenderScore(
            parts: UnsafePointer(parts.baseAddress), choices: UnsafePointer(choices.baseAddress), count: parts.count,
            recording: pass?.memory ?? .none, voices: voices?.pool ?? .none)
    }
}

extension ScorePart {
    /// What a missing part reads as: one frame of nothing, never played.
    static var empty: ScorePart {
        ScorePart(
            section: 0, clipStart: 0, clipEnd: 1, curve: SpeedCurve(speed: 1), pitch: .original, firstPass: 0,
            passCount: 1,
            sectionPasses: 1, gapFrames: 0,
            joint: .hard)
    }
}
