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
    /// Frames of one analysis window of the high band: the power of two nearest to 46 ms, 2048 at 44.1 and 48 kHz, at
    /// least 256.
    package let windowFrames: Int
    /// Output frames from one such window to the next, an eighth of a window.
    package let hopFrames: Int
    /// Frames of one input block, a quarter of ``windowFrames``.
    package let inputFrames: Int
    /// The largest frame count for ``nextInput(toEmit:)`` and ``emit(_:into:offset:)``.
    public let maximumEmitFrames: Int
    /// Output frames over which the work of a start is spread, 512 at 44.1 kHz. To prepare a stretcher ahead, request
    /// this many frames, a step at a time.
    private let startFrames: Int
    /// Minimum distance from the next emitted frame to the frame of a ``changeSpeed(atOutput:to:over:)``: 5504 frames
    /// at 44.1 kHz, half a window of the low band and the work done ahead of the window.
    public let leadFrames: Int

    /// The most source frames that a stretcher requests before the first frame heard, because they hold the sound that
    /// continues there: about 7400 at 44.1 kHz.
    package let leadInFrames: Int

    private let sampleRate: Int
    private let shape: StretchShape
    private var split: BandSplit
    private let inputs: FloatStorage
    /// One step of an attack being copied.
    private let attack: FloatStorage
    private var high: PairedBand
    private var middle: PairedBand
    private var lowBand: Boxed<VocoderBand>
    private var low: VocoderBand { @inline(__always) _read { yield lowBand.value } }
    private var position = PlaybackPosition()

    /// Source frames before the first frame heard that the long windows of a frozen sound need.
    private let frozenLead: Int

    /// Source frames around a sample of each band that determine the sample's value.
    private let bandContexts: InlineArray<3, Int>

    package private(set) var bands = StretchBands.three
    /// True if the stretcher stays where it started.
    private(set) var isFrozen = false
    /// Output frames emitted since the start.
    package private(set) var emittedFrames: Int64 = 0
    /// The current step of the schedule, and the end of the source that must be split for the step.
    private var step: Int64 = 0
    private var front: Int64?
    private var hasCopied = false

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
    ///   - speed: Source frames per output frame, ``slowest`` to ``fastest``. At 1 the output is the source to about
    ///     100 dB.
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
        begin(
            at: sourceFrame, speed: speed, bands: speed > Self.fastestInBands && bands == .three ? .one : bands,
            attacks: attacks)
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
            attacks: attacks.bands.isWhole == bands.isWhole ? attacks : .empty)
        // Before this step no short window has rotations.
        let firstDecision = high.short.schedule.startEnd + high.short.schedule.hopSteps
        high.restart(bands: bands, firstStep: firstDecision)
        middle.restart(bands: bands, firstStep: firstDecision)
        lowBand.value.restart(bands: bands)
        front = nil
        beginSource()
    }

    /// Splits the source anew from the first frame needed.
    private mutating func beginSource() {
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
        guard !isFrozen, bands.isWhole || speed <= Self.fastestInBands else { return false }
        return position.changeSpeed(at: frame, to: speed, over: frameCount)
    }
}

// Safe to send: a stretcher has one owner at a time and owns all its memory exclusively.
extension Stretcher: @unchecked Sendable {}

// MARK: - The work of a step
//
// The work at each step of the grid, and the source frames for the work. The work of a step depends on output frames
// only, not on the number of frames requested at once.

extension Stretcher {
    /// True if the current work waits for source frames.
    private var needsInput: Bool {
        if !hasCopied {
            return split.acceptedEnd < copyFrame + max(0, position.start.leadFrames) + Int64(shape.copiedFrames)
        }
        return split.dividedEnd < front ?? .min && split.dividedEnd == split.acceptedEnd
    }

    /// Does one piece of the step's work; returns nil if the step is complete.
    private mutating func runDueWork() -> Step? {
        // Computed no earlier: until work begins, speed changes are accepted for any frame.
        let front = front ?? frontOfSource(at: step)
        self.front = front
        if needsInput { return .needsInput(InputRequest(first: split.acceptedEnd, count: inputFrames)) }
        if !hasCopied {
            copyStart()
        } else if split.dividedEnd < front {
            split.split()
        } else if high.decisionStep <= step && changesHigh() || middle.decisionStep <= step && changesMiddle() {
            return .ranStage
        } else if high.short.isDue(at: step) {
            runHigh()
        } else if high.long.isDue(at: step) {
            runSteadyHigh()
        } else if bands == .three && middle.short.isDue(at: step) {
            runMiddle()
        } else if middle.long.isDue(at: step) {
            runSteadyMiddle()
        } else if bands == .three && low.isDue(at: step) {
            runLow()
        } else {
            return nil
        }
        return .ranStage
    }

    private mutating func runHigh() {
        let isOpening = high.short.nextStage == 0
        let step = high.short.middleStep
        let (source, place) = (segmentSource(atStep: step, .high), position.place(atStep: step))
        high.short.isNoise = position.landings.list.isNoise(at: Int64(place.position))
        high.short.voice.period = position.landings.list.voicePeriod(at: Int64(place.position))
        high.short.followsPartials = bands == .line || RotationField.hasLobeRule(at: place)
        high.short.runStage(split.high, place: place.position, source: source, interpolator: split.middleInterpolator)
        guard isOpening else { return }
        high.short.fillStart(
            split.high, from: shape.copiedFrames, start: copyFrame, interpolator: split.middleInterpolator)
    }

    private mutating func runSteadyHigh() {
        let step = high.long.middleStep
        let source = segmentSource(atStep: step, .high)
        high.long.runStage(
            split.high, place: position.position(atStep: step), source: source, interpolator: split.middleInterpolator)
    }

    private mutating func runMiddle() {
        let isOpening = middle.short.nextStage == 0
        let step = middle.short.middleStep
        let (source, place) = (segmentSource(atStep: step, .middle), position.place(atStep: step))
        middle.short.followsPartials = RotationField.hasLobeRule(at: place)
        middle.short.runStage(
            split.middle.samples, place: place.position, source: source, interpolator: split.middleInterpolator
        )
        guard isOpening else { return }
        middle.short.fillStart(split.middle.samples, from: 0, start: copyFrame, interpolator: split.middleInterpolator)
    }

    private mutating func runSteadyMiddle() {
        let step = middle.long.middleStep
        let source = segmentSource(atStep: step, .middle)
        middle.long.runStage(
            split.middle.samples, place: position.position(atStep: step), source: source,
            interpolator: split.middleInterpolator
        )
    }

    /// Decides whether the high band's other windows take over, and if so starts these windows.
    private mutating func changesHigh() -> Bool {
        let (solved, proposed) = (high.solvedStep, high.proposedStep)
        let (isSteady, reach) = (high.isSteady, high.long.schedule.reachFrames)
        guard staysInSegment(from: solved, to: proposed),
            changesWindows(of: .high, isSteady: isSteady, from: solved, to: proposed, reachFrames: reach)
        else {
            high.postpone()
            return false
        }
        let source = segmentSource(atStep: high.proposedStep, .high)
        high.change(
            split.high, source: source, interpolator: split.middleInterpolator, gridFrames: shape.gridFrames)
        return true
    }

    private mutating func changesMiddle() -> Bool {
        let (solved, proposed) = (middle.solvedStep, middle.proposedStep)
        let (isSteady, reach) = (middle.isSteady, middle.long.schedule.reachFrames)
        guard staysInSegment(from: solved, to: proposed),
            changesWindows(of: .middle, isSteady: isSteady, from: solved, to: proposed, reachFrames: reach)
        else {
            middle.postpone()
            return false
        }
        let source = segmentSource(atStep: middle.proposedStep, .middle)
        middle.change(
            split.middle.samples, source: source, interpolator: split.middleInterpolator, gridFrames: shape.gridFrames)
        return true
    }

    /// True if rotations are known and no attack lands between the latest known rotations and a change.
    private mutating func staysInSegment(from solved: Int64, to proposed: Int64) -> Bool {
        guard solved >= 0 else { return false }
        return position.segment(atStep: solved).landing == position.segment(atStep: proposed).landing
    }

    /// True if a band's other windows should take over and can: the source of the longest window at the change must be
    /// known.
    ///
    /// The parameters are numbers, because passing a band would copy the band.
    private mutating func changesWindows(
        of band: StretchBand, isSteady: Bool, from solved: Int64, to proposed: Int64, reachFrames: Int
    ) -> Bool {
        let place = position.position(atStep: proposed)
        guard prefersLongWindows(band, at: Int64(place)) != isSteady, solved >= 0 else { return false }
        let oldest =
            min(position.position(atStep: solved), place - Double((proposed - solved) * Int64(shape.gridFrames)))
            - Double(reachFrames)
        return oldest >= Double(split.firstFrame + Int64(context(of: band)))
    }

    /// True if a change is due for decision now and the other windows suit the sound there.
    private mutating func wantsChange(of band: StretchBand, isSteady: Bool, from decision: Int64, to proposed: Int64)
        -> Bool
    {
        guard decision <= step else { return false }
        return prefersLongWindows(band, at: Int64(position.position(atStep: proposed))) != isSteady
    }

    /// True if long windows suit a band's sound at a source frame. Normally this is a steady sound. In a frozen sound,
    /// which no longer moves, long windows suit everything except noise made anew, which needs short windows.
    private mutating func prefersLongWindows(_ band: StretchBand, at frame: Int64) -> Bool {
        let list = position.landings.list
        return isFrozen ? band != .high || !list.isNoise(at: frame) : list.isSteady(band, at: frame)
    }

    private mutating func runLow() {
        let isOpening = low.nextStage == 0
        let step = low.middleStep
        let source = segmentSource(atStep: step, .low)
        lowBand.value.runStage(
            split.low.samples, place: position.position(atStep: step), source: source,
            interpolator: split.lowInterpolator)
        guard isOpening else { return }
        low.fillStart(split.low.samples, from: 0, start: copyFrame, interpolator: split.lowInterpolator)
    }

    private mutating func finishStep() {
        if step >= Int64(shape.copiedSteps) {
            if bands == .three { mixBands() }
            addAttacks(from: step * Int64(shape.gridFrames))
        }
        step += 1
        front = nil
    }

    /// The source frame at which the copy of the start begins.
    private var copyFrame: Int64 { position.copyFrame }

    /// Copies the first frames of the output from the source.
    private mutating func copyStart() {
        for channel in 0..<channelCount {
            for index in stride(from: 0, to: shape.copiedFrames, by: Lanes.scalarCount) {
                let source = split.source.run(
                    channel: channel, from: copyFrame + Int64(index), count: Lanes.scalarCount)
                high.short.output.write(source[lanes: 0], channel: channel, at: Int64(index))
            }
            crossOverAtStart(channel)
        }
        hasCopied = true
    }

    /// Begins with the first frame of the source, where the copy comes from elsewhere; see ``AttackStart``.
    private func crossOverAtStart(_ channel: Int) {
        let length = position.start.fadeFrames
        for index in stride(from: 0, to: length, by: Lanes.scalarCount) {
            let first = copyFrame + position.start.leadFrames + index
            let heard = split.source.run(channel: channel, from: first, count: Lanes.scalarCount)[lanes: 0]
            var copy = high.short.output.run(channel: channel, from: index, count: Lanes.scalarCount)[lanes: 0]
            for lane in 0..<Lanes.scalarCount where index + Int64(lane) < length {
                let share = AttackTimes.smooth(Float(index + Int64(lane)) / Float(length))
                copy[lane] = heard[lane] + share * (copy[lane] - heard[lane])
            }
            high.short.output.write(copy, channel: channel, at: index)
        }
    }

    /// Adds the step's frames of all tracks to the output of the high band's short windows, which collects the whole
    /// output.
    ///
    /// The method is mutating, and its helpers receive only their inputs: a function that borrows the whole stretcher
    /// copies all unboxed state, at every step.
    private mutating func mixBands() {
        let first = step * Int64(shape.gridFrames)
        let frames = first..<first + Int64(shape.gridFrames)
        if !high.hearsShort(at: step) { Self.silence(high.short.output, frames) }
        if high.hearsLong(at: step) { Self.add(high.long.output, to: high.short.output, frames) }
        let factor = split.middleInterpolator.factor
        if middle.hearsShort(at: step) {
            Self.add(middle.short.output, split.middleInterpolator, to: high.short.output, frames, runFrames: factor)
        }
        if middle.hearsLong(at: step) {
            Self.add(middle.long.output, split.middleInterpolator, to: high.short.output, frames, runFrames: factor)
        }
        // Runs as long as a sample of the middle band, which is half a sample of the low band.
        Self.add(low.output, split.lowInterpolator, to: high.short.output, frames, runFrames: factor)
    }

    /// Silences the short windows' output where the short windows are not heard: its contents there are meaningless.
    private static func silence(_ output: borrowing SampleRing, _ frames: Range<Int64>) {
        for channel in 0..<output.channelCount {
            for frame in stride(from: frames.lowerBound, to: frames.upperBound, by: Lanes.scalarCount) {
                output.write(Lanes(), channel: channel, at: frame)
            }
        }
    }

    private static func add(_ track: borrowing SampleRing, to output: borrowing SampleRing, _ frames: Range<Int64>) {
        for channel in 0..<output.channelCount {
            let samples = track.run(channel: channel, from: frames.lowerBound, count: frames.count)
            for index in stride(from: 0, to: frames.count, by: Lanes.scalarCount) {
                output.add(samples[lanes: index], channel: channel, at: frames.lowerBound &+ Int64(index))
            }
        }
    }

    /// Adds the frames of a decimated band, interpolated in runs that divide the interpolator's factor.
    private static func add(
        _ track: borrowing SampleRing, _ interpolator: borrowing BandInterpolator, to output: borrowing SampleRing,
        _ frames: Range<Int64>, runFrames: Int
    ) {
        let factor = Int64(interpolator.factor)
        let sampleCount = frames.count / interpolator.factor + 1 + BandInterpolator.sampleCount
        for channel in 0..<output.channelCount {
            if runFrames >= Lanes.scalarCount, sampleCount <= track.runCount {
                let index = frames.lowerBound / factor
                let samples = track.run(
                    channel: channel, from: index - Int64(BandShape.reach - 1), count: sampleCount)
                output.add(
                    samples, interpolator, from: Int(frames.lowerBound - index * factor), count: frames.count,
                    channel: channel, at: frames.lowerBound)
                continue
            }
            for frame in stride(from: frames.lowerBound, to: frames.upperBound, by: runFrames) {
                let index = frame / factor
                let offset = Int(frame - index * factor)
                let samples = track.run(
                    channel: channel, from: index - Int64(BandShape.reach - 1), count: BandInterpolator.sampleCount)
                if runFrames >= Lanes.scalarCount {
                    for place in stride(from: 0, to: runFrames, by: Lanes.scalarCount) {
                        output.add(
                            interpolator.lanes(samples, frame: offset + place), channel: channel,
                            at: frame &+ Int64(place))
                    }
                } else {
                    for place in 0..<runFrames {
                        output.add(
                            interpolator.value(samples, frame: offset + place), channel: channel,
                            at: frame &+ Int64(place))
                    }
                }
            }
        }
    }

    /// Returns the source frame up to which the source must be split for the stages of a step.
    ///
    /// During the first steps of a start this range is divided into parts, and no stage runs. The parts are equal
    /// except for the smaller first part: the first step also copies the first frames, and its code and tables are not
    /// in the caches yet.
    private mutating func frontOfSource(at step: Int64) -> Int64 {
        let last = max(step, Int64(shape.copiedSteps))
        var end = newestNeeded(high.short.schedule, .high, at: last)
        if bands == .three {
            end = max(end, newestNeeded(middle.short.schedule, .middle, at: last))
            end = max(end, newestNeeded(low.schedule, .low, at: last))
            // The long windows' filters look farther ahead than the low band's. When long windows take over, they read
            // at the place of the latest solved short window, which a slow or frozen sound has hardly left.
            let (highDecision, highChange) = (high.decisionStep, high.proposedStep)
            let isHighSteady = high.isSteady
            if high.long.isPlaying
                || wantsChange(of: .high, isSteady: isHighSteady, from: highDecision, to: highChange)
            {
                end = max(end, newestNeeded(high.long.schedule, .high, at: last))
            }
            let (middleDecision, middleChange) = (middle.decisionStep, middle.proposedStep)
            let isMiddleSteady = middle.isSteady
            if middle.long.isPlaying
                || wantsChange(of: .middle, isSteady: isMiddleSteady, from: middleDecision, to: middleChange)
            {
                end = max(end, newestNeeded(middle.long.schedule, .middle, at: last))
            }
        }
        let (parts, first) = (Int64(shape.splitSteps), split.dividedEnd)
        guard step < parts else { return end }
        return first + (end - first) / (step == 0 ? parts + 1 : parts - step)
    }

    private mutating func newestNeeded(_ schedule: BandSchedule, _ band: StretchBand, at step: Int64) -> Int64 {
        let middle = schedule.reach(ofStep: step)
        position.advance(through: middle)
        return Int64(position.position(atStep: middle)) + Int64(schedule.reachFrames + context(of: band))
    }

    /// Returns the first source frame that any band needs: a band compares its second window with the source a hop
    /// earlier.
    private func firstNeeded() -> Int64 {
        var first = oldestNeeded(high.short.schedule, .high)
        if bands == .three {
            first = min(first, oldestNeeded(middle.short.schedule, .middle))
            first = min(first, oldestNeeded(low.schedule, .low))
            if isFrozen { first = min(first, copyFrame - Int64(frozenLead)) }
        }
        return first
    }

    private func oldestNeeded(_ schedule: BandSchedule, _ band: StretchBand) -> Int64 {
        let hopFrames = schedule.hopSteps * Int64(shape.gridFrames)
        let middle = copyFrame + schedule.firstWindow * hopFrames
        return middle - hopFrames - Int64(schedule.reachFrames + context(of: band))
    }

    /// Returns the source frames around a sample that determine the sample's value.
    private func context(of band: StretchBand) -> Int { bands.isWhole ? 0 : bandContexts[band.rawValue] }
}

// MARK: - Attacks
//
// The part of the source that each band plays at a step, and the copied attacks added to the step.

extension Stretcher {
    /// Continues with another list of attacks.
    ///
    /// During long playback, call this method from time to time with the attacks around the current position. A list
    /// must hold the same records as the previous list wherever the stretcher still reads: from a quarter of a second
    /// before its position to ``leadFrames`` output frames ahead. Where records are missing, the stretcher plays
    /// without attacks.
    /// - Parameter list: A list for the same source and bands; the list's memory must last until the next call or the
    ///   next start.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func setAttacks(_ list: AttackList) {
        let fitting = list.bands.isWhole == bands.isWhole ? list : .empty
        guard !fitting.isSame(as: position.landings.list) else { return }
        let copyFrame = position.copyFrame
        position.continueWith(fitting)
        // The copy moves only before any work, when no source has been requested yet.
        if position.copyFrame != copyFrame { beginSource() }
    }

    /// Returns the source that a band plays at a step.
    private mutating func segmentSource(atStep step: Int64, _ band: StretchBand) -> VocoderBand.SegmentSource {
        let (segment, list) = (position.segment(atStep: step), position.landings.list)
        return switch band {
        case .low: low.segmentSource(segment, of: list, band: band)
        case .middle: middle.short.segmentSource(segment, of: list, band: band)
        case .high: high.short.segmentSource(segment, of: list, band: band)
        }
    }

    /// Adds the attacks copied within a step to its frames.
    private mutating func addAttacks(from frame: Int64) {
        position.forgetLandings(before: frame)
        for index in 0..<position.landings.count {
            let landing = position.landings.pending(index)
            let snippet = position.landings.list[landing.record].snippet
            let from = frame - landing.frame
            guard snippet.first < from + Int64(attack.view.count), snippet.end > from else { continue }
            for channel in 0..<channelCount {
                snippet.read(channel: channel, from: from, into: attack.view)
                for place in stride(from: 0, to: attack.view.count, by: Lanes.scalarCount) {
                    high.short.output.add(attack.view[lanes: place], channel: channel, at: frame &+ Int64(place))
                }
            }
        }
    }
}
