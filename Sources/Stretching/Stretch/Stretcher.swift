// Stretcher: plays sound at another speed without a change of pitch.
//
// The source is split on the fly into three bands (BandSplit). Each band is a phase vocoder with windows of its own
// length (VocoderBand), and a schedule on a fixed grid of output frames determines the time of each piece of work.
// Reading files and joining sections are the caller's part: the caller supplies samples and crossfades the output of
// several stretchers. Below 0.5 the sound turns soft, below 0.25 blurred. Latency: none; the first frame out is the
// first frame in.
internal import Samples

/// A time stretcher, in pull style.
///
/// Call ``nextInput(toEmit:)`` until it returns `nil`, and supply the requested source frames each time; then call
/// ``emit(_:into:offset:)``:
///
///     stretcher.start(at: 44_100, speed: 0.75)
///     while let request = stretcher.nextInput(toEmit: 64) {
///         // write the requested source frames to stretcher.input(channel), zeros outside the source
///         stretcher.acceptInput()
///     }
///     stretcher.emit(64, into: channels, offset: 0)
///
/// Requests are contiguous: each source frame is requested once. The output depends only on the source, the start and
/// the speeds, not on the sizes of the requests. There is no delay: output frame `m` sounds like the source frame
/// ``sourcePosition(atOutput:)``. Only in the first tenth of a second the sound may be some milliseconds off: a
/// stretcher begins with 12 ms of the source at its own speed. Without a list of attacks, attacks are stretched like
/// all other sound; a player of the engine finds attacks beforehand and plays them unchanged. Source samples that are
/// not finite, or beyond ±2^20, count as silence.
@safe
public struct Stretcher: ~Copyable {
    /// The slowest speed. The range to ``fastest`` allows speeds from a quarter to four times, combined with two
    /// octaves up and down.
    ///
    /// Speeds below 0.25 and above 4 are good enough as part of a change of pitch, not as a change of tempo.
    public static let slowest = 0.0625
    /// See ``slowest``.
    public static let fastest = 16.0
    /// The fastest speed with three bands, which bounds how much of the source a stretcher holds; see
    /// ``start(at:speed:bands:)``.
    public static let fastestInBands = 4.0

    /// Number of channels, 1 to 64. All channels rotate by the same angles, so the stereo image stays.
    public let channelCount: Int
    /// Frames of one analysis window of the high band: the power of two nearest to 46 ms, 2048 at 44.1 and 48 kHz, at least
    /// 256.
    package let windowFrames: Int
    /// Output frames from one such window to the next, an eighth of a window.
    package let hopFrames: Int
    /// Frames of one input block, a quarter of ``windowFrames``.
    package let inputFrames: Int
    /// The largest frame count for ``nextInput(toEmit:)`` and ``emit(_:into:offset:)``.
    public let maximumEmitFrames: Int
    /// Output frames over which the work of a start is spread, 512 at 44.1 kHz. To prepare a stretcher ahead, request
    /// this many frames, a step at a time.
    let startFrames: Int
    /// Minimum distance from the next emitted frame to the frame of a ``changeSpeed(atOutput:to:over:)``: 5504 frames
    /// at 44.1 kHz, half a window of the low band and the work done ahead of the window.
    public let leadFrames: Int

    /// The most source frames that a stretcher requests before the first frame heard, because they hold the sound that
    /// continues there: about 7400 at 44.1 kHz.
    package let leadInFrames: Int

    let sampleRate: Int
    let shape: StretchShape
    var split: BandSplit
    let inputs: FloatStorage
    /// One step of an attack being copied.
    let attack: FloatStorage
    var high: PairedBand
    var middle: PairedBand
    var lowBand: Boxed<VocoderBand>
    var low: VocoderBand { @inline(__always) _read { yield lowBand.value } }
    var position = PlaybackPosition()

    /// Source frames before the first frame heard that the long windows of a frozen sound need.
    let frozenLead: Int

    /// Source frames around a sample of each band that determine the sample's value.
    let bandContexts: InlineArray<3, Int>

    private(set) var bands = StretchBands.three
    /// True if the stretcher stays where it started.
    private(set) var isFrozen = false
    /// Output frames emitted since the start.
    package private(set) var emittedFrames: Int64 = 0
    /// The current step of the schedule, and the end of the source that must be split for the step.
    var step: Int64 = 0
    var front: Int64?
    var hasCopied = false

    /// Allocates all memory; call ``start(at:speed:bands:)`` before anything else.
    ///
    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 8000 to 768000 Hz; scales the window by powers of two.
    ///   - maximumEmitFrames: The largest count of frames emitted at once, 1 to 65536.
    ///
    /// Real-time safe: no. A stereo stretcher at 44.1 kHz holds about two megabytes.
    public init(channelCount: Int, sampleRate: Int, maximumEmitFrames: Int = 8192) {
        precondition((1...64).contains(channelCount), "A stretcher takes 1 to 64 channels.")
        precondition((8000...768_000).contains(sampleRate), "A stretcher takes rates of 8000 to 768000 Hz.")
        precondition((1...65536).contains(maximumEmitFrames), "A stretcher emits 1 to 65536 frames at once.")
        let shape = StretchShape(sampleRate: sampleRate)
        self.channelCount = channelCount
        self.sampleRate = sampleRate
        self.shape = shape
        windowFrames = shape.windowFrames
        hopFrames = shape.hopFrames
        startFrames = shape.holdFrames
        self.maximumEmitFrames = max(maximumEmitFrames, shape.holdFrames)
        let factor = shape.windowFrames / 256
        let emitFrames = self.maximumEmitFrames
        let windows = WindowShapes.windows(of: shape)
        func band(_ forms: WindowForms, stageCount: Int64 = 4, makesNoise: Bool = false) -> VocoderBand {
            VocoderBand(
                channelCount: channelCount, shape: shape, forms: forms, stageCount: stageCount,
                emitFrames: emitFrames, makesNoise: makesNoise)
        }
        let low = band(windows.low)
        let reach = low.schedule.reach(ofStep: 0)
        high = PairedBand(
            short: band(windows.high, makesNoise: true), long: band(windows.steadyHigh, stageCount: 8), reach: reach)
        middle = PairedBand(
            short: band(windows.middle), long: band(windows.steadyMiddle, stageCount: 8), reach: reach)
        leadFrames =
            Int(low.schedule.reach(ofStep: Int64(shape.holdSteps))) * shape.gridFrames
            + AttackTimes(sampleRate: sampleRate).longestLead
        // From the oldest frame read by the high band to the newest frame needed by the low band, at the fastest speed.
        let spread = Int(Self.fastestInBands) * (leadFrames - 2 * shape.hopFrames)
        // A start accepts everything before its first frame before the first split.
        split = BandSplit(
            channelCount: channelCount, sampleRate: sampleRate, acceptedFrames: 6 * shape.windowFrames,
            keptFrames: spread + 7 * shape.windowFrames, runFrames: shape.steadyFrames,
            runSamples: shape.steadyFrames / factor + BandInterpolator.sampleCount)
        let division = split.shape
        bandContexts = [
            division.contextFrames(of: .low), division.contextFrames(of: .middle), division.contextFrames(of: .high),
        ]
        inputFrames = split.blockFrames
        // The first long window is compared with an earlier source frame; the distance is the age of the rotations
        // taken over.
        frozenLead =
            Int(high.decisionLead) * shape.gridFrames
            + max(high.long.schedule.reachFrames, middle.long.schedule.reachFrames) + division.contextFrames(of: .high)
        let startLead =
            low.hop * low.factor + low.schedule.reachFrames + division.contextFrames(of: .low)
            + Int(AttackStart.longestLead) * shape.copiedFrames
        leadInFrames = max(startLead, frozenLead) + split.blockFrames
        lowBand = Boxed(low)
        inputs = FloatStorage(count: channelCount * split.blockFrames)
        attack = FloatStorage(count: shape.gridFrames)
    }

    /// Starts at a place in the source and discards the previous state.
    ///
    /// - Parameters:
    ///   - sourceFrame: The source frame heard first, within ±2^52.
    ///   - speed: Source frames per output frame, ``slowest`` to ``fastest``. At 1 the output is the source to about 100 dB.
    ///   - bands: Number of bands into which the source is split; above ``fastestInBands`` always one band.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func start(at sourceFrame: Int64, speed: Double, bands: StretchBands = .three) {
        start(at: sourceFrame, speed: speed, bands: bands, attacks: .empty)
    }

    /// Starts as ``start(at:speed:bands:)`` does, with the known attacks of the source.
    ///
    /// - Parameters:
    ///   - sourceFrame: The source frame heard first, within ±2^52.
    ///   - speed: Source frames per output frame, ``slowest`` to ``fastest``.
    ///   - bands: Number of bands into which the source is split.
    ///   - attacks: The attacks to copy instead of stretch, made for this source and these bands; a list made for other
    ///     bands is ignored. The list's memory must last until the next start.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func start(
        at sourceFrame: Int64, speed: Double, bands: StretchBands = .three, attacks: AttackList
    ) {
        precondition(speed >= Self.slowest && speed <= Self.fastest, "A stretcher takes speeds of 1/16 to 16.")
        begin(at: sourceFrame, speed: speed, bands: speed > Self.fastestInBands ? .one : bands, attacks: attacks)
    }

    /// Starts at a place in the source and stays there: the sound is constant from 12 ms after the start.
    ///
    /// A frozen stretcher always uses three bands and the long windows, which hold every partial at its own frequency.
    /// Noise above the upper crossover is made anew where ``AttackList`` reports nothing but noise. Attacks of the list
    /// are not repeated: the frozen sound is the sound of the segment between two attacks.
    /// - Parameters:
    ///   - sourceFrame: The source frame heard first, within ±2^52.
    ///   - attacks: As for ``start(at:speed:bands:attacks:)``.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func freeze(at sourceFrame: Int64, attacks: AttackList = .empty) {
        begin(at: sourceFrame, speed: 0, bands: .three, attacks: attacks)
    }

    private mutating func begin(at sourceFrame: Int64, speed: Double, bands: StretchBands, attacks: AttackList) {
        precondition(sourceFrame >= -(1 << 52) && sourceFrame <= 1 << 52, "A source has at most 2^52 frames.")
        self.bands = bands
        isFrozen = speed == 0
        emittedFrames = 0
        step = 0
        hasCopied = false
        position.restart(
            at: sourceFrame, speed: speed, shape: shape, sampleRate: sampleRate,
            attacks: attacks.bands == bands ? attacks : .empty)
        // Before this step no short window has rotations.
        let firstDecision = high.short.schedule.startEnd + high.short.schedule.hopSteps
        high.restart(bands: bands, firstStep: firstDecision)
        middle.restart(bands: bands, firstStep: firstDecision)
        lowBand.value.restart(bands: bands)
        front = nil
        beginSource()
    }

    /// Splits the source anew from the first frame needed.
    mutating func beginSource() {
        // Floor division by a power of two.
        split.restart(at: firstNeeded() & ~Int64(split.blockFrames - 1), bands: bands)
    }

    /// Runs the due work, and returns the input needed for the rest.
    ///
    /// Call the method until it returns `nil`. Calls are permitted ahead of time, with any count and without emitting.
    /// - Parameter frameCount: Frames to emit next, 0 to ``maximumEmitFrames``.
    /// - Returns: The source frames to write to ``input(_:)``, or `nil` when everything is ready.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func nextInput(toEmit frameCount: Int) -> InputRequest? {
        while true {
            switch advance(toEmit: frameCount) {
            case .ready: return nil
            case .ranStage: continue
            case .needsInput(let request): return request
            }
        }
    }

    /// The result of one step towards an emission.
    package enum Step: Sendable, Equatable {
        /// No more work is due.
        case ready
        /// One piece of work was done; more may be due.
        case ranStage
        /// The stretcher needs these source frames.
        case needsInput(InputRequest)
    }

    /// Does at most one piece of work; use this method to spread the next stretcher's start over the blocks before the
    /// start.
    ///
    /// A piece is splitting one block of the source, or one stage of a window: the transform of the window, the
    /// transform of the window a hop earlier, the choice of the rotations, or the synthesis. A start takes some ninety
    /// pieces, and every 64 frames afterwards one or two.
    /// - Parameter frameCount: Frames to emit next, 0 to ``maximumEmitFrames``.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func advance(toEmit frameCount: Int) -> Step {
        precondition(frameCount >= 0 && frameCount <= maximumEmitFrames, "More frames than the stretcher was made for.")
        while step * Int64(shape.gridFrames) < emittedFrames + Int64(frameCount) {
            if let done = runDueWork() { return done }
            finishStep()
        }
        return .ready
    }

    /// Returns the memory for the source frames of one channel that ``nextInput(toEmit:)`` requested.
    ///
    /// The address stays the same for the stretcher's lifetime.
    /// - Parameter channel: From 0.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public func input(_ channel: Int) -> UnsafeMutablePointer<Float> {
        precondition(channel >= 0 && channel < channelCount, "No such channel.")
        return unsafe inputs.view.base + channel * inputFrames
    }

    /// Confirms that every channel's ``input(_:)`` holds the frames last requested.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func acceptInput() {
        precondition(needsInput, "Input was handed in that nobody had asked for.")
        split.accept(inputs.view)
    }

    /// Returns the most source frames, from the first frame heard on, that a stretcher requests for its first frames;
    /// before the first frame the stretcher requests ``leadInFrames``.
    ///
    /// - Parameters:
    ///   - frameCount: 0 to ``maximumEmitFrames``.
    ///   - speed: Source frames per output frame, constant or decreasing.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func aheadFrames(toEmit frameCount: Int, speed: Double) -> Int {
        // The low band reads furthest, and no window is made before the end of the copied frames.
        let steps = max(Int64((frameCount + shape.gridFrames - 1) / shape.gridFrames), Int64(shape.copiedSteps))
        let outputs = Double(low.schedule.reach(ofStep: steps) * Int64(shape.gridFrames))
        // A slow stretcher starts at the source's own speed and makes up for the difference later.
        let held = Int(Double(startFrames) * max(0, 1 - speed)) + 1
        // The long windows reach as far as the low band's windows, and the filters of the high band reach farther.
        return Int(outputs * speed) + 1 + held + low.schedule.reachFrames + bandContexts[2] + split.blockFrames
    }

    /// Writes the next frames to `output` and overwrites its contents.
    ///
    /// - Parameters:
    ///   - frameCount: 0 to ``maximumEmitFrames``; ``nextInput(toEmit:)`` must have returned `nil` for this count.
    ///   - output: One pointer per channel.
    ///   - offset: The index of the first frame in each channel.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func emit(_ frameCount: Int, into output: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int) {
        precondition(frameCount >= 0 && frameCount <= maximumEmitFrames, "More frames than the stretcher was made for.")
        precondition(
            step * Int64(shape.gridFrames) >= emittedFrames + Int64(frameCount),
            "Frames were emitted before they were made.")
        for channel in 0..<channelCount {
            unsafe high.short.output.copy(
                channel: channel, from: emittedFrames, count: frameCount, to: output[channel] + offset)
        }
        emittedFrames += Int64(frameCount)
        position.forget(before: emittedFrames)
    }

    /// Returns the source frame heard at an output frame: the exact integral of the speed, without drift.
    ///
    /// - Parameter m: Output frames since the start, not before the last frame emitted.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public func sourcePosition(atOutput m: Int64) -> Double { position.curve.position(at: m) }

    /// Changes to another speed from an output frame on, without an audible seam.
    ///
    /// Call the method before the windows that reach the frame are made, and in the order of the frames.
    /// - Parameters:
    ///   - frame: Output frames since the start: at least the frames emitted so far plus ``leadFrames``, or any frame
    ///     if nothing has been requested since the start. At or after the last change.
    ///   - speed: Source frames per output frame, ``slowest`` to ``fastest``.
    ///   - frameCount: Output frames of a linear glide to that speed; 0 is a step.
    /// - Returns: False, without any change, if more changes lie ahead than can be held, 32, if the speed is above the
    ///   limit of three bands, ``fastestInBands``, or if the stretcher is frozen.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    public mutating func changeSpeed(atOutput frame: Int64, to speed: Double, over frameCount: Int64) -> Bool {
        precondition(speed >= Self.slowest && speed <= Self.fastest, "A stretcher takes speeds of 1/16 to 16.")
        precondition(
            frame >= emittedFrames + Int64(leadFrames) || frame >= 0 && position.end == 0,
            "A change of speed came too late.")
        guard !isFrozen, bands == .one || speed <= Self.fastestInBands else { return false }
        return position.changeSpeed(at: frame, to: speed, over: frameCount)
    }
}

// Safe to send: a stretcher has one owner at a time and owns all its memory exclusively.
extension Stretcher: @unchecked Sendable {}
