// Keys of the loop set by ear, and messages about their effect.
import Terminal
import WoodshedPractice

/// Carries out the keys of the loop on a practice session.
struct LoopControls {
    let session: PracticeSession

    /// Carries out a key.
    ///
    /// - Returns: The effect, or the reason for a refusal, in a few words.
    func apply(_ key: KeyAction.Loop) -> String {
        do throws(SessionError) {
            switch key {
            case .setStart: try session.setLoopStart()
            case .setEnd: try session.setLoopEnd()
            case .toggle: try session.toggleLoop()
            case .goToStart: session.jumpToStart()
            case .lastHeard: try session.loopLastHeard()
            case .nudge(let edge, let seconds):
                try session.nudge(edge, by: Int64((seconds * Double(clip.sampleRate)).rounded()))
            case .nudgeFrames(let edge, let count): try session.nudge(edge, byFileFrames: Int64(count))
            }
        } catch {
            return error.message
        }
        return words(after: key)
    }

    private func words(after key: KeyAction.Loop) -> String {
        let marks = session.marks
        switch key {
        case .goToStart: return "from the start"
        case .toggle where !marks.isRunning: return "loop left"
        case .nudge(.start, _), .nudgeFrames(.start, _):
            return "loop starts at " + marks.start.map(exact).orUnknown
        case .nudge(.end, _), .nudgeFrames(.end, _): return "loop ends at " + marks.end.map(exact).orUnknown
        case .setStart, .setEnd, .toggle, .lastHeard:
            guard let range = marks.range, marks.isRunning else {
                return "loop starts at " + marks.start.map(exact).orUnknown
            }
            let seconds = Double(range.count) / Double(clip.sampleRate)
            return "loop \(exact(range.lowerBound)) to \(exact(range.upperBound)), \(fixed(seconds, decimals: 2)) s"
        }
    }

    private var clip: Clip { session.player.clip }

    /// Returns a time with milliseconds, because edges move by hundredths.
    private func exact(_ frame: Int64) -> String {
        clockText(Double(frame) / Double(clip.sampleRate), decimals: 3)
    }
}

extension String? {
    fileprivate var orUnknown: String { self ?? "an unknown place" }
}
