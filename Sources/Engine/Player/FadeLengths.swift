/// Lengths of a player's fades, in output frames. Trivial.
struct FadeLengths: BitwiseCopyable {
    /// 5 ms: joints that crossfade, seeks, pauses and stops.
    let crossfade: Int
    /// 3 ms: the joint `fade`.
    let joint: Int
    /// 20 ms: a change of gain.
    let gain: Int

    /// - Parameter sampleRate: output frames a second.
    init(sampleRate: Int) {
        func frames(_ milliseconds: Int) -> Int { max(1, (sampleRate * milliseconds + 500) / 1000) }
        crossfade = frames(5)
        joint = frames(3)
        gain = frames(20)
    }
}
