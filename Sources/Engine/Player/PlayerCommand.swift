// What the control side asks of the render thread: trivial values in a ring, applied in order, each at an exact frame.

/// One request to a player's render state. Real-time safe: yes, it is trivial.
struct PlayerCommand: Sendable, BitwiseCopyable {
    enum Code: UInt8, Sendable, BitwiseCopyable {
        /// Play from the first frame of the score.
        case start
        /// Fade out and stay where we are; `value` is the reason.
        case pause
        /// Go on from where we paused.
        case resume
        /// Fade out and finish; `value` is the reason.
        case stop
        /// Hear clip frame `value` next, in this pass if its section holds it.
        case seek
        /// Hear the first pass of section `value` next.
        case skip
        /// Take over the score in `score`, going on at this clip frame.
        case replaceScore
        /// Glide to the gain `gain`.
        case gain
    }

    var code: Code
    /// The output frame at which to act; a frame that is over, or -1, means at once.
    var frame: Int64 = -1
    var value: Int64 = 0
    var gain: Float = 1
    var score = RenderScore.none
}

/// The parts of a score where the render thread can read them. The control side owns the memory: `ScoreStorage`.
@safe
struct RenderScore: @unchecked Sendable, BitwiseCopyable {
    /// The parts; valid while the storage that made this is alive, which is until the render side gives it back.
    private let parts: UnsafePointer<ScorePart>?
    let partCount: Int

    static var none: RenderScore { unsafe RenderScore(parts: nil, count: 0) }

    init(parts: UnsafePointer<ScorePart>?, count: Int) {
        unsafe self.parts = parts
        self.partCount = count
    }

    /// Identity of the storage, so that the control side knows which score came back.
    var address: Int { unsafe parts.map { Int(bitPattern: $0) } ?? 0 }

    /// A part; `index` is in `0 ..< partCount`, which every caller has from this score's own cursor.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func part(_ index: Int) -> ScorePart {
        guard let parts = unsafe parts, index >= 0, index < partCount else { return .empty }
        return unsafe parts[index]
    }
}

/// Owns the parts the render thread reads; made and released on the control side only.
@safe
final class ScoreStorage: @unchecked Sendable {
    let score: Score
    private let parts: UnsafeMutableBufferPointer<ScorePart>

    init(_ score: Score) {
        self.score = score
        unsafe parts = .allocate(capacity: score.parts.count)
        _ = unsafe parts.initialize(from: score.parts)
    }

    deinit {
        unsafe parts.deallocate()
    }

    var renderScore: RenderScore {
        unsafe RenderScore(parts: UnsafePointer(parts.baseAddress), count: parts.count)
    }
}

extension ScorePart {
    /// What a missing part reads as: one frame of nothing, never played.
    static var empty: ScorePart {
        ScorePart(
            section: 0, clipStart: 0, clipEnd: 1, speed: 1, firstPass: 0, passCount: 1, sectionPasses: 1, gapFrames: 0,
            joint: .hard)
    }
}
