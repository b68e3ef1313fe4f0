internal import Samples

extension Transport {
    /// Returns a start at the place chosen by earlier requests, if the command asks for this place; returns any other
    /// command unchanged.
    func resolved(_ command: PlayerCommand) -> PlayerCommand {
        guard command.code == .start, command.moved.to == SectionMove.chosen else { return command }
        var start = command
        (start.value, start.moved.to) = chosenStart
        return start
    }

    /// The clip frame and the section chosen for the next start; -1 for none.
    private var chosenStart: (clipFrame: Int64, section: Int32) {
        guard isChosen else { return (-1, -1) }
        return (beginsSection ? -1 : stillAt.clipFrame, Int32(clamping: stillAt.section))
    }

    /// Starts at the place chosen by earlier requests, or at the beginning.
    mutating func startInPlace(at now: Int64) {
        let (clipFrame, section) = chosenStart
        start(atClipFrame: clipFrame, section: section, at: now)
    }

    /// Keeps a place for the next start. Has no effect in the fade of a stop.
    mutating func choose(_ place: Place, beginsSection: Bool, at now: Int64) {
        guard state == .idle || state == .finished else { return }
        (stillAt, isChosen, self.beginsSection) = (place, true, beginsSection)
        playhead.go(to: place, at: now)
    }

    /// Keeps the chosen place in another score: the beginning of the section, or the frame if the section has this
    /// frame.
    ///
    /// - Parameter begins: true if the section begins anew, whatever the chosen place.
    mutating func chooseAgain(_ place: Place, begins: Bool, at now: Int64) {
        let isBeginning = begins || beginsSection
        var place = place
        if isBeginning { (place.clipFrame, place.pass) = (-1, 0) }
        choose(playhead.fitting(place, staysWithin: true), beginsSection: isBeginning, at: now)
    }

    /// Returns true if a command that changes the sound can be carried out. At most one fade may be in progress, so
    /// that at most `LayerStack.maximumLayers` are audible. A fade takes 5 ms at the longest.
    ///
    /// - Parameter waits: true if the command waits for the decoding of its place, half a second at most, while the old
    ///   sound continues.
    func canCross(for command: PlayerCommand, at now: Int64, waits: Bool) -> Bool {
        // A stop followed by a start does both: first the fade, then the beginning.
        if command.code == .start && state == .stopping { return false }
        guard stack.value.soundingCount(at: now) <= 2 else { return false }
        // Without sound, every other command only chooses a place. The end of a previous player may need the place now.
        if command.code != .start, state == .idle || state == .finished { return true }
        guard waits, let (part, clipFrame) = playhead.destination(of: command) else { return true }
        return now - command.frame > longestWaitFrames
            || stack.value.hasOpening(of: playhead.score.part(part), index: part, from: clipFrame, at: now)
    }
}
