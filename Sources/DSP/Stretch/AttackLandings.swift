// AttackLandings: at which output frames one segment of a stretched sound gives way to the next. It reads the position curve
// and the cuts of an AttackList, and knows nothing of samples.

/// The segment between two attacks that a grid step belongs to: the number of cuts that lie behind it, and the output frame
/// where the last landed.
struct AttackSegment: BitwiseCopyable, Sendable {
    /// The segment lies between the records `number - 1` and `number` of the list.
    var number = 0
    /// The output frame at which the segment began; meaningless for the segment of a start.
    var landing: Int64 = 0
}

/// The landings of attacks, found step by step as positions are computed.
///
/// An attack lands on the output frame where the nominal position is its own, to the nearest frame; its cut lands as many
/// frames earlier as it lies before the attack. Those whose cut lies in what a start copies land by the copy.
struct AttackLandings: BitwiseCopyable, Sendable {
    /// Where a record's cut lands, for copying its snippet.
    struct Landing: BitwiseCopyable, Sendable {
        var record = 0
        var frame: Int64 = 0
    }

    private(set) var list = AttackList.empty
    private(set) var segment = AttackSegment()
    /// Cuts up to this source frame lie behind the segment.
    private var passedFrame: Int64 = 0
    /// The landings that still have to be heard: a ring. At most one is added each step.
    private var landings = InlineArray<64, Landing>(repeating: Landing())
    private var first = 0
    private(set) var count = 0

    private static let capacity = 64

    /// Begins anew.
    ///
    /// - Parameters:
    ///   - list: For the source that is played, or empty.
    ///   - startFrame: The source frame heard first.
    ///   - copiedFrames: Output frames that are copied from there.
    /// - Returns: The source frame before which the source must keep its own speed, because an attack is being copied.
    mutating func restart(_ list: AttackList, startFrame: Int64, copiedFrames: Int64) -> Int64 {
        self.list = list
        (first, count) = (0, 0)
        passedFrame = startFrame + copiedFrames
        segment = AttackSegment(number: list.countOfCuts(through: passedFrame), landing: 0)
        guard segment.number > 0 else { return startFrame }
        // Earlier ones are over, or were cut short by this one.
        let record = list[segment.number - 1]
        if record.whole > startFrame { push(Landing(record: segment.number - 1, frame: record.cut - startFrame)) }
        return record.whole
    }

    /// Goes on with another list, which holds the same records wherever the stretcher still looks, and others beyond.
    ///
    /// - Returns: By how much a record's place in the new list exceeds that in the old.
    mutating func continueWith(_ new: AttackList) -> Int {
        let shift = new.countOfCuts(through: passedFrame) - segment.number
        list = new
        segment.number += shift
        // What is not known any more is not copied any more.
        let pendingCount = count
        count = 0
        for index in 0..<pendingCount {
            var landing = pending(index)
            landing.record += shift
            if landing.record >= 0 && landing.record < new.count {
                landings[(first + count) & (Self.capacity - 1)] = landing
                count += 1
            }
        }
        return shift
    }

    /// The record whose cut lands next, if there is any.
    @inline(__always)
    var next: AttackRecord? {
        segment.number >= 0 && segment.number < list.count ? list[segment.number] : nil
    }

    /// Lets the next cut land if it does so at or before an output frame and after `earliest`.
    ///
    /// Of several in one step, which only speeds far above 1 and onsets a few milliseconds apart can bring about, the last
    /// is heard.
    /// - Returns: The record that has landed, at ``segment``'s landing.
    mutating func advance(to frame: Int64, after earliest: Int64, curve: borrowing PositionCurve) -> AttackRecord? {
        var landed: AttackRecord?
        while let record = next {
            let lead = record.attack - record.cut
            guard curve.position(at: frame + lead) >= Double(record.attack) - 0.5 else { break }
            let found = Self.frame(of: record.attack, before: frame + lead, curve: curve) - lead
            segment = AttackSegment(number: segment.number + 1, landing: max(earliest + 1, min(found, frame)))
            passedFrame = record.cut
            landed = record
        }
        if landed != nil { push(Landing(record: segment.number - 1, frame: segment.landing)) }
        return landed
    }

    /// The output frame nearest to where the curve reaches a source frame, which it has done at `end`.
    private static func frame(of source: Int64, before end: Int64, curve: borrowing PositionCurve) -> Int64 {
        // It had not a step or two earlier; 1024 frames back is far below that at any rate's step of up to 1024.
        var (lower, upper) = (end - 1024, end)
        while lower + 1 < upper {
            let middle = (lower + upper) >> 1
            if curve.position(at: middle) >= Double(source) { upper = middle } else { lower = middle }
        }
        let (before, after) = (curve.position(at: lower), curve.position(at: upper))
        return Double(source) - before < after - Double(source) ? lower : upper
    }

    /// A landing still to be heard, from 0 to ``count`` - 1.
    @inline(__always)
    func pending(_ index: Int) -> Landing { landings[(first + index) & (Self.capacity - 1)] }

    /// Drops landings whose snippets end before an output frame.
    mutating func forget(before frame: Int64) {
        while count > 0 {
            let landing = pending(0)
            guard landing.frame + list[landing.record].snippet.end <= frame else { return }
            first += 1
            count -= 1
        }
    }

    private mutating func push(_ landing: Landing) {
        // More than can be kept would lie 4 ms apart and less; what is lost then is one copy among dozens.
        guard count < Self.capacity else { return }
        landings[(first + count) & (Self.capacity - 1)] = landing
        count += 1
    }
}
