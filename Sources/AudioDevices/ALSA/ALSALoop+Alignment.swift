import Files
// The alignment of the two sides of a duplex stream.
extension ALSALoop {
    /// The known offset between the positions of both sides.
    struct Alignment {
        var isMeasured = false
        /// The input's position minus the output's, at one moment.
        var difference: Int64 = 0
        /// Consecutive blocks with another difference.
        var deviations = 0
        /// Number of looks at the delays of both sides still to come.
        private(set) var looksLeft = 0
        /// The smallest differences between the sounds on both sides so far, from their delays, ascending.
        private var smallest = InlineArray<13, Int64>(repeating: .max)

        private var last: (told: Int64, time: Int64)?

        /// Number of looks: enough for more than ten transfers of a USB card, of six packets at most.
        static let looks = 256
        /// Interval between looks, in nanoseconds: several looks in each packet of a USB card at full speed.
        static let interval: Int64 = 250_000
        /// The longest moment between the ends of two transfers while only one end has been noticed, in nanoseconds.
        private static let between: Int64 = 100_000

        /// - Parameter hasDelays: True if both sides are drivers, whose delays are worth asking for.
        init(isMeasured: Bool = false, difference: Int64 = 0, hasDelays: Bool = false) {
            (self.isMeasured, self.difference) = (isMeasured, difference)
            looksLeft = hasDelays ? Self.looks : 0
        }

        /// Takes in a difference from the delays of both sides. Returns the true difference after enough looks, and nil
        /// before.
        ///
        /// A driver reports too high a delay until the next transfer has ended: in at most five looks of six. A driver
        /// reports too low a delay only between the ends of two transfers, after noticing one of the ends. So a
        /// difference counts only if reported again a little later. The true difference is the smallest except for a
        /// twentieth of the counted differences.
        mutating func take(_ told: Int64, now: Int64) -> Int64? {
            if let last, last.told == told, now - last.time < Self.between { return nil }
            defer { last = (told, now) }
            guard last?.told == told else { return nil }
            guard looksLeft > 0 else { return nil }
            looksLeft -= 1
            var rest = told
            for index in smallest.indices where rest < smallest[index] { swap(&rest, &smallest[index]) }
            return looksLeft == 0 ? smallest[smallest.count - 1] : nil
        }
    }

    /// Measures the offset after a start, and checks it from then on.
    ///
    /// A device can fall behind without any error, if one side stands still or a start goes wrong. Without this check
    /// the device would stay late for good.
    func checkAlignment() throws(Trouble) {
        guard let playback, let capture else { return }
        guard alignment.isMeasured else {
            guard let difference = measureDifference(playback, capture) else { return }
            alignment = Alignment(
                isMeasured: true, difference: difference, hasDelays: playback.isDriver && capture.isDriver)
            worker.roundTrip(frames(of: difference, playback, capture), isNew: true)
            return lookAtDelays()
        }
        lookAtDelays()
        let tolerance = Int64(
            max(block, playback.settings.devicePeriodFrames, capture.settings.devicePeriodFrames))
        let deviation = capture.position - playback.position - alignment.difference
        alignment.deviations = abs(deviation) > tolerance ? alignment.deviations + 1 : 0
        if alignment.deviations >= 3 { throw .misaligned(deviation > 0 ? playback : capture, abs(deviation)) }
    }

    /// Returns the round trip, in frames of the program, for a difference between the positions of both sides.
    private func frames(of difference: Int64, _ playback: ALSASide, _ capture: ALSASide) -> Int64 {
        (playback.moved - framesWritten) + difference + (worker.inputFrame + Int64(fetched) - capture.moved)
    }

    /// Improves the round trip with the delays reported by both drivers.
    ///
    /// Positions tell where a driver has its buffer. On a USB card the transfers under way lie between the buffer and
    /// the sound, and only the delays count such transfers.
    func lookAtDelays() {
        guard alignment.looksLeft > 0, let playback, let capture, playback.isRunning, capture.isRunning,
            let output = playback.delay(), let input = capture.delay(),
            // A device that has run dry in between has no delay.
            playback.faultOfState() == nil, capture.faultOfState() == nil
        else { return }
        let told = (capture.moved + input) - (playback.moved - output)
        guard let difference = alignment.take(told, now: MonotonicTime.now()) else { return }
        worker.roundTrip(frames(of: difference, playback, capture), isNew: false)
    }

    /// Reports the device's position with its time, for clock regulation; for streams of one side.
    func tellMoment() {
        guard worker.wantsMoments, let side = playback ?? capture, side.isRunning else { return }
        let next = side.side == .output ? worker.outputFrame : worker.inputFrame + Int64(block)
        // If the thread was held up in between, the time of the position is unknown, so the position is read again.
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

    /// Longest permitted reading time of a position, in nanoseconds: a frame, and more than the call takes.
    private static var momentTolerance: Int64 { 20_000 }

    /// Returns the difference of both positions at one moment. Reads the input's position before and after the
    /// output's, until both readings of the input agree.
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
