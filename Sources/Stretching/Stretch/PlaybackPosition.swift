// PlaybackPosition: the actual source position of a stretcher: the integral of the speed except around holds.

/// The place of a stretcher in the source at one step.
struct SourcePlace: BitwiseCopyable, Sendable {
    /// In source frames.
    var position = 0.0
    /// The nominal speed, which holds and the removal of their offsets leave out.
    var speed: Float = 1
}

/// The source position of a stretcher at every step of its grid, and the segment between two attacks that plays there.
///
/// The nominal position is the integral of the speed. During a hold, after a start and after each attack, the source
/// runs at its own speed instead. The resulting offset is removed evenly over the next tenth of a second or until the
/// next attack, so that every later frame is exactly on time. Positions are computed on a fixed grid of output frames,
/// in order, each once; block lengths cannot change the positions.
struct PlaybackPosition: BitwiseCopyable, Sendable {
    /// Number of steps kept. The bands' windows lie at most 90 steps apart.
    static let capacity = 256

    private(set) var curve = PositionCurve(position: 0, speed: 1)
    private(set) var landings = AttackLandings()
    private var shape = StretchShape(sampleRate: 44_100)
    private var sampleRate = 44_100
    /// The source frame heard first, and the position of the start's copy.
    private var firstFrame: Int64 = 0
    private(set) var start = AttackStart()
    /// The hold: the distance from its output frames to their source frames, and the output frame at the hold's end.
    private var holdShift: Int64 = 0
    private var holdEnd: Int64 = 0
    private var isReleased = false
    /// After the hold: the offset from the nominal position, the nominal position at the hold's end, and the range over
    /// which the offset is removed.
    private var debt = 0.0
    private var debtOrigin = 0.0
    private var debtRoom = 1.0
    /// The end of the computed steps.
    private(set) var end: Int64 = 0
    private var places: InlineArray<256, SourcePlace> = InlineArray(repeating: SourcePlace())
    private var segments: InlineArray<256, AttackSegment> = InlineArray(repeating: AttackSegment())

    /// In seconds of the source: too short to be heard as another tempo, long enough to change the speed by only three
    /// percent at 75 %, six at 50 %.
    private static let repaymentSeconds = 0.1
    /// Even shortly before the next attack, the source runs at no less than half and no more than one and a half times
    /// its speed.
    private static let shortestRoom = 2.0

    /// Starts again at a source frame.
    mutating func restart(
        at sourceFrame: Int64, speed: Double, shape: StretchShape, sampleRate: Int, attacks: AttackList
    ) {
        curve = PositionCurve(position: Double(sourceFrame), speed: speed)
        firstFrame = sourceFrame
        (self.shape, self.sampleRate) = (shape, sampleRate)
        end = 0
        begin(with: attacks)
    }

    private var gridFrames: Int64 { Int64(shape.gridFrames) }
    private var copiedFrames: Int64 { Int64(shape.copiedFrames) }
    /// Frames beyond a step for which the curve is read, to find a cut that lands before the step.
    private var lookAhead: Int64 { Int64(AttackTimes(sampleRate: sampleRate).longestLead) }

    /// Begins with these attacks, if no position has been computed yet.
    private mutating func begin(with attacks: AttackList) {
        start = AttackStart(attacks, at: firstFrame, curve: curve, copiedFrames: copiedFrames)
        let copied = copyFrame
        let copiedEnd = landings.restart(attacks, startFrame: copied, copiedFrames: copiedFrames)
        (holdShift, holdEnd) = (copied, max(Int64(shape.holdFrames), copiedEnd - copied))
        isReleased = false
        debt = 0
    }

    /// The source frame at which the copy of a start begins.
    var copyFrame: Int64 { firstFrame - start.leadFrames }

    /// Computes the positions up to and including a step.
    mutating func advance(through step: Int64) {
        while end <= step {
            let frame = end * gridFrames
            if frame > copiedFrames { land(at: frame) }
            segments[index(end)] = landings.segment
            places[index(end)] = SourcePlace(position: position(at: frame), speed: Float(curve.speed(at: frame)))
            end += 1
        }
    }

    /// Returns the place at a step, which must be among the last steps computed.
    @inline(__always)
    func place(atStep step: Int64) -> SourcePlace {
        precondition(step < end && step >= end - Int64(Self.capacity) && step >= 0)
        return places[index(step)]
    }

    /// Returns the position at a step, as ``place(atStep:)`` does.
    @inline(__always)
    func position(atStep step: Int64) -> Double { place(atStep: step).position }

    /// Returns the segment at a step, which must be among the last steps computed.
    ///
    /// The method is mutating because borrowing the structure would copy the array, 4 KB for one value.
    @inline(__always)
    mutating func segment(atStep step: Int64) -> AttackSegment {
        precondition(step < end && step >= end - Int64(Self.capacity) && step >= 0)
        return segments[index(step)]
    }

    /// Continues with another list of attacks; see ``AttackLandings/continueWith(_:)``.
    mutating func continueWith(_ attacks: AttackList) {
        guard end > 0 else { return begin(with: attacks) }
        let shift = landings.continueWith(attacks)
        guard shift != 0 else { return }
        for index in 0..<Self.capacity { segments[index].number += shift }
    }

    /// Drops landings whose copies end before an output frame.
    mutating func forgetLandings(before frame: Int64) { landings.forget(before: frame) }

    /// Changes the speed from an output frame on; the position at that frame must not be computed yet. Returns false if
    /// the curve is full.
    mutating func changeSpeed(at frame: Int64, to speed: Double, over frameCount: Int64) -> Bool {
        precondition(
            end == 0 || frame > (end - 1) * gridFrames + lookAhead, "The position there has been used already.")
        return curve.change(at: frame, to: speed, over: frameCount)
    }

    /// Frees space in the curve for later changes.
    mutating func forget(before frame: Int64) {
        // The nominal position is still needed at uncomputed steps, at the hold's end and at frames not yet emitted.
        curve.forget(before: min(frame, (end - 1) * gridFrames))
    }

    /// Begins a hold if a cut lands between the previous step and this frame.
    private mutating func land(at frame: Int64) {
        let earliest = max(copiedFrames, frame - gridFrames)
        guard let record = landings.advance(to: frame, after: earliest, curve: curve) else { return }
        holdShift = record.cut - landings.segment.landing
        holdEnd = record.whole - holdShift
        isReleased = false
    }

    private mutating func position(at frame: Int64) -> Double {
        guard frame > holdEnd else { return Double(frame + holdShift) }
        if !isReleased { release() }
        let nominal = curve.position(at: frame)
        return nominal + debt * max(0, 1 - (nominal - debtOrigin) / debtRoom)
    }

    /// Ends the hold: from here on the offset from the nominal position decreases.
    private mutating func release() {
        isReleased = true
        debtOrigin = curve.position(at: holdEnd)
        debt = Double(holdEnd + holdShift) - debtOrigin
        var room = Self.repaymentSeconds * Double(sampleRate)
        if let next = landings.next { room = min(room, Double(next.attack) - debtOrigin) }
        debtRoom = max(1, max(room, Self.shortestRoom * debt.magnitude))
    }

    @inline(__always)
    private func index(_ step: Int64) -> Int { Int(truncatingIfNeeded: step) & (Self.capacity - 1) }
}
