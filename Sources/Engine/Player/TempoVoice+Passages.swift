internal import Samples
internal import Stretching

// A pass in passages. Splices end at the nominal time with a copy of the clip, and a stretcher begins with a copy from
// the same frame on. So the vocoder takes over between two samples, without an audible seam. Splices take over at a
// soft place, in a crossfade, since the vocoder's phases are not the clip's.
extension TempoVoice {
    /// Starts the source of the current passage.
    ///
    /// - Parameter clipFrame: for the stretcher; splices have a frame of their own.
    mutating func startPassage(at clipFrame: Int64) {
        guard let passage = run.passage else { return }
        switch passage.method {
        case .splices(let list):
            playing = .splicer
            splicer.start(atOutput: run.planFrame - passage.planFrame, list)
        case .fullBands: startStretcher(at: clipFrame, bands: .three)
        case .lightBands: startStretcher(at: clipFrame, bands: .one)
        }
    }

    private mutating func startStretcher(at clipFrame: Int64, bands: StretchBands) {
        playing = .stretcher
        run.noteStretcherStart()
        stretcher.start(at: clipFrame, speed: run.speeds.speed(at: run.frame), bands: bands)
        tellSpeeds()
    }

    /// Counts emitted frames, and changes to the next passage at its start.
    mutating func finishPiece(_ frameCount: Int) {
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
    mutating func advanceFade(toEmit frameCount: Int) -> Voice.Step {
        let step = advanceStretcher(toEmit: frameCount)
        isFeedingOld = step != .ready
        return isFeedingOld ? step : advanceSplicer(toEmit: frameCount)
    }

    /// Writes the next frames of a crossfade.
    mutating func emitFade(
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
