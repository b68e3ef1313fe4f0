internal import DSP
internal import Stretching

// A voice plays a pass that is not a copy of the clip: at another tempo, followed by a changer of the pitch if that is changed,
// which reads the stretched signal at another pace and can keep its formants. A pitch r times as high at speed s is the clip stretched to
// speed s / r and read r times as fast; so the tempo is s, and the stretcher stays exact. Neither keeps the clip's peaks, so a limiter
// comes last. Its look-ahead delays nothing: what a voice will play is known.

/// How a voice begins. Two voices that begin alike sound alike, bit for bit.
struct VoiceStart: BitwiseCopyable {
    var clipFrame: Int64
    /// The first frame in the part's own pass, for a plan that was made for that pass.
    var passFrame: Int64
    var speed: Double
    /// Factor of all frequencies; 1 leaves them.
    var pitchRatio: Double
    var choice = VoiceChoice.plain
}

/// One voice of a player. It asks for its input: see `Stretcher`.
///
/// Before its first frame the clip itself replaces the stretcher's output, because the stretcher also begins with a copy of the clip
/// there. So the first frame is the clip's own even if the pitch is changed.
struct Voice: ~Copyable {
    private var tempo: TempoVoice
    private var changer: PitchChanger
    private var limiter: PeakLimiter
    private var start = VoiceStart(clipFrame: 0, passFrame: 0, speed: 1, pitchRatio: 1)
    private var needsHistory = false

    /// Allocates everything; control side only.
    init(channelCount: Int, sampleRate: Int, maximumEmitFrames: Int) {
        tempo = TempoVoice(
            channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: maximumEmitFrames)
        changer = PitchChanger(
            channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: maximumEmitFrames)
        limiter = PeakLimiter(
            channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: maximumEmitFrames)
    }

    /// The frame of a plan at which it begins: if the pitch is changed, the voice counts frames of its own.
    private var planFrame: Int64 { Int64(Double(start.passFrame) * start.pitchRatio + 0.5) }
    private var isPitched: Bool { start.pitchRatio != 1 }

    /// Begins anew and discards all previous state.
    ///
    /// Real-time safe: yes, as is everything below.
    mutating func begin(_ start: VoiceStart) {
        self.start = start
        tempo.start(
            at: start.clipFrame, planFrame: planFrame, speed: start.speed / start.pitchRatio, by: start.choice.method)
        changer.start(ratio: start.pitchRatio, keepsFormants: start.choice.keepsFormants)
        limiter.start()
        needsHistory = isPitched
    }

    /// The most frames of the clip that a voice needs before its first audible one.
    var leadInFrames: Int { max(tempo.leadInFrames, changer.longestHistoryFrames()) }

    /// The most frames of the clip, from the first audible one on, that such a voice needs to produce its first frames.
    func aheadFrames(toEmit frameCount: Int, speed: Double, pitchRatio: Double) -> Int {
        let limited = frameCount + limiter.lookAheadFrames
        guard pitchRatio != 1 else { return tempo.aheadFrames(toEmit: limited, speed: speed) }
        let frames = changer.aheadFrames(toEmit: limited, ratio: pitchRatio)
        return tempo.aheadFrames(toEmit: frames, speed: speed / pitchRatio)
    }

    /// Whether the voice follows a plan made beforehand, and so cannot change its speed.
    func isPlanned() -> Bool { start.choice.method.isPlanned() }

    /// Whether the voice needs to be told the attacks of the recording, and around which of its frames.
    func wantsAttacks(around frame: inout Int64) -> Bool {
        frame = tempo.sourceFrame()
        return tempo.wantsAttacksInPassage() ?? start.choice.knowsAttacks
    }

    /// Sets the attacks around the position of the voice; the list stays valid until the next call.
    mutating func setAttacks(_ list: AttackList) { tempo.setAttacks(list) }

    /// How far ahead of the next frame a change of speed must be told.
    ///
    /// It is mutating, because a function that only reads a voice at a pointer gets a copy of all that is not in a box.
    mutating func leadFrames() -> Int64 {
        let lead = tempo.leadFrames
        let limited = Int64(limiter.lookAheadFrames)
        guard isPitched else { return Int64(lead) + limited }
        // The changer has already received frames beyond the last one; one more for each rounding.
        return Int64(Double(lead + changer.leadFrames() + 2) / start.pitchRatio) + 1 + limited
    }

    /// Changes the speed from a frame of the voice on; see `Stretcher.changeSpeed(atOutput:to:over:)`.
    ///
    /// If the pitch is changed, the stretcher counts frames of its own: the frame and the end of the glide are rounded to them.
    mutating func changeSpeed(at frame: Int64, to speed: Double, over glideFrames: Int64) -> Bool {
        guard isPitched else { return tempo.changeSpeed(at: frame, to: speed, over: glideFrames) }
        let ratio = start.pitchRatio
        let first = Int64(Double(frame) * ratio + 0.5)
        let last = Int64(Double(frame + glideFrames) * ratio + 0.5)
        return tempo.changeSpeed(at: first, to: speed / ratio, over: last - first)
    }

    /// The result of one step towards an emission.
    enum Step: Equatable {
        /// Everything is ready.
        case ready
        /// A piece of work has been done; there may be more.
        case worked
        /// This part of the clip is needed.
        case needsInput(InputRequest)
    }

    /// Does at most one piece of the work for the next `frameCount` frames.
    mutating func advance(toEmit frameCount: Int) -> Step {
        var needed = min(limiter.framesNeeded(toEmit: frameCount), limiter.maximumEmitFrames)
        guard needed > 0 else { return .ready }
        if !isPitched { needed = tempo.piece(of: needed) }
        let step = advanceSound(toEmit: needed)
        guard step == .ready else { return step }
        unsafe emitSound(needed, into: limiter.inputs, offset: limiter.inputOffset)
        limiter.accept(needed)
        return .worked
    }

    /// The same for the sound that the limiter takes.
    private mutating func advanceSound(toEmit frameCount: Int) -> Step {
        guard isPitched else { return advanceTempo(toEmit: frameCount) }
        if needsHistory { return .needsInput(historyRequest) }
        let needed = tempo.piece(of: changer.framesNeeded(toEmit: frameCount))
        guard needed > 0 else { return .ready }
        let step = advanceTempo(toEmit: needed)
        guard step == .ready else { return step }
        unsafe tempo.emit(needed, into: changer.inputs(), offset: changer.inputOffset())
        changer.accept(needed)
        return .worked
    }

    private mutating func advanceTempo(toEmit frameCount: Int) -> Step {
        tempo.advance(toEmit: frameCount)
    }

    private var historyRequest: InputRequest {
        let count = changer.historyFrames()
        return InputRequest(first: start.clipFrame - Int64(count), count: count)
    }

    /// Does all the work for the next `frameCount` frames, up to a part of the clip that it needs first.
    mutating func nextInput(toEmit frameCount: Int) -> InputRequest? {
        while true {
            switch advance(toEmit: frameCount) {
            case .ready: return nil
            case .worked: continue
            case .needsInput(let request): return request
            }
        }
    }

    /// Where to write the requested part of a channel.
    func input(_ channel: Int) -> UnsafeMutablePointer<Float> {
        if needsHistory { return unsafe changer.inputs()[channel] }
        return unsafe tempo.input(channel)
    }

    /// Confirms that the requested part has been written in every channel.
    mutating func acceptInput() {
        if needsHistory {
            changer.accept(changer.historyFrames())
            needsHistory = false
        } else {
            tempo.acceptInput()
        }
    }

    /// Writes the next frames; `nextInput` must have returned nil for them.
    mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>) {
        unsafe limiter.emit(frameCount, into: output, offset: 0)
    }

    /// Tells the changer of the pitch in which passage formants are kept; an emission is shorter than a passage.
    private mutating func tellFormants() {
        guard start.choice.keepsFormants, case .passages(let list) = start.choice.method else { return }
        let index = list.index(at: planFrame + changer.signalFrame())
        let next = min(index + 1, list.count - 1)
        changer.keepFormants(
            list[index].keepsFormants, until: list.end(of: index) - planFrame, then: list[next].keepsFormants)
    }

    /// The lowest gain of the limiter since the last call, as a factor.
    mutating func takeLowestGain() -> Float { limiter.takeLowestGain() }

    private mutating func emitSound(
        _ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int
    ) {
        if isPitched {
            tellFormants()
            unsafe changer.emit(frameCount, into: output, offset: offset)
        } else {
            unsafe tempo.emit(frameCount, into: output, offset: offset)
        }
    }
}
