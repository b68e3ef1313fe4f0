// Messages of a session without a visible status line.
import JSON
import Terminal
import WoodshedPractice

extension Session {
    /// The player's position, for use without a visible status line.
    var placeWords: String {
        let (status, sections) = (player.status, player.score.sections)
        let seconds = Double(status.clipFrame) / Double(player.clip.sampleRate)
        var parts: [String] = []
        if practice.marks.isRunning {
            parts.append("loop")
        } else if sections.count > 1 {
            parts.append("section \(status.section) of \(sections.count)")
        }
        parts += [passText(status.pass, of: status.passes), clockText(seconds), percentText(status.speed)]
        if practice.isReversed { parts.append("backwards") }
        parts += StripControls.words(player.strip)
        if status.isFrozen { parts.append("frozen") }
        if status.state == .paused { parts.append("paused") }
        if let words = takes?.placeWords { parts.append(words) }
        return parts.joined(separator: ", ")
    }

    /// Returns a line about an important event, for runs without a status line.
    func words(_ event: PlayerEvent) -> String? {
        let sections = player.score.sections
        switch event.kind {
        case .sectionStarted:
            guard sections.indices.contains(event.section - 1) else { return nil }
            let (section, rate) = (sections[event.section - 1], Double(player.clip.sampleRate))
            let name = section.name.map { ", " + $0 } ?? ""
            return "section \(event.section) of \(sections.count)\(name): "
                + "\(clockText(Double(section.range.lowerBound) / rate)) to "
                + "\(clockText(Double(section.range.upperBound) / rate))"
        case .passStarted: return "\(passText(event.pass, of: event.passes)), \(percentText(event.speed))"
        case .paused(let reason): return "paused (\(reason.name))"
        case .speedChanged: return "speed \(percentText(event.speed))"
        case .resumed: return "resumed"
        case .frozen: return "frozen at \(clockText(Double(event.clipFrame) / Double(player.clip.sampleRate)))"
        case .unfrozen: return "going on"
        case .xrun(let lostFrames): return "dropout of \(lostFrames) frames"
        case .starved(let frames): return "\(frames) frames were not decoded in time"
        case .limited(let decibels): return "turned down by up to \(fixed(decibels, decimals: 1)) dB, or it would clip"
        case .playbackStarted, .sectionEnded, .passEnded, .moved, .materialChosen, .finished: return nil
        }
    }

    /// Reports the result of a change to the saved sections; returns the line for standard output.
    func tell(_ news: KeptNews) -> String {
        switch news {
        case .changed(let change, let list, let words):
            keeping?.take(list)
            loop.say([words])
            return change.isEmpty ? "" : run.programLine { change.json(in: list).text }
        case .refused(let words):
            loop.say(words, evenQuiet: true)
            return ""
        case .offered(let words):
            loop.say(words)
            return ""
        case .rated(let words, let json):
            loop.say([words])
            return run.programLine { json.text }
        }
    }

    /// Returns the line for programs about a change of the loop.
    func line(_ marks: LoopMarks) -> String {
        func frame(_ frame: Int64?) -> JSONValue {
            frame.map { .integer(player.clip.fileFrame(forFrame: $0)) } ?? .null
        }
        let fields: [JSONValue.Field] = [
            .init("frame", .integer(player.status.outputFrame)), .init("start_frame", frame(marks.start)),
            .init("end_frame", frame(marks.end)), .init("running", .bool(marks.isRunning)),
        ]
        return run.programLine { JSONValue.event("loop.changed", fields).text }
    }
}
