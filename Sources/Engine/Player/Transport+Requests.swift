internal import Samples

extension Transport {
    /// A start in the place that earlier requests have chosen, as a start at that place; any other command as it is.
    func resolved(_ command: PlayerCommand) -> PlayerCommand {
        guard command.code == .start, command.moved.to == SectionMove.chosen else { return command }
        var start = command
        start.value = isChosen && !beginsSection ? stillAt.clipFrame : -1
        start.moved.to = isChosen ? Int32(clamping: stillAt.section) : -1
        return start
    }

    /// Keeps a place for the next start. Without effect in the fade of a stop.
    mutating func choose(_ place: Place, beginsSection: Bool, at now: Int64) {
        guard state == .idle || state == .finished else { return }
        (stillAt, isChosen, self.beginsSection) = (place, true, beginsSection)
        playhead.go(to: place, at: now)
    }

    /// Keeps the chosen place in another score: the beginning of the section, or the frame if the section has it.
    ///
    /// - Parameter begins: whether the section begins anew, whatever was chosen.
    mutating func chooseAgain(_ place: Place, begins: Bool, at now: Int64) {
        let isBeginning = begins || beginsSection
        var place = place
        if isBeginning { (place.clipFrame, place.pass) = (-1, 0) }
        choose(playhead.fitting(place, staysWithin: true), beginsSection: isBeginning, at: now)
    }

    /// Whether a command that changes the sound can be carried out: only while at most one fade is in progress, so that at most
    /// `LayerStack.maximumLayers` are audible. That takes 5 ms at the longest.
    ///
    /// - Parameter waits: whether the command waits until its place is decoded, half a second at most, while the old sound continues.
    func canCross(for command: PlayerCommand, at now: Int64, waits: Bool) -> Bool {
        // A stop followed by a start does both: first the fade, then the beginning.
        if command.code == .start && state == .stopping { return false }
        guard stack.value.soundingCount(at: now) <= 2 else { return false }
        guard waits, let (part, clipFrame) = playhead.destination(of: command) else { return true }
        return now - command.frame > longestWaitFrames
            || stack.value.hasOpening(of: playhead.score.part(part), index: part, from: clipFrame, at: now)
    }
}
