internal import Clips
internal import DSP

/// The clip as the layers of one player read it: directly, or through a voice. Trivial.
///
/// All reads are between `beginBlock()` and `endBlock()` of the clip's reader. Real-time safe: yes, except with a reader that waits.
struct ClipSource: BitwiseCopyable {
    let clip: ClipReader
    /// The clip's attacks, read in the same epoch as the clip; nil if the clip is not analysed.
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

    /// Copies the clip. Past its end, where only a fading layer reads, the clip is mirrored; zeros there would be a step.
    ///
    /// - Parameter output: channels × at least `count` frames.
    /// - Returns: missing frames, which are silent.
    func copy(
        into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from clipFrame: Int64, _ count: Int
    ) -> Int {
        let inside = Int(max(0, min(Int64(count), frameCount - clipFrame)))
        var missing = 0
        for channel in 0..<channelCount {
            let samples = unsafe output[channel]
            missing = max(missing, unsafe clip.read(channel: channel, from: clipFrame, count: inside, into: samples))
            for frame in inside..<max(inside, count) {
                let mirrored = 2 * frameCount - 1 - (clipFrame + Int64(frame))
                _ = unsafe clip.read(channel: channel, from: mirrored, count: 1, into: samples + frame)
            }
        }
        return missing
    }

    /// The next frames of a voice.
    ///
    /// - Parameter output: channels × at least `count` frames.
    /// - Returns: missing frames of the clip, which counted as silence.
    func stretch(
        with voice: UnsafeMutablePointer<Voice>, into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>,
        _ count: Int
    ) -> Int {
        var missing = 0
        while true {
            // A reader that waited for pages left its epoch, so the attacks that the voice was told before may be gone.
            unsafe tellAttacks(voice)
            guard let request = unsafe voice.pointee.nextInput(toEmit: count) else { break }
            missing = max(missing, unsafe feed(voice, request))
        }
        unsafe voice.pointee.emit(count, into: UnsafePointer(output))
        return min(missing, count)
    }

    /// Tells a voice the attacks around its position, anew for each piece, because older lists may have been freed.
    private func tellAttacks(_ voice: UnsafeMutablePointer<Voice>) {
        guard let attacks else { return }
        var frame: Int64 = 0
        guard unsafe voice.pointee.wantsAttacks(around: &frame) else { return }
        unsafe voice.pointee.setAttacks(attacks.list(around: frame) ?? .empty)
    }

    /// Gives a voice the part of the clip that it requested; returns the number of missing frames.
    private func feed(_ voice: UnsafeMutablePointer<Voice>, _ request: InputRequest) -> Int {
        var missing = 0
        for channel in 0..<channelCount {
            let input = unsafe voice.pointee.input(channel)
            missing = max(
                missing, unsafe clip.read(channel: channel, from: request.first, count: request.count, into: input))
        }
        unsafe voice.pointee.acceptInput()
        return missing
    }
}
