internal import Clips
internal import DSP

/// The recording as the layers of one player hear it: as it is, or through a voice. Trivial.
///
/// All reads come between `beginBlock()` and `endBlock()` of the clip's reader. Real-time safe: yes, but for a reader that waits.
struct ClipSource: BitwiseCopyable {
    let clip: ClipReader
    /// What is known of the clip's attacks, read in the same epoch as the clip; nil when nobody listens to it.
    let attacks: AttackReader?
    /// As the clip has them; kept here, as the render path may call no accessor of another module.
    let channelCount: Int
    let frameCount: Int64

    init(clip: ClipReader, attacks: AttackReader?) {
        self.clip = clip
        self.attacks = attacks
        channelCount = clip.channelCount
        frameCount = clip.frameCount
    }

    /// The clip as it is. Past its end, where only a fading layer reads, it is mirrored: zeros there would be a step.
    ///
    /// - Parameter output: channels × at least `count` frames.
    /// - Returns: frames that were missing, and are silent.
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
    /// - Returns: frames of the clip that were missing, and heard as silence.
    func stretch(
        with voice: UnsafeMutablePointer<Voice>, into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>,
        _ count: Int
    ) -> Int {
        var missing = 0
        while true {
            // A reader that waited for pages held nothing meanwhile: what the voice was told before may have gone.
            unsafe tellAttacks(voice)
            guard let request = unsafe voice.pointee.nextInput(toEmit: count) else { break }
            missing = max(missing, unsafe feed(voice, request))
        }
        unsafe voice.pointee.emit(count, into: UnsafePointer(output))
        return min(missing, count)
    }

    /// Tells a voice the attacks around its place, anew for each piece: what was found a while ago may have been let go.
    private func tellAttacks(_ voice: UnsafeMutablePointer<Voice>) {
        guard let attacks else { return }
        var frame: Int64 = 0
        guard unsafe voice.pointee.wantsAttacks(around: &frame) else { return }
        unsafe voice.pointee.setAttacks(attacks.list(around: frame) ?? .empty)
    }

    /// Gives a voice the part of the clip it asked for; returns the frames that were missing.
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
