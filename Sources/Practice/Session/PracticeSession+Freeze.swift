internal import Engine

extension PracticeSession {
    /// Holds the audible sound, or continues from there; see `Player.freeze(at:)`.
    ///
    /// The sound is that of the moment of the call: the player is ahead of the ear by the device's buffer, so the
    /// method moves the player back by this amount.
    public func setFrozen(_ isFrozen: Bool) {
        guard isFrozen else { return player.unfreeze() }
        let status = player.status
        if status.state == .playing, !status.isFrozen, !status.isResting, let place = try? audibleClipFrame() {
            // If the ear still hears another section or nothing, the sound that comes next is held.
            if currentSection.contains(place) { try? player.seek(toClipFrame: place) }
        }
        player.freeze()
    }

    /// True if the sound of one place is held.
    public var isFrozen: Bool { player.status.isFrozen }

    /// Begins with the sound of one place.
    func start(_ place: FrozenPlace, at frame: Int64?) {
        let sections = player.score.sections
        let section = sections.firstIndex { $0.range.contains(place.clipFrame) } ?? 0
        let isInside = sections[section].range.contains(place.clipFrame)
        // Refused only for a section missing from the score.
        try? player.start(inSection: section + 1, clipFrame: isInside ? place.clipFrame : nil, at: frame)
        player.freeze(at: frame)
        guard let count = place.frameCount else { return }
        // On a running engine, the next block is far from frame 0.
        let (end, isEndless) = (frame ?? max(player.status.outputFrame, audibleFrame())).addingReportingOverflow(count)
        if !isEndless { player.stop(at: end) }
    }
}
