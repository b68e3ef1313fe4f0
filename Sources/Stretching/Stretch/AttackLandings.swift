// AttackLandings: the output frames at which one segment of a stretched sound ends and the next begins. Landings depend
// on the position curve and the cuts of an AttackList, never on samples.

/// The segment between two attacks at a grid step: the number of cuts before the segment, and the output frame of the
/// last landing.
struct AttackSegment: BitwiseCopyable, Sendable {
    /// The segment lies between the records `number - 1` and `number` of the list.
    var number = 0
    /// The output frame at which the segment began; undefined for the segment of a start.
    var landing: Int64 = 0
}

/// The landings of attacks, found step by step as positions are computed.
///
/// An attack lands at the output frame where the nominal position reaches the attack, rounded to the nearest frame. The
/// attack's cut lands earlier by the distance between cut and attack. If the cut lies in the frames copied at a start,
/// the copy of the cut is its landing.
struct AttackLandings: BitwiseCopyable, Sendable {
    /// The landing of a record's cut, for copying the record's snippet.
    struct Landing: BitwiseCopyable, Sendable {
        var record = 0
        var frame: Int64 = 0
    }

    private(set) var list = AttackList.empty
    private(set) var segment = AttackSegment()
    /// Cuts up to this source frame are before the segment or at its start.
    private var passedFrame: Int64 = 0
    /// Ring of the landings not yet played completely. At most one landing is added per step.
    private var landings = InlineArray<64, Landing>(repeating: Landing())
    private var first = 0
    private(set) var count = 0

    private static let capacity = 64

    /// Starts again.
    ///
    /// - Parameters:
    ///   - list: The attacks of the playing source, or an empty list.
    ///   - startFrame: The source frame heard first.
    ///   - copiedFrames: Output frames copied from `startFrame` on.
    /// - Returns: The source frame up to which the source must keep its own speed, because an attack is being copied.
    mutating func restart(_ list: AttackList, startFrame: Int64, copiedFrames: Int64) -> Int64 {
        self.list = list
        (first, count) = (0, 0)
        passedFrame = startFrame + copiedFrames
        segment = AttackSegment(number: list.countOfCuts(through: passedFrame), landing: 0)
        guard segment.number > 0 else { return startFrame }
        // Earlier attacks are over, or this attack cut them short.
        let record = list[segment.number - 1]
        if record.whole > startFrame { push(Landing(record: segment.number - 1, frame: record.cut - startFrame)) }
        return record.whole
    }

    /// Continues with another list, which must hold the same records in the range that the stretcher still reads;
    /// outside this range the records may differ.
    ///
    /// - Returns: The index of a record in the new list minus the record's index in the old list.
    mutating func continueWith(_ new: AttackList) -> Int {
        let shift = new.countOfCuts(through: passedFrame) - segment.number
        list = new
        segment.number += shift
        // Records that the new list lacks are no longer copied.
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

    /// The record whose cut lands next; nil after the last record.
    @inline(__always)
    var next: AttackRecord? {
        segment.number >= 0 && segment.number < list.count ? list[segment.number] : nil
    }

    /// Lands the next cut if it is due at or before an output frame, and after `earliest`.
    ///
    /// If several records are due in one step, only the last record is heard. Two due records in one step require a
    /// speed far above 1 and onsets a few milliseconds apart.
    /// - Returns: The record that landed, at ``segment``'s landing.
    mutating func advance(to frame: Int64, after earliest: Int64, curve: borrowing PositionCurve) -> AttackRecord? {
        var landed: AttackRecord?
        while let record = next {
            let lead = record.attack - record.cut
            guard curve.position(at: frame + lead) >= Double(record.attack) - 0.5 else { break }
            // One or two steps earlier, the curve had not reached the attack. 1024 frames are the longest step at any
            // rate.
            let near = frame + lead - 1024...frame + lead
            let found = Self.frame(of: record.attack, in: near, curve: curve) - lead
            segment = AttackSegment(number: segment.number + 1, landing: max(earliest + 1, min(found, frame)))
            passedFrame = record.cut
            landed = record
        }
        if landed != nil { push(Landing(record: segment.number - 1, frame: segment.landing)) }
        return landed
    }

    /// Returns the output frame nearest to the point where the curve reaches a source frame. The curve must reach the
    /// source frame by the end of `range`.
    static func frame(of source: Int64, in range: ClosedRange<Int64>, curve: borrowing PositionCurve) -> Int64 {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        while lower + 1 < upper {
            let middle = (lower + upper) >> 1
            if curve.position(at: middle) >= Double(source) { upper = middle } else { lower = middle }
        }
        let (before, after) = (curve.position(at: lower), curve.position(at: upper))
        return Double(source) - before < after - Double(source) ? lower : upper
    }

    /// Returns a landing not yet played completely; `index` is 0 to ``count`` - 1.
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
        // Overflow requires landings less than 4 ms apart; the only loss is one copy among dozens.
        guard count < Self.capacity else { return }
        landings[(first + count) & (Self.capacity - 1)] = landing
        count += 1
    }
}

/// The beginning of a start whose copied frames contain an attack.
///
/// At the source's own speed the attack would be heard early, at half speed by up to 10 ms, or late. The copy therefore
/// comes from slightly earlier or later in the source, so that the attack is on time. The first output frame is still
/// the source's own first frame: from there the sound crosses over to the copy before the attack begins.
struct AttackStart: BitwiseCopyable, Sendable {
    /// Frames from the beginning of the copy to the first frame heard; negative if the copy begins after the first
    /// frame.
    var leadFrames: Int64 = 0
    /// Output frames of the crossover.
    var fadeFrames: Int64 = 0

    /// The longest lead, in lengths of the copied part: enough for a quarter of the speed. At lower speeds attacks are
    /// early.
    static let longestLead: Int64 = 4

    /// A start without an attack: the copy begins at the first frame.
    init() {}

    /// Decides on the copy for a start at a frame of the source, where the curve of positions begins.
    init(_ list: AttackList, at frame: Int64, curve: borrowing PositionCurve, copiedFrames: Int64) {
        let number = list.countOfCuts(through: frame)
        guard number < list.count, !list[number].isStop else { return }
        let record = list[number]
        let latest = (Self.longestLead + 1) * copiedFrames
        guard curve.position(at: latest) >= Double(record.attack) else { return }
        let landing = AttackLandings.frame(of: record.attack, in: 0...latest, curve: curve)
        let lead = landing - (record.attack - frame)
        let fade = record.cut - frame + min(0, lead)
        // If an earlier attack lies within the copy, sound from before that attack would be heard after it.
        let isCovered = number > 0 && list[number - 1].attack > frame - lead && list[number - 1].attack > 0
        let isCopied = fade > 0 && fade < copiedFrames
        guard isCopied, lead <= Self.longestLead * copiedFrames, !isCovered else { return }
        (leadFrames, fadeFrames) = (lead, fade)
    }
}
