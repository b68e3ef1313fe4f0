internal import DSP

/// A voice at another tempo and the clip's own pitch: a stretcher and a splicer, one of which plays.
///
/// It asks for its input, like `Stretcher`. Everything but the initialiser is real-time safe.
struct TempoVoice: ~Copyable {
    private var stretcher: Stretcher
    private var splicer: Splicer
    private var isSpliced = false

    /// Allocates everything; control side only.
    init(channelCount: Int, sampleRate: Int, maximumEmitFrames: Int) {
        stretcher = Stretcher(
            channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: maximumEmitFrames)
        splicer = Splicer(channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: maximumEmitFrames)
    }

    /// The most frames that can be requested at once.
    var maximumEmitFrames: Int { stretcher.maximumEmitFrames }

    /// The most frames it needs before the first audible one to produce its first frames. A splicer needs fewer.
    var leadInFrames: Int { stretcher.leadInFrames }

    /// See `leadInFrames`.
    func aheadFrames(toEmit frameCount: Int, speed: Double) -> Int {
        stretcher.aheadFrames(toEmit: frameCount, speed: speed)
    }

    /// How far ahead of the next frame a change of speed must be told.
    var leadFrames: Int { stretcher.leadFrames }

    /// Starts anew and discards all previous state.
    ///
    /// - Parameters:
    ///   - planFrame: the splicer starts there, whatever `clipFrame` is: a plan deviates a little from
    ///     the nominal time, and must end with the pass.
    ///   - speed: for the stretcher; a list of splices has its own speeds.
    mutating func start(at clipFrame: Int64, planFrame: Int64, speed: Double, by method: TempoMethod) {
        switch method {
        case .fullBands:
            isSpliced = false
            stretcher.start(at: clipFrame, speed: speed, bands: .three)
        case .lightBands:
            isSpliced = false
            stretcher.start(at: clipFrame, speed: speed, bands: .one)
        case .splices(let list):
            isSpliced = true
            splicer.start(atOutput: planFrame, list)
        }
    }

    /// Changes the speed from a frame of the voice on. A plan of splices ignores it, because it contains all its speeds.
    mutating func changeSpeed(at frame: Int64, to speed: Double, over glideFrames: Int64) -> Bool {
        isSpliced || stretcher.changeSpeed(atOutput: frame, to: speed, over: glideFrames)
    }

    /// Sets the attacks that are known from here on.
    ///
    /// - Parameter list: of the part of the recording around the voice; it stays valid until the next call.
    mutating func setAttacks(_ list: AttackList) {
        if !isSpliced { stretcher.setAttacks(list) }
    }

    /// The next frame of the clip, according to the tempo.
    func sourceFrame() -> Int64 {
        if isSpliced { return 0 }
        return Int64(stretcher.sourcePosition(atOutput: stretcher.emittedFrames))
    }

    /// Does at most one piece of the work for the next `frameCount` frames.
    mutating func advance(toEmit frameCount: Int) -> Voice.Step {
        if isSpliced {
            guard let request = splicer.nextInput(toEmit: frameCount) else { return .ready }
            return .needsInput(request)
        }
        switch stretcher.advance(toEmit: frameCount) {
        case .ready: return .ready
        case .ranStage: return .worked
        case .needsInput(let request): return .needsInput(request)
        }
    }

    /// Where to write the requested part of a channel.
    func input(_ channel: Int) -> UnsafeMutablePointer<Float> {
        unsafe isSpliced ? splicer.input(channel) : stretcher.input(channel)
    }

    /// Confirms that the requested part has been written in every channel.
    mutating func acceptInput() {
        if isSpliced { splicer.acceptInput() } else { stretcher.acceptInput() }
    }

    /// Writes the next frames.
    mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int) {
        if isSpliced {
            unsafe splicer.emit(frameCount, into: output, offset: offset)
        } else {
            unsafe stretcher.emit(frameCount, into: output, offset: offset)
        }
    }
}
