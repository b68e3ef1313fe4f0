// The alignment of the two sides of a duplex stream.
extension ALSALoop {
    /// The known offset between the positions of both sides.
    struct Alignment {
        var isMeasured = false
        /// The input's position minus the output's, at one moment.
        var difference: Int64 = 0
        /// Consecutive blocks with another difference.
        var deviations = 0
        /// In how many more blocks the delays of both sides are asked for.
        var blocksLeft = 0
        /// The smallest difference between the sounds on both sides so far, by their delays.
        private var smallest: Int64?
        /// A smaller one that has been told once, and when.
        private var candidate: (difference: Int64, time: Int64)?

        /// A third of a second with blocks of 256 frames.
        static let blocks = 64
        /// A look between the ends of two transfers, of which only one has been noticed, tells a difference that never was. Such a moment is
        /// shorter than this.
        static let leastNanoseconds: Int64 = 100_000

        init(isMeasured: Bool = false, difference: Int64 = 0, blocksLeft: Int = 0) {
            (self.isMeasured, self.difference, self.blocksLeft) = (isMeasured, difference, blocksLeft)
        }

        /// How long the next wait may last, in nanoseconds, so that each transfer is seen: blocks can keep pace with transfers, and then come at the
        /// same wrong moments of each. Nil if nothing is looked for any more.
        var longestWait: Int64? {
            guard isMeasured, blocksLeft > 0 else { return nil }
            // A packet of a USB card at full speed; or until a candidate can be confirmed.
            return candidate == nil ? 1_000_000 : 2 * Self.leastNanoseconds
        }

        /// Takes in a difference by the delays of both sides, and says whether it is the best one so far.
        ///
        /// A driver tells a delay too high until the next transfer has ended, and never too low. So the smallest is the true one, if it is told
        /// twice.
        mutating func improves(_ difference: Int64, now: Int64) -> Bool {
            guard smallest.map({ difference < $0 }) ?? true else {
                candidate = nil
                return false
            }
            guard let candidate, candidate.difference == difference else {
                candidate = (difference, now)
                return false
            }
            guard now - candidate.time >= Self.leastNanoseconds else { return false }
            smallest = difference
            self.candidate = nil
            return true
        }
    }

    /// Measures the offset after a start, and checks it from then on.
    ///
    /// A device can fall behind without any error, if one side stands still or a start goes wrong. It would then
    /// stay late for good.
    func checkAlignment() throws(Trouble) {
        guard let playback, let capture else { return }
        guard alignment.isMeasured else {
            guard let difference = measureDifference(playback, capture) else { return }
            let areDrivers = playback.isDriver && capture.isDriver
            alignment = Alignment(
                isMeasured: true, difference: difference, blocksLeft: areDrivers ? Alignment.blocks : 0)
            worker.roundTrip(frames(of: difference, playback, capture), isNew: true)
            return lookAtDelays()
        }
        lookAtDelays()
        alignment.blocksLeft = max(0, alignment.blocksLeft - 1)
        let tolerance = Int64(
            max(block, playback.settings.devicePeriodFrames, capture.settings.devicePeriodFrames))
        let deviation = capture.position - playback.position - alignment.difference
        alignment.deviations = abs(deviation) > tolerance ? alignment.deviations + 1 : 0
        if alignment.deviations >= 3 { throw .misaligned(deviation > 0 ? playback : capture, abs(deviation)) }
    }

    /// The round trip, in frames of the program, for a difference between the positions of both sides.
    private func frames(of difference: Int64, _ playback: ALSASide, _ capture: ALSASide) -> Int64 {
        (playback.moved - framesWritten) + difference + (worker.inputFrame + Int64(fetched) - capture.moved)
    }

    /// Improves the round trip by what both drivers say of their delays.
    ///
    /// The positions tell where a driver has its buffer. On a USB card the transfers that are under way lie between that and the sound, and
    /// only the delays count them.
    func lookAtDelays() {
        guard alignment.longestWait != nil, let playback, let capture, playback.isRunning, capture.isRunning,
            let output = playback.delay(), let input = capture.delay(),
            // A device that has run dry meanwhile has no delay.
            playback.faultOfState() == nil, capture.faultOfState() == nil
        else { return }
        let difference = (capture.moved + input) - (playback.moved - output)
        guard alignment.improves(difference, now: MonotonicTime.now()) else { return }
        worker.roundTrip(frames(of: difference, playback, capture), isNew: false)
    }

    /// Reports the device's position with its time, for clock regulation; for streams of one side.
    func tellMoment() {
        guard worker.wantsMoments, let side = playback ?? capture, side.isRunning else { return }
        let next = side.side == .output ? worker.outputFrame : worker.inputFrame + Int64(block)
        // If the thread was held up in between, the time of the position is unknown, so it is read again.
        for _ in 0..<4 {
            let before = now()
            guard let position = side.freshPosition() else { return }
            let after = now()
            guard after - before >= Self.momentTolerance else {
                let time = before + (after - before) / 2
                return worker.observe(DeviceMoment(frame: next + position - side.moved, time: time))
            }
        }
    }

    /// In nanoseconds: a frame, and more than the call takes.
    private static var momentTolerance: Int64 { 20_000 }

    /// Both positions at one moment: the input's is read before and after the output's, until it is the same both times.
    private func measureDifference(_ playback: ALSASide, _ capture: ALSASide) -> Int64? {
        var difference: Int64?
        for _ in 0..<64 {
            guard let before = capture.freshPosition(), let output = playback.freshPosition(),
                let after = capture.freshPosition()
            else { return nil }
            difference = (before + after) / 2 - output
            if before == after { break }
        }
        return difference
    }
}
