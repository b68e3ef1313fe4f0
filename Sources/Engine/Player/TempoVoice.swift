internal import Samples
internal import Stretching

/// A voice at another tempo: a stretcher and a splicer, which keep the clip's own pitch, and a tape, whose pitch
/// follows the tempo. Only one of the three plays at a time; in a pass of several passages, the stretcher and the
/// splicer take turns.
///
/// The voice requests its input, like `Stretcher`. Everything but the initialiser is real-time safe.
struct TempoVoice: ~Copyable {
    private var boxedStretcher: Boxed<Stretcher>
    private var stretcher: Stretcher {
        @inline(__always) _read { yield boxedStretcher.value }
        @inline(__always) _modify { yield &boxedStretcher.value }
    }
    private var splicer: Splicer
    private var tape: Tape
    private var playing = Playing.stretcher
    private var run = PassageRun()
    /// The old sound under a crossfade between two passages, and its length.
    private let old: PlanarBuffer
    private var fadeFrames: Int { old.frameCount }
    /// During such a crossfade: true if the stretcher requested input, false if the splicer did.
    private var isFeedingOld = false
    /// True if a stretcher has begun within the pass, and must get its attacks before any other work.
    private var isUntold = false

    enum Playing {
        case stretcher, splicer, tape
    }

    /// Allocates everything; control side only.
    init(channelCount: Int, sampleRate: Int, maximumEmitFrames: Int) {
        boxedStretcher = Boxed(
            Stretcher(channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: maximumEmitFrames))
        splicer = Splicer(channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: maximumEmitFrames)
        tape = Tape(channelCount: channelCount, maximumEmitFrames: maximumEmitFrames)
        old = PlanarBuffer(
            channelCount: channelCount,
            frameCount: min(maximumEmitFrames, sampleRate * PassageRun.fadeMilliseconds / 1000))
    }

    /// Maximum number of frames in a request.
    var maximumEmitFrames: Int { stretcher.maximumEmitFrames }

    /// Maximum number of frames needed before the first audible frame to produce the first frames. A splicer and a tape
    /// need fewer.
    var leadInFrames: Int { stretcher.leadInFrames }

    /// See `leadInFrames`.
    func aheadFrames(toEmit frameCount: Int, speed: Double) -> Int {
        stretcher.aheadFrames(toEmit: frameCount, speed: speed)
    }

    /// Lead, in frames before the next frame, with which a change of speed must be scheduled.
    var leadFrames: Int { playing == .tape ? 0 : stretcher.leadFrames }

    /// Returns the number of next frames for a single request: no piece goes beyond a change between passages.
    func piece(of frameCount: Int) -> Int { run.piece(of: min(frameCount, maximumEmitFrames)) }

    /// Starts anew and discards all previous state.
    ///
    /// - Parameters:
    ///   - planFrame: the start of the splicer, whatever `clipFrame` is: a plan deviates a little from the nominal
    ///     time, and must end with the pass.
    ///   - speed: for the stretcher; a list of splices has its own speeds, and frozen sound has none.
    mutating func start(at clipFrame: Int64, planFrame: Int64, speed: Double, by method: TempoMethod) {
        run.leave()
        isUntold = false
        switch method {
        case .passages(let list):
            run.begin(list, planFrame: planFrame, speed: speed)
            startPassage(at: clipFrame)
        case .bands(let bands):
            playing = .stretcher
            stretcher.start(at: clipFrame, speed: speed, bands: bands)
        case .frozen:
            playing = .stretcher
            stretcher.freeze(at: clipFrame)
        case .splices(let list):
            playing = .splicer
            splicer.start(atOutput: planFrame, list)
        case .tape:
            playing = .tape
            tape.start(at: clipFrame, speed: speed)
        }
    }

    /// Changes the speed from a frame of the voice on. A plan of splices ignores the change, because the plan contains
    /// all its speeds.
    mutating func changeSpeed(at frame: Int64, to speed: Double, over glideFrames: Int64) -> Bool {
        if run.isRunning {
            guard run.changeSpeed(at: frame, to: speed, over: glideFrames) else { return false }
            guard playing == .stretcher else { return true }
            let start = run.stretcherStart
            return stretcher.changeSpeed(atOutput: frame - start, to: speed, over: glideFrames)
        }
        return switch playing {
        case .stretcher: stretcher.changeSpeed(atOutput: frame, to: speed, over: glideFrames)
        case .splicer: true
        case .tape: tape.changeSpeed(at: frame, to: speed, over: glideFrames)
        }
    }

    /// Sets the attacks known from here on.
    ///
    /// - Parameter list: of the part of the recording around the voice; stays valid until the next call.
    mutating func setAttacks(_ list: AttackList) {
        if playing == .stretcher || run.isFading { stretcher.setAttacks(list) }
    }

    /// Returns the bands into which the stretcher splits its source.
    func stretcherBands() -> StretchBands { stretcher.bands }

    /// Returns true if the passage that plays, or fades out, needs attacks; nil in a pass without passages.
    func wantsAttacksInPassage() -> Bool? {
        guard let passage = run.passage else { return nil }
        // Splices use no attacks; under their crossfade is the stretcher.
        return passage.isSplices() ? run.isFading : passage.knowsAttacks
    }

    /// Returns the next frame of the clip, according to the tempo.
    func sourceFrame() -> Int64 {
        guard playing == .stretcher || run.isFading else { return 0 }
        return Int64(stretcher.sourcePosition(atOutput: stretcher.emittedFrames))
    }

    /// Does at most one piece of the work for the next `frameCount` frames.
    mutating func advance(toEmit frameCount: Int) -> Voice.Step {
        // An empty request: the caller sets the attacks after each request.
        if isUntold { return .needsInput(InputRequest(first: sourceFrame(), count: 0)) }
        if run.isFading { return advanceFade(toEmit: frameCount) }
        switch playing {
        case .stretcher: return advanceStretcher(toEmit: frameCount)
        case .splicer: return advanceSplicer(toEmit: frameCount)
        case .tape:
            guard let request = tape.nextInput(toEmit: frameCount) else { return .ready }
            return .needsInput(request)
        }
    }

    private mutating func advanceStretcher(toEmit frameCount: Int) -> Voice.Step {
        switch stretcher.advance(toEmit: frameCount) {
        case .ready: .ready
        case .ranStage: .worked
        case .needsInput(let request): .needsInput(request)
        }
    }

    private mutating func advanceSplicer(toEmit frameCount: Int) -> Voice.Step {
        splicer.nextInput(toEmit: frameCount).map { .needsInput($0) } ?? .ready
    }

    /// The source that requested input.
    private var feeding: Playing { run.isFading && isFeedingOld ? .stretcher : playing }

    /// Returns the memory for the requested part of a channel.
    func input(_ channel: Int) -> UnsafeMutablePointer<Float> {
        switch feeding {
        case .stretcher: unsafe stretcher.input(channel)
        case .splicer: unsafe splicer.input(channel)
        case .tape: unsafe tape.input(channel)
        }
    }

    /// Confirms that the requested part has been written in every channel.
    mutating func acceptInput() {
        if isUntold {
            isUntold = false
            return
        }
        switch feeding {
        case .stretcher: stretcher.acceptInput()
        case .splicer: splicer.acceptInput()
        case .tape: tape.acceptInput()
        }
    }

    /// Writes the next frames.
    mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int) {
        if run.isFading {
            unsafe emitFade(frameCount, into: output, offset: offset)
            return finishPiece(frameCount)
        }
        switch playing {
        case .stretcher: unsafe stretcher.emit(frameCount, into: output, offset: offset)
        case .splicer: unsafe splicer.emit(frameCount, into: output, offset: offset)
        case .tape: unsafe tape.emit(frameCount, into: output, offset: offset)
        }
        finishPiece(frameCount)
    }
}

// MARK: - Passages
//
// A pass in passages. Splices end at the nominal time with a copy of the clip, and a stretcher begins with a copy from
// the same frame on. So the vocoder takes over between two samples, without an audible seam. Splices take over at a
// soft place, in a crossfade, since the vocoder's phases are not the clip's.

extension TempoVoice {
    /// Starts the source of the current passage.
    ///
    /// - Parameter clipFrame: for the stretcher; splices have a frame of their own.
    private mutating func startPassage(at clipFrame: Int64) {
        guard let passage = run.passage else { return }
        switch passage.method {
        case .splices(let list):
            playing = .splicer
            splicer.start(atOutput: run.planFrame - passage.planFrame, list)
        case .bands(let bands): startStretcher(at: clipFrame, bands: bands)
        }
    }

    private mutating func startStretcher(at clipFrame: Int64, bands: StretchBands) {
        playing = .stretcher
        run.noteStretcherStart()
        stretcher.start(at: clipFrame, speed: run.speeds.speed(at: run.frame), bands: bands)
        tellSpeeds()
    }

    /// Counts emitted frames, and changes to the next passage at its start.
    private mutating func finishPiece(_ frameCount: Int) {
        guard run.emitted(frameCount), let passage = run.passage else { return }
        if playing == .stretcher && passage.isSplices() { run.fadeIn(over: fadeFrames) }
        startPassage(at: passage.clipFrame)
        isUntold = !passage.isSplices()
    }

    /// Schedules in the stretcher, which begins now, the rest of a glide and the later changes of speed of the voice.
    private mutating func tellSpeeds() {
        let now = run.frame
        for number in 0..<run.speeds.changeCount() {
            let (first, glide) = run.speeds.change(number: number)
            let end = first + Int64(glide.frameCount)
            if first > now { _ = stretcher.changeSpeed(atOutput: first - now, to: glide.initialSpeed, over: 0) }
            let start = max(first, now)
            if end > start {
                _ = stretcher.changeSpeed(atOutput: start - now, to: glide.finalSpeed, over: end - start)
            }
        }
    }

    /// Does at most one piece of the work for the next frames of a crossfade: the old sound's first.
    private mutating func advanceFade(toEmit frameCount: Int) -> Voice.Step {
        let step = advanceStretcher(toEmit: frameCount)
        isFeedingOld = step != .ready
        return isFeedingOld ? step : advanceSplicer(toEmit: frameCount)
    }

    /// Writes the next frames of a crossfade.
    private mutating func emitFade(
        _ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int
    ) {
        unsafe splicer.emit(frameCount, into: output, offset: offset)
        unsafe stretcher.emit(frameCount, into: UnsafePointer(old.channels), offset: 0)
        let first = fadeFrames - Int(run.fadeEnd - run.frame)
        for channel in 0..<old.channelCount {
            // Sound because both hold at least the frames of a piece, and a piece is no longer than the fade.
            let above = unsafe output[channel] + offset
            let below = unsafe old.channel(channel)
            for frame in 0..<frameCount {
                let weight = Fade.weight(at: first + frame, of: fadeFrames)
                unsafe above[frame] = below[frame] + (above[frame] - below[frame]) * weight
            }
        }
    }
}
