import Samples

@testable package import Engine

/// A slow, obvious player to compare the real player with: one frame at a time, whole lists of spans, every layer's
/// sound an array, no buffers, no blocks. Only the stretcher and the fade curve are shared with the engine.
package struct ReferencePlayer {
    struct Span {
        var section: Int
        var pass: Int
        var isRest: Bool
        var clipStart: Int64
        var start: Int64
        var end: Int64
        /// The exact length less the rounded length, from the last place at which rounding began anew.
        var carry = 0.0
        var motion: ReferenceMotion
        var isLast = false
    }

    struct Sound {
        /// The audible voices, each from an output frame on; an empty list is silence.
        var voices: [(start: Int64, voice: ReferenceVoice)] = []
        var start: Int64
        var entry = 0
        var rise = 0
        var fall = 0
        var fallEnd: Int64 = 0
        /// The clip's frame with the held sound.
        var frozenAt: Int64?

        var entryEnd: Int64 { start + Int64(entry) }
    }

    /// Pending requests, in order.
    struct Asked {
        var number: Int
        var command: PlayerCommand
        var score: Score?
    }

    /// A change of speed that the playing sound has received, or that waits for the end of the pass.
    struct Told {
        var frame: Int64
        var sound: Int
        var asked: Asked
    }

    enum State { case idle, playing, paused, stopping, finished }

    let clip: [[Float]]
    let rate: Int
    var score: Score
    var state = State.idle
    var spans: [Span] = []
    var index = 0
    var sounds: [Sound] = []
    var soundsLaid = 0
    var told: [Told] = []
    var isFrozen = false
    /// The place at which a pause and frozen sound continue.
    var stillAt = Place()
    var stopFrame: Int64 = 0
    /// Whether an audible pass ends half-way between two frames, or the player was moved half-way between two, as near
    /// as can be computed: then the player, which computes in another way, may rightly round to the other frame.
    package internal(set) var isUndecided = false
    var gains: [(frame: Int64, from: Float, to: Float)] = [(-1_000_000, 1, 1)]

    var crossfade: Int { (rate * 5 + 500) / 1000 }
    var fade: Int { (rate * 3 + 500) / 1000 }
    var span: Span { spans[index] }

    package init(clip: [[Float]], rate: Int, score: Score) {
        self.clip = clip
        self.rate = rate
        self.score = score
    }

    /// Renders all sound of the first `count` output frames, channels × frames.
    package mutating func render(_ count: Int, commands: [(command: PlayerCommand, score: Score?)]) -> [[Float]] {
        var waiting = commands.enumerated().map { Asked(number: $0, command: $1.command, score: $1.score) }
        var output = [[Float]](repeating: [], count: clip.count)
        for frame in 0..<Int64(count) {
            adoptTold(&waiting, at: frame)
            apply(&waiting, at: frame)
            crossJoints(at: frame)
            exchangeCopies(at: frame)
            if let last = sounds.lastIndex(where: { $0.entryEnd <= frame }) { sounds.removeFirst(last) }
            apply(&waiting, at: frame)
            if isMoving, abs(abs(span.carry) - 0.5) < 1e-6 { isUndecided = true }
            for channel in clip.indices { output[channel].append(gain(at: frame) * heard(channel, at: frame)) }
        }
        return output
    }

    private func heard(_ channel: Int, at frame: Int64) -> Float {
        var mix: Float = 0
        for (depth, sound) in sounds.enumerated() {
            let local = frame - sound.start
            var value: Float = 0
            if let (start, voice) = sound.voices.last { value = voice.sample(channel, frame - start) }
            var weight: Float = 1
            if local < sound.rise { weight = Fade.weight(at: Int(local), of: sound.rise) }
            if sound.fall > 0 && frame >= sound.fallEnd - Int64(sound.fall) {
                weight *= Fade.weight(at: Int(sound.fallEnd - 1 - frame), of: sound.fall)
            }
            if weight < 1 { value *= weight }
            mix = depth == 0 ? value : mix + (value - mix) * Fade.weight(at: Int(local), of: sound.entry)
        }
        return mix
    }

    private func gain(at frame: Int64) -> Float {
        guard let last = gains.last else { return 1 }
        let length = (rate * 20 + 500) / 1000
        let gone = frame - last.frame + 1
        return gone >= length ? last.to : last.from + (last.to - last.from) * (Float(gone) / Float(length))
    }

    // MARK: The score as a list

    private func curve(_ section: Int, _ pass: Int) -> ReferenceCurve {
        let range = score.sections[section].range
        return ReferenceCurve(speeds(section), pass: pass, distance: Double(range.count))
    }

    func speeds(_ section: Int) -> SpeedSchedule { score.sections[section].speeds ?? score.plan.speeds }

    /// Passes of a section; without a number, more than any test plays.
    static func passes(_ section: Int, of score: Score) -> Int {
        (score.sections[section].passes ?? score.plan.passes).number ?? .max
    }

    /// Notes that the beginning gap is a number of frames and a half.
    private mutating func noteHalfGap() {
        guard span.isRest, case .passLengths(let factor) = score.sections[span.section].gap ?? score.plan.gap else {
            return
        }
        let frames = factor * curve(span.section, span.pass).time(Double(score.sections[span.section].range.count))
        if abs(frames - frames.rounded(.down) - 0.5) < 1e-6 { isUndecided = true }
    }

    private func gap(_ section: Int, after whole: Double) -> Int64 {
        (score.sections[section].gap ?? score.plan.gap).frameCount(passFrames: whole) ?? 0
    }

    /// Spans that begin later than this after a change are inaudible in all tests, in output frames.
    private static let horizon: Int64 = 200_000

    /// All spans from a place on, with lengths summed exactly and rounded once each.
    ///
    /// - Parameter first: The pass that plays at `place`, if unchanged; `frame` is then its end.
    func spans(from place: Place, at frame: Int64, first: Span? = nil) -> [Span] {
        var all: [Span] = []
        var exact = first?.carry ?? 0
        var rests: Int64 = 0
        var end: Int64 { frame + rests + Int64((exact).rounded(.toNearestOrAwayFromZero)) }
        let rounds = score.plan.repeats ? Int.max : 1
        for section in (0..<rounds).lazy.flatMap({ round in (0..<score.sections.count).lazy.map { (round, $0) } })
            .drop(while: { $0.1 < place.section })
        {
            let (round, section) = section
            let range = score.sections[section].range
            let isFirst = round == 0 && section == place.section
            for pass in (isFirst ? place.pass : 0)..<Self.passes(section, of: score) {
                guard end <= frame + Self.horizon else { return all }
                let isEntry = isFirst && pass == place.pass
                let curve = curve(section, pass)
                let whole = curve.time(Double(range.count))
                let isLast =
                    !score.plan.repeats && section + 1 == score.sections.count
                    && pass + 1 == Self.passes(section, of: score)
                if isEntry, let first {
                    all.append(first)
                } else if !(isEntry && place.isRest) {
                    let clipStart = isEntry ? place.clipFrame : range.lowerBound
                    let start = end
                    let phase = (curve.time(Double(clipStart - range.lowerBound)) + 0.5).rounded(.down)
                    let motion = ReferenceMotion(
                        curve: curve, start: start, position: Double(clipStart),
                        phase: clipStart > range.lowerBound ? phase : 0)
                    exact += motion.frames(toClipFrame: range.upperBound)
                    all.append(
                        Span(
                            section: section, pass: pass, isRest: false, clipStart: clipStart, start: start, end: end,
                            carry: exact - exact.rounded(.toNearestOrAwayFromZero), motion: motion, isLast: isLast))
                }
                let gap = gap(section, after: whole)
                let isEntryRest = isEntry && place.isRest
                if gap > 0 && !isLast || isEntryRest {
                    let start = end
                    rests += isEntryRest ? max(0, gap - place.restElapsed) : gap
                    // A rest that is already over is left out, unless it is the last span.
                    if isEntryRest && end == start && !isLast { continue }
                    all.append(
                        Span(
                            section: section, pass: pass, isRest: true, clipStart: range.upperBound, start: start,
                            end: end, carry: exact - exact.rounded(.toNearestOrAwayFromZero),
                            motion: ReferenceMotion(curve: curve, start: start, position: Double(range.upperBound))))
                }
            }
        }
        return all
    }

    func place(at frame: Int64) -> Place {
        let range = score.sections[span.section].range
        if span.isRest {
            let whole = curve(span.section, span.pass).time(Double(range.count))
            let gap = gap(span.section, after: whole)
            return Place(
                section: span.section, pass: span.pass, isRest: true, clipFrame: range.upperBound,
                restElapsed: gap - max(0, span.end - frame))
        }
        let position = Int64((span.motion.position(frame) + 0.5).rounded(.down))
        return Place(
            section: span.section, pass: span.pass, isRest: false, clipFrame: min(position, range.upperBound - 1))
    }

    // MARK: Events

    private mutating func crossJoints(at frame: Int64) {
        if state == .stopping && frame >= stopFrame { finish(at: frame) }
        while isMoving && frame >= span.end {
            if index + 1 == spans.count {
                finish(at: span.end)
                return
            }
            index += 1
            noteHalfGap()
            let entry = score.plan.joint == .crossfade ? min(crossfade, Int(span.end - span.start)) : 0
            push(entry: entry)
        }
    }

    private mutating func finish(at frame: Int64) {
        state = .finished
        lay(Sound(start: frame))
    }

    private mutating func push(entry: Int) {
        let length = Int(span.end - span.start)
        var sound = Sound(start: span.start, entry: entry)
        if !span.isRest {
            sound.voices = [(span.start, voice(from: span.clipStart, at: span.start))]
            let range = score.sections[span.section].range
            sound.fallEnd = span.end
            switch score.plan.joint {
            case .hard: break
            case .fade:
                sound.rise = span.clipStart == range.lowerBound ? min(fade, length / 2) : 0
                sound.fall = min(fade, length / 2)
            case .crossfade:
                sound.fall = span.isLast && range.upperBound < clip[0].count ? min(crossfade, length) : 0
            }
        }
        lay(sound)
    }

    mutating func lay(_ sound: Sound) {
        if sound.entry == 0 { sounds = [] }
        sounds.append(sound)
        soundsLaid += 1
    }

    private mutating func apply(_ waiting: inout [Asked], at frame: Int64) {
        while let next = waiting.firstIndex(where: { $0.command.frame <= frame }) {
            if leaveOut(next, of: &waiting, at: frame) { continue }
            if tell(waiting[next], at: frame) {
                waiting.remove(at: next)
                continue
            }
            if waiting[next].command.code == .start && state == .stopping { return }
            let sounding = sounds.count - (sounds.lastIndex { $0.entryEnd <= frame } ?? 0)
            if waiting[next].command.code != .gain && sounding > 2 { return }
            let asked = waiting.remove(at: next)
            apply(asked.command, asked.score, at: frame)
        }
    }

    /// Among several changes of the score for one frame, without another request between them, a change counts if a
    /// later change builds on it: a glide builds on a step or a new score, nothing builds on a glide.
    private func leaveOut(_ index: Int, of waiting: inout [Asked], at frame: Int64) -> Bool {
        let due = waiting.indices.filter { $0 >= index && waiting[$0].command.frame <= frame }
        let asked = waiting[index].command
        let together = due.prefix {
            waiting[$0].command.frame == asked.frame && waiting[$0].command.replacesScore
        }
        guard together.count > 1 else { return false }
        func isGlide(_ index: Int) -> Bool {
            waiting[index].command.code == .changeSpeed && waiting[index].command.value > 0
        }
        guard let heir = together.dropFirst().first(where: { !isGlide($0) || isGlide(index) }) else { return false }
        if asked.code == .replaceScore { waiting[heir].command.code = .replaceScore }
        waiting.remove(at: index)
        return true
    }

    private mutating func apply(_ command: PlayerCommand, _ newScore: Score?, at frame: Int64) {
        switch command.code {
        case .gain:
            gains.append((frame, gain(at: frame - 1), command.gain))
        case .strip:
            preconditionFailure("the reference has no strip")
        case .start:
            guard state == .idle || state == .finished else { return }
            (state, isFrozen) = (.playing, false)
            enter(Place(clipFrame: score.sections[0].range.lowerBound), at: frame, entry: 0)
        case .pause:
            guard state == .playing else { return }
            noteHalfFrame(at: frame)
            stillAt = here(at: frame)
            state = .paused
            lay(Sound(start: frame, entry: crossfade))
        case .resume:
            guard state == .paused else { return }
            state = .playing
            enter(stillAt, at: frame, entry: crossfade)
        case .freeze: setFrozen(true, at: frame)
        case .unfreeze: setFrozen(false, at: frame)
        case .stop:
            if state == .playing {
                state = .stopping
                lay(Sound(start: frame, entry: crossfade))
                stopFrame = frame + Int64(crossfade)
            } else if state == .idle || state == .paused {
                finish(at: frame)
            }
        case .adoptScore:
            // Only a player that analyses its clip sends this command; the reference knows plain voices alone.
            break
        case .seek, .skip, .replaceScore, .changeSpeed:
            if newScore != nil { told = [] }
            guard state == .playing || state == .paused else {
                score = newScore ?? score
                return
            }
            move(command, newScore, at: frame)
        }
    }

    private mutating func move(_ command: PlayerCommand, _ newScore: Score?, at frame: Int64) {
        noteHalfFrame(at: frame)
        var target = here(at: frame)
        let here = isStill ? stillAt.section : span.section
        switch command.code {
        case .seek:
            if !score.sections[here].range.contains(command.value) {
                guard let section = score.sections.firstIndex(where: { $0.range.contains(command.value) })
                else { return }
                target = Place(section: section)
            }
            target.isRest = false
            target.clipFrame = command.value
        case .skip:
            let section = Int(command.value)
            target = Place(section: section, clipFrame: score.sections[section].range.lowerBound)
        default:
            score = newScore ?? score
            target = fitting(target)
        }
        stillAt = target
        if state == .playing { enter(target, at: frame, entry: crossfade) }
    }

    private func fitting(_ place: Place) -> Place {
        let sections = score.sections
        if place.section < sections.count,
            place.isRest || sections[place.section].range.contains(place.clipFrame)
        {
            var place = place
            place.pass = min(place.pass, Self.passes(place.section, of: score) - 1)
            return place
        }
        if let section = sections.firstIndex(where: { $0.range.contains(place.clipFrame) }) {
            return Place(section: section, clipFrame: place.clipFrame)
        }
        return Place(clipFrame: sections[0].range.lowerBound)
    }

    mutating func enter(_ place: Place, at frame: Int64, entry: Int) {
        var place = place
        let range = score.sections[place.section].range
        if !place.isRest { place.clipFrame = max(range.lowerBound, min(place.clipFrame, range.upperBound - 1)) }
        spans = spans(from: place, at: frame)
        index = 0
        if isFrozen { layFrozen(place, at: frame) } else { push(entry: entry) }
    }
}
