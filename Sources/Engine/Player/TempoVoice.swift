internal import DSP

/// By which method a voice changes the tempo. Trivial.
enum TempoMethod: BitwiseCopyable {
    /// The stretcher with three bands; attacks are treated as such where they are known.
    case fullBands
    /// The stretcher with one band.
    case lightBands
    /// By splices at places planned beforehand.
    case splices(SpliceList)

    func isSplices() -> Bool {
        if case .splices = self { return true }
        return false
    }
}

/// A voice at another tempo and the clip's own pitch: a stretcher and a splicer, of which one plays.
///
/// Pull style, as `Stretcher`. Everything but the initialiser is real-time safe.
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

    /// The most frames that can be asked for at once.
    var maximumEmitFrames: Int { stretcher.maximumEmitFrames }

    /// What it asks for at most before the frame heard first, and from there on to give its first frames. A splicer asks for less.
    var leadInFrames: Int { stretcher.leadInFrames }

    /// See `leadInFrames`.
    func aheadFrames(toEmit frameCount: Int, speed: Double) -> Int {
        stretcher.aheadFrames(toEmit: frameCount, speed: speed)
    }

    /// How far ahead of the frame emitted next a change of speed must be told.
    var leadFrames: Int { stretcher.leadFrames }

    /// Begins anew; whatever was there before is forgotten.
    ///
    /// - Parameters:
    ///   - planFrame: for the splicer, which is heard from there on, whatever `clipFrame` is: a plan strays a little from
    ///     its nominal time, and shall be over when the pass is.
    ///   - speed: for the stretcher; a list of splices has its own.
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

    /// From a frame of the voice on, another speed; a plan of splices has all its speeds already.
    mutating func changeSpeed(at frame: Int64, to speed: Double, over glideFrames: Int64) -> Bool {
        isSpliced || stretcher.changeSpeed(atOutput: frame, to: speed, over: glideFrames)
    }

    /// What is known of attacks from here on.
    ///
    /// - Parameter list: of the part of the recording in which the voice is; it holds until the next call.
    mutating func setAttacks(_ list: AttackList) {
        if !isSpliced { stretcher.setAttacks(list) }
    }

    /// The frame of the clip heard next, as far as the tempo says.
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

    /// Where the part of a channel goes that was asked for.
    func input(_ channel: Int) -> UnsafeMutablePointer<Float> {
        unsafe isSpliced ? splicer.input(channel) : stretcher.input(channel)
    }

    /// Says that what was asked for is there, in every channel.
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
