// The alignment of the two sides of a duplex stream.
extension ALSALoop {
    /// The known offset between the positions of both sides.
    struct Alignment {
        var isMeasured = false
        /// The input's position minus the output's, at one moment.
        var difference: Int64 = 0
        /// Consecutive blocks with another difference.
        var deviations = 0
        /// How often the delays of both sides are still asked for.
        private(set) var looksLeft = 0
        /// The smallest differences between the sounds on both sides so far, by their delays, ascending.
        private var smallest = InlineArray<13, Int64>(repeating: .max)

        private var last: (told: Int64, time: Int64)?

        /// Enough for more than ten transfers of a USB card, of six packets at most.
        static let looks = 256
        /// Nanoseconds from one look to the next: several in each packet of a USB card at full speed.
        static let interval: Int64 = 250_000
        /// The longest moment between the ends of two transfers, when only one has been noticed, in nanoseconds.
        private static let between: Int64 = 100_000

        /// - Parameter hasDelays: Whether both sides are drivers, whose delays are worth asking for.
        init(isMeasured: Bool = false, difference: Int64 = 0, hasDelays: Bool = false) {
            (self.isMeasured, self.difference) = (isMeasured, difference)
            looksLeft = hasDelays ? Self.looks : 0
        }

        /// Takes in a difference by the delays of both sides, and returns the true one once enough have been seen.
        ///
        /// A driver tells a delay too high until the next transfer has ended: that is at most five looks of six. Too low it is told only between
        /// the ends of two transfers, of which one has been noticed; so a difference counts only if it is told again a little later. The
        /// true one is the smallest but for a twentieth of these.
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
    /// A device can fall behind without any error, if one side stands still or a start goes wrong. It would then
    /// stay late for good.
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

    /// The round trip, in frames of the program, for a difference between the positions of both sides.
    private func frames(of difference: Int64, _ playback: ALSASide, _ capture: ALSASide) -> Int64 {
        (playback.moved - framesWritten) + difference + (worker.inputFrame + Int64(fetched) - capture.moved)
    }

    /// Improves the round trip by what both drivers say of their delays.
    ///
    /// The positions tell where a driver has its buffer. On a USB card the transfers that are under way lie between that and the sound, and
    /// only the delays count them.
    func lookAtDelays() {
        guard alignment.looksLeft > 0, let playback, let capture, playback.isRunning, capture.isRunning,
            let output = playback.delay(), let input = capture.delay(),
            // A device that has run dry meanwhile has no delay.
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
