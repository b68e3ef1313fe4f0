/// Sound of a frozen player. Equal values sound the same.
struct FrozenSound: BitwiseCopyable, Equatable {
    /// The view for reading the clip, and the frame of that view.
    let view: ClipView
    let clipFrame: Int64
    let pitchRatio: Double
    let keepsFormants: Bool
    private let liesBetweenAttacks: Bool

    /// Creates the sound at the playhead's place, at the pitch of the pass there.
    ///
    /// - Parameter now: the output frame of the place.
    ///
    /// Real-time safe: yes.
    init(of playhead: Playhead, at now: Int64) {
        let (part, choice) = (playhead.part, playhead.choice)
        view = part.view
        liesBetweenAttacks = choice.freezesBetweenAttacks && !view.isMirrored
        clipFrame = playhead.cursor.clipStart
        if case .tape = choice.method { pitchRatio = playhead.speed(at: now) } else { pitchRatio = part.pitchRatio }
        guard case .passages(let list) = choice.method else {
            keepsFormants = choice.keepsFormants
            return
        }
        let planFrame = Double(playhead.passFrame(ofClipFrame: clipFrame, at: now)) * part.pitchRatio
        keepsFormants = choice.keepsFormants && list[list.index(at: Int64(planFrame + 0.5))].keepsFormants
    }

    /// Start of a voice for this sound. The stretcher plays speech as well, since splices need continuing sound.
    /// In the full quality, attacks are known by the page of the recording, independently of the section's analysis;
    /// backwards there are none.
    var voiceStart: VoiceStart {
        VoiceStart(
            clipFrame: clipFrame, passFrame: 0, speed: 0, pitchRatio: pitchRatio,
            choice: VoiceChoice(method: .frozen, knowsAttacks: liesBetweenAttacks, keepsFormants: keepsFormants))
    }
}
