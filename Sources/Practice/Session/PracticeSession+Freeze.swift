internal import Engine

extension PracticeSession {
    /// Holds the sound that is audible, or goes on from it; see `Player.freeze(at:)`.
    ///
    /// What is meant is the moment of the call: the player is ahead of the ear by the device's buffer, so it goes back by that much.
    public func setFrozen(_ isFrozen: Bool) {
        guard isFrozen else { return player.unfreeze() }
        let status = player.status
        if status.state == .playing, !status.isFrozen, !status.isResting, let place = try? audibleClipFrame() {
            // Just before, another section or nothing may have been heard; then the sound that comes next is held.
            if currentSection.contains(place) { try? player.seek(toClipFrame: place) }
        }
        player.freeze()
    }

    /// Whether the sound of one place is held.
    public var isFrozen: Bool { player.status.isFrozen }

    /// Begins with the sound of one place.
    func start(_ place: FrozenPlace, at frame: Int64?) {
        let sections = player.score.sections
        let section = sections.firstIndex { $0.range.contains(place.clipFrame) } ?? 0
        let isInside = sections[section].range.contains(place.clipFrame)
        // Only a section that the score has not could be refused.
        try? player.start(inSection: section + 1, clipFrame: isInside ? place.clipFrame : nil, at: frame)
        player.freeze(at: frame)
        if let count = place.frameCount { player.stop(at: (frame ?? 0) + count) }
    }
}
