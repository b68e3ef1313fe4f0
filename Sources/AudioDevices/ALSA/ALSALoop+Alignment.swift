// The alignment of the two sides of a duplex stream.
extension ALSALoop {
    /// The known offset between the positions of both sides.
    struct Alignment {
        var isMeasured = false
        /// The input's position minus the output's, at one moment.
        var difference: Int64 = 0
        /// Consecutive blocks with another difference.
        var deviations = 0
    }

    /// Measures the offset after a start, and checks it from then on.
    ///
    /// A device can fall behind without any error, if one side stands still or a start goes wrong. It would then
    /// stay late for good.
    func checkAlignment() throws(Trouble) {
        guard let playback, let capture else { return }
        guard alignment.isMeasured else {
            guard let difference = measureDifference(playback, capture) else { return }
            alignment = Alignment(isMeasured: true, difference: difference)
            worker.roundTripFrames =
                (playback.moved - framesWritten) + difference + (worker.inputFrame - capture.moved)
            return
        }
        let tolerance = Int64(
            max(block, playback.settings.devicePeriodFrames, capture.settings.devicePeriodFrames))
        let deviation = capture.position - playback.position - alignment.difference
        alignment.deviations = abs(deviation) > tolerance ? alignment.deviations + 1 : 0
        if alignment.deviations >= 3 { throw .misaligned(deviation > 0 ? playback : capture, abs(deviation)) }
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
