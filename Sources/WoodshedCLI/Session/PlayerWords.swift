// Important events of a player as words, where there is no status line.
import Woodshed

extension PlayerEvent {
    /// What is said of it; nil if nothing is.
    ///
    /// - Parameter player: The player that it is an event of.
    func words(_ player: Player) -> String? {
        let rate = Double(player.clip.sampleRate)
        switch kind {
        case .sectionStarted:
            let sections = player.score.sections
            guard sections.indices.contains(section - 1) else { return nil }
            let started = sections[section - 1]
            let name = started.name.map { ", " + $0 } ?? ""
            return "section \(section) of \(sections.count)\(name): "
                + "\(clockText(Double(started.range.lowerBound) / rate)) to "
                + "\(clockText(Double(started.range.upperBound) / rate))"
        case .passStarted: return "\(passText(pass, of: passes)), \(percentText(speed))"
        case .paused(let reason): return "paused (\(reason.name))"
        case .speedChanged: return "speed \(percentText(speed))"
        case .resumed: return "resumed"
        case .frozen: return "frozen at \(clockText(Double(clipFrame) / rate))"
        case .unfrozen: return "going on"
        case .xrun(let lostFrames): return "dropout of \(lostFrames) frames"
        case .starved(let frames): return "\(frames) frames were not decoded in time"
        case .limited(let decibels): return "turned down by up to \(fixed(decibels, decimals: 1)) dB, or it would clip"
        case .playbackStarted, .sectionEnded, .passEnded, .moved, .materialChosen, .finished: return nil
        }
    }
}
