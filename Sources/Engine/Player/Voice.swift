internal import DSP
internal import Stretching

// A voice plays a pass that is not a copy of the clip, at another tempo. If the pitch changes too, a pitch changer
// follows: the changer reads the stretched signal at another pace and can keep its formants. A pitch r times as high at
// speed s is the clip stretched to speed s / r and read r times as fast. So the tempo is s, and the stretcher stays
// exact. Stretcher and changer do not keep the clip's peaks, so a limiter comes last. The limiter's look-ahead adds no
// delay, because a voice knows its future sound.

/// Start of a voice. Two voices with equal starts give the same sound, bit for bit.
struct VoiceStart: BitwiseCopyable {
    var clipFrame: Int64
    /// The first frame in the part's own pass, for a plan made for that pass.
    var passFrame: Int64
    var speed: Double
    /// Factor of all frequencies; 1 leaves the pitch unchanged.
    var pitchRatio: Double
    var choice = VoiceChoice.plain
}

/// One voice of a player. The voice requests its input: see `Stretcher`.
///
/// Before the first frame, the clip itself replaces the stretcher's output, because the stretcher also begins with a
/// copy of the clip there. So the first frame is the clip's own even at another pitch.
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

    /// The frame of the plan at which the voice begins: at another pitch, the voice counts frames of its own.
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

    /// Maximum number of clip frames that a voice needs before its first audible frame.
    var leadInFrames: Int { max(tempo.leadInFrames, changer.longestHistoryFrames()) }

    /// Returns the maximum number of clip frames, from the first audible frame on, that such a voice needs to produce
    /// its first frames.
    func aheadFrames(toEmit frameCount: Int, speed: Double, pitchRatio: Double) -> Int {
        let limited = frameCount + limiter.lookAheadFrames
        guard pitchRatio != 1 else { return tempo.aheadFrames(toEmit: limited, speed: speed) }
        let frames = changer.aheadFrames(toEmit: limited, ratio: pitchRatio)
        return tempo.aheadFrames(toEmit: frames, speed: speed / pitchRatio)
    }

    /// Returns true if the voice follows a precomputed plan, and so cannot change its speed.
    func isPlanned() -> Bool { start.choice.method.isPlanned() }

    /// Returns true if the voice needs attacks of the recording; sets `frame` to the clip frame around which attacks
    /// are needed, and `bands` to the bands of its stretcher.
    func wantsAttacks(around frame: inout Int64, for bands: inout StretchBands) -> Bool {
        (frame, bands) = (tempo.sourceFrame(), tempo.stretcherBands())
        return tempo.wantsAttacksInPassage() ?? start.choice.knowsAttacks
    }

    /// Sets the attacks around the position of the voice; the list stays valid until the next call.
    mutating func setAttacks(_ list: AttackList) { tempo.setAttacks(list) }

    /// Returns the lead, in frames before the next frame, with which a change of speed must be scheduled.
    ///
    /// Mutating, because a function that only reads a voice at a pointer gets a copy of everything outside a box.
    mutating func leadFrames() -> Int64 {
        let lead = tempo.leadFrames
        let limited = Int64(limiter.lookAheadFrames)
        guard isPitched else { return Int64(lead) + limited }
        // The changer has already received frames beyond the last frame; one more frame for each rounding.
        return Int64(Double(lead + changer.leadFrames() + 2) / start.pitchRatio) + 1 + limited
    }

    /// Changes the speed from a frame of the voice on; see `Stretcher.changeSpeed(atOutput:to:over:)`.
    ///
    /// At another pitch, the stretcher counts frames of its own: the frame and the end of the glide are rounded to the
    /// stretcher's frames.
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
        /// A piece of the work is complete; there may be more.
        case worked
        /// The voice needs this part of the clip.
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

    /// Does the same for the input of the limiter.
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

    /// Does all the work for the next `frameCount` frames, up to a missing part of the clip; returns the request for
    /// this part.
    mutating func nextInput(toEmit frameCount: Int) -> InputRequest? {
        while true {
            switch advance(toEmit: frameCount) {
            case .ready: return nil
            case .worked: continue
            case .needsInput(let request): return request
            }
        }
    }

    /// Returns the memory for the requested part of a channel.
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

    /// Writes the next frames; `nextInput` must have returned nil for these frames.
    mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>) {
        unsafe limiter.emit(frameCount, into: output, offset: 0)
    }

    /// Tells the pitch changer in which passage to keep formants; an emission is shorter than a passage.
    private mutating func tellFormants() {
        guard start.choice.keepsFormants, case .passages(let list) = start.choice.method else { return }
        let index = list.index(at: planFrame + changer.signalFrame())
        let next = min(index + 1, list.count - 1)
        changer.keepFormants(
            list[index].keepsFormants, until: list.end(of: index) - planFrame, then: list[next].keepsFormants)
    }

    /// Returns the lowest gain of the limiter since the last call, as a factor.
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
