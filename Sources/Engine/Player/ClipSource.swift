internal import Clips
internal import Stretching

/// The clip as read by the layers of one player: directly, or through a voice; forward, or mirrored. Trivial.
///
/// All frames are frames of the layer's view of the clip. All reads are between `beginBlock()` and `endBlock()` of the
/// clip's reader. Real-time safe: yes, except with a reader that waits.
struct ClipSource: BitwiseCopyable {
    let clip: ClipReader
    /// The clip's attacks, read in the same epoch as the clip; nil without analysis.
    let attacks: AttackReader?
    /// Copied from the clip, because the render path must not call an accessor of another module.
    let channelCount: Int
    let frameCount: Int64

    init(clip: ClipReader, attacks: AttackReader?) {
        self.clip = clip
        self.attacks = attacks
        channelCount = clip.channelCount
        frameCount = clip.frameCount
    }

    /// Copies the clip. Past the end of the view, where only a fading layer reads, the clip is mirrored; zeros there
    /// would be a step.
    ///
    /// - Parameter output: channels × at least `count` frames.
    /// - Returns: the number of missing frames, which are silent.
    func copy(
        into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from clipFrame: Int64, _ count: Int,
        of view: ClipView
    ) -> Int {
        let end = view.end(of: frameCount)
        let inside = Int(max(0, min(Int64(count), end - clipFrame)))
        var missing = 0
        for channel in 0..<channelCount {
            let samples = unsafe output[channel]
            missing = max(missing, unsafe read(channel, from: clipFrame, inside, of: view, into: samples))
            for frame in inside..<max(inside, count) {
                let mirrored = 2 * end - 1 - (clipFrame + Int64(frame))
                _ = unsafe read(channel, from: mirrored, 1, of: view, into: samples + frame)
            }
        }
        return missing
    }

    /// Copies frames of a view, silence outside the clip.
    ///
    /// - Returns: the number of missing frames, which are silent.
    private func read(
        _ channel: Int, from frame: Int64, _ count: Int, of view: ClipView, into output: UnsafeMutablePointer<Float>
    ) -> Int {
        let frames = view.range(frame..<frame + Int64(count))
        let missing = unsafe clip.read(channel: channel, from: frames.lowerBound, count: count, into: output)
        guard view.isMirrored else { return missing }
        for index in 0..<count / 2 {
            let sample = unsafe output[index]
            unsafe output[index] = output[count - 1 - index]
            unsafe output[count - 1 - index] = sample
        }
        return missing
    }

    /// Renders the next frames of a voice.
    ///
    /// - Parameters:
    ///   - output: channels × at least `count` frames.
    ///   - view: the view in which the voice began.
    /// - Returns: the number of missing frames of the clip, which counted as silence.
    func stretch(
        with voice: UnsafeMutablePointer<Voice>, into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>,
        _ count: Int, of view: ClipView
    ) -> Int {
        var missing = 0
        while true {
            // A reader that waited for pages left its epoch, so the attacks set in the voice before may be gone.
            unsafe tellAttacks(voice)
            guard let request = unsafe voice.pointee.nextInput(toEmit: count) else { break }
            missing = max(missing, unsafe feed(voice, request, of: view))
        }
        unsafe voice.pointee.emit(count, into: UnsafePointer(output))
        return min(missing, count)
    }

    /// Sets the attacks around a voice's position, anew for each piece, because older lists may have been freed.
    private func tellAttacks(_ voice: UnsafeMutablePointer<Voice>) {
        guard let attacks else { return }
        var (frame, bands) = (Int64(0), StretchBands.three)
        guard unsafe voice.pointee.wantsAttacks(around: &frame, for: &bands) else { return }
        unsafe voice.pointee.setAttacks(attacks.list(around: frame, for: bands) ?? .empty)
    }

    /// Gives a voice the requested part of the clip; returns the number of missing frames.
    private func feed(_ voice: UnsafeMutablePointer<Voice>, _ request: InputRequest, of view: ClipView) -> Int {
        var missing = 0
        for channel in 0..<channelCount {
            let input = unsafe voice.pointee.input(channel)
            missing = max(missing, unsafe read(channel, from: request.first, request.count, of: view, into: input))
        }
        unsafe voice.pointee.acceptInput()
        return missing
    }
}
