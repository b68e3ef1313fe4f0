internal import AudioFiles
internal import DSP

/// A stretcher that has begun the next pass before it is heard, so that a joint costs no burst.
struct UpcomingVoice: BitwiseCopyable {
    var voice: Int
    var clipFrame: Int64
    var speed: Double
}

// Which stretcher plays what. Whether a voice was made ready or starts at its joint does not change a bit of its sound.
extension PlayerCore {
    /// A voice that plays from `clipFrame`: the one made ready for it, or a fresh one.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    mutating func startVoice(at clipFrame: Int64, speed: Double) -> Layer.Source {
        if let ready = upcoming {
            upcoming = nil
            if ready.clipFrame == clipFrame && ready.speed == speed { return .voice(ready.voice) }
            voices.release(ready.voice)
        }
        // The pool has a voice for every layer and one more, so there is always one.
        guard let voice = voices.acquire() else { return .silence }
        unsafe voices.voice(voice).pointee.start(at: clipFrame, speed: speed)
        return .voice(voice)
    }

    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    mutating func dropUpcomingVoice() {
        guard let ready = upcoming else { return }
        voices.release(ready.voice)
        upcoming = nil
    }

    /// Works ahead on the next pass when its joint is near: a little in every block.
    ///
    /// - Parameters:
    ///   - now: the output frame after the block.
    ///   - blockFrames: the block's length, which sets how much may be done.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    mutating func prepareUpcomingVoice(at now: Int64, blockFrames: Int) {
        guard status.state == .playing else { return }
        if upcoming == nil {
            var next = cursor
            guard cursor.spanEnd - now <= PlayerCore.lookAheadFrames, let clipFrame = nextPass(after: &next),
                next.spanStart - now <= PlayerCore.lookAheadFrames
            else { return }
            let speed = score.part(next.part).speed
            let reach = unsafe Int64(voices.voice(0).pointee.inputFrames)
            guard speed != 1, clip.isLoaded(from: clipFrame - reach, count: Int(3 * reach)),
                let voice = voices.acquire()
            else { return }
            unsafe voices.voice(voice).pointee.start(at: clipFrame, speed: speed)
            upcoming = UpcomingVoice(voice: voice, clipFrame: clipFrame, speed: speed)
        }
        guard let ready = upcoming else { return }
        let stretcher = unsafe voices.voice(ready.voice)
        // Two stages for every 64 frames: the voice is ready well within the look-ahead.
        for _ in 0..<2 * max(1, blockFrames / 64) {
            switch unsafe stretcher.pointee.advance(toEmit: 1) {
            case .ready:
                return
            case .ranStage:
                continue
            case .needsInput(let first):
                // When a page has gone meanwhile, the joint starts the voice afresh.
                if unsafe feed(stretcher, from: first) > 0 { return dropUpcomingVoice() }
            }
        }
    }

    /// How long before a joint the next pass is begun, in output frames.
    static var lookAheadFrames: Int64 { 8192 }
}
