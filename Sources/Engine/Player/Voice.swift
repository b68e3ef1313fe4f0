internal import DSP

// What plays a pass that is not the clip's own copy: a voice at another tempo, and behind it, when the pitch is changed, an
// interpolator that reads what the first gives at another pace. A pitch r times as high at speed s is the clip stretched to
// speed s / r and read r times as fast; so the tempo is s, and all that is exact of the stretching stays so.

/// How a voice plays from its start on. Two voices begun alike sound alike, bit for bit.
struct VoiceStart: BitwiseCopyable {
    var clipFrame: Int64
    /// The frame of the part's own pass heard first, for what was planned for that pass.
    var passFrame: Int64
    var speed: Double
    /// Factor of all frequencies; 1 leaves them.
    var pitchRatio: Double
    var choice = VoiceChoice.plain
}

/// One voice of a player, in pull style: see `Stretcher`.
///
/// Before its first frame the clip itself is taken for what the stretcher would have given: it begins with a copy of the clip
/// there. So the first frame is the clip's own in a changed pitch, too.
struct Voice: ~Copyable {
    private var tempo: TempoVoice
    private var interpolator: PitchInterpolator
    private var start = VoiceStart(clipFrame: 0, passFrame: 0, speed: 1, pitchRatio: 1)
    private var needsHistory = false

    /// Allocates everything; control side only.
    init(channelCount: Int, sampleRate: Int, maximumEmitFrames: Int) {
        tempo = TempoVoice(
            channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: maximumEmitFrames)
        interpolator = PitchInterpolator(channelCount: channelCount, maximumEmitFrames: maximumEmitFrames)
    }

    private var isPitched: Bool { start.pitchRatio != 1 }

    /// Begins anew; whatever was there before is forgotten.
    ///
    /// Real-time safe: yes, as is everything below.
    mutating func begin(_ start: VoiceStart) {
        self.start = start
        // In a changed pitch the voice counts frames of its own.
        let planFrame = Int64(Double(start.passFrame) * start.pitchRatio + 0.5)
        tempo.start(
            at: start.clipFrame, planFrame: planFrame, speed: start.speed / start.pitchRatio, by: start.choice.method)
        interpolator.start(ratio: start.pitchRatio)
        needsHistory = isPitched
    }

    /// Frames of the clip before the one heard first that a voice asks for at most.
    var leadInFrames: Int { tempo.leadInFrames }

    /// Frames of the clip, from the one heard first on, that a voice begun so asks for at most to give its first frames.
    func aheadFrames(toEmit frameCount: Int, speed: Double, pitchRatio: Double) -> Int {
        guard pitchRatio != 1 else { return tempo.aheadFrames(toEmit: frameCount, speed: speed) }
        // The interpolator is given its kernel's half beyond the last frame; one more for each rounding.
        let frames = Int(Double(frameCount) * pitchRatio) + PitchInterpolator.longestHistoryFrames + 2
        return tempo.aheadFrames(toEmit: frames, speed: speed / pitchRatio)
    }

    /// Whether the voice follows a plan made beforehand, and so takes no change of speed.
    func isPlanned() -> Bool { start.choice.method.isSplices() }

    /// Whether the attacks of the recording are to be told to the voice, and around which of its frames.
    func wantsAttacks(around frame: inout Int64) -> Bool {
        frame = tempo.sourceFrame()
        return start.choice.knowsAttacks
    }

    /// What is known of attacks around the place of the voice; it holds until the next call.
    mutating func setAttacks(_ list: AttackList) { tempo.setAttacks(list) }

    /// How far ahead of the frame emitted next a change of speed must be told.
    func leadFrames() -> Int64 {
        let lead = tempo.leadFrames
        guard isPitched else { return Int64(lead) }
        // The interpolator has been given its kernel's half beyond the last frame; one more for each rounding.
        return Int64(Double(lead + interpolator.historyFrames + 2) / start.pitchRatio) + 1
    }

    /// From a frame of the voice on, another speed; see `Stretcher.changeSpeed(atOutput:to:over:)`.
    ///
    /// In a changed pitch the stretcher counts frames of its own: the frame and the glide's end go to the nearest of them.
    mutating func changeSpeed(at frame: Int64, to speed: Double, over glideFrames: Int64) -> Bool {
        guard isPitched else { return tempo.changeSpeed(at: frame, to: speed, over: glideFrames) }
        let ratio = start.pitchRatio
        let first = Int64(Double(frame) * ratio + 0.5)
        let last = Int64(Double(frame + glideFrames) * ratio + 0.5)
        return tempo.changeSpeed(at: first, to: speed / ratio, over: last - first)
    }

    /// What one step towards an emission did.
    enum Step: Equatable {
        /// Nothing is due any more.
        case ready
        /// A piece of work has been done; there may be more.
        case worked
        /// This part of the clip is needed.
        case needsInput(InputRequest)
    }

    /// Does at most one piece of the work for the next `frameCount` frames.
    mutating func advance(toEmit frameCount: Int) -> Step {
        guard isPitched else { return advanceTempo(toEmit: frameCount) }
        if needsHistory { return .needsInput(historyRequest) }
        let needed = min(interpolator.framesNeeded(toEmit: frameCount), tempo.maximumEmitFrames)
        guard needed > 0 else { return .ready }
        let step = advanceTempo(toEmit: needed)
        guard step == .ready else { return step }
        unsafe tempo.emit(needed, into: interpolator.inputs, offset: interpolator.inputOffset)
        interpolator.accept(needed)
        return .worked
    }

    private mutating func advanceTempo(toEmit frameCount: Int) -> Step {
        tempo.advance(toEmit: frameCount)
    }

    private var historyRequest: InputRequest {
        let count = interpolator.historyFrames
        return InputRequest(first: start.clipFrame - Int64(count), count: count)
    }

    /// Does all the work for the next `frameCount` frames, up to the part of the clip that is missing for it.
    mutating func nextInput(toEmit frameCount: Int) -> InputRequest? {
        while true {
            switch advance(toEmit: frameCount) {
            case .ready: return nil
            case .worked: continue
            case .needsInput(let request): return request
            }
        }
    }

    /// Where the part of a channel goes that was asked for.
    func input(_ channel: Int) -> UnsafeMutablePointer<Float> {
        if needsHistory { return unsafe interpolator.inputs[channel] }
        return unsafe tempo.input(channel)
    }

    /// Says that what was asked for is there, in every channel.
    mutating func acceptInput() {
        if needsHistory {
            interpolator.accept(interpolator.historyFrames)
            needsHistory = false
        } else {
            tempo.acceptInput()
        }
    }

    /// Writes the next frames; `nextInput` must have returned nil for them.
    mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>) {
        if isPitched {
            unsafe interpolator.emit(frameCount, into: output, offset: 0)
        } else {
            unsafe tempo.emit(frameCount, into: output, offset: 0)
        }
    }
}
