// A slow and plain session: one frame at a time, no scores, no threads. Tests compare the real session with this one.
import Engine
import Practice
import Store

/// The sound at speed 1, without gaps, by the rules of docs/sections.md.
struct SlowSession {
    /// The playing place.
    struct Place: Equatable {
        var section = 0
        var pass = 0
        var frame: Int64
    }

    let frameCount: Int64
    let sections: [Range<Int64>]
    /// Passes of each section; the list repeats.
    private(set) var passes: Int
    private(set) var place: Place
    private(set) var start: Int64?
    private(set) var end: Int64?
    private(set) var isLoop = false
    private(set) var isPaused = false
    private var passBeforeLoop = 0
    /// The section that plays, or played before the loop; from 0.
    private(set) var section = 0
    /// The clip frame of each output frame so far; nil for silence.
    private(set) var heard: [Int64?] = []
    /// For each output frame, the last frame at which the sound began to change over to another place.
    private(set) var lastJumps: [Int] = []
    private(set) var jumpCount = 0
    private var lastJump = Int.min / 2

    init(sections: [Range<Int64>], passes: Int, frameCount: Int64) {
        (self.sections, self.passes, self.frameCount) = (sections, passes, frameCount)
        place = Place(frame: sections[0].lowerBound)
    }

    private var loop: Range<Int64>? {
        guard let start, let end, start < end else { return nil }
        return start..<end
    }

    /// The playing ranges: the sections of the list, or the loop.
    private var ranges: [Range<Int64>] { isLoop ? [loop ?? 0..<0] : sections }

    var range: Range<Int64> { ranges[place.section] }

    /// Whether the next frame begins a pass.
    var isAtJoint: Bool { !isPaused && place.frame == range.upperBound }

    /// The shortest loop that the next change of a mark could make.
    func shortestLoop(after nudge: Int64, heard: Int64?) -> Int64 {
        var lengths: [Int64] = []
        if let loop { lengths.append(Int64(loop.count) - nudge) }
        if let heard {
            lengths.append(abs(heard - (start ?? range.lowerBound)))
            if let end { lengths.append(abs(end - heard)) }
        }
        return lengths.min() ?? .max
    }

    // MARK: Time

    /// Plays one frame.
    mutating func step() {
        defer { lastJumps.append(lastJump) }
        guard !isPaused else { return heard.append(nil) }
        if place.frame == range.upperBound {
            noteJump()
            place.pass += 1
            if !isLoop, place.pass == passes {
                place.pass = 0
                place.section = (place.section + 1) % sections.count
                section = place.section
            }
            place.frame = range.lowerBound
        }
        heard.append(place.frame)
        place.frame += 1
    }

    private mutating func noteJump() {
        lastJump = heard.count
        jumpCount += 1
    }

    // MARK: Keys

    /// The clip frame that is audible `late` frames after its rendering; nil before the first sound.
    func audible(late: Int) -> Int64? {
        if isPaused { return place.frame }
        let frame = heard.count - late
        // The end of the rendered sound is the frame to be rendered next.
        if frame == heard.count { return place.frame }
        return frame >= 0 ? heard[frame] : nil
    }

    mutating func setStart(_ frame: Int64) {
        change { model in
            model.start = frame
            if let end = model.end, end <= frame { (model.end, model.isLoop) = (nil, false) }
        }
    }

    /// - Returns: False if the end is refused.
    mutating func setEnd(_ frame: Int64) -> Bool {
        let from = start ?? range.lowerBound
        guard frame > from else { return false }
        change { ($0.start, $0.end, $0.isLoop) = (from, frame, true) }
        return true
    }

    mutating func nudge(end isEnd: Bool, by frames: Int64) -> Bool {
        guard let mark = isEnd ? end : start else { return false }
        change { model in
            if isEnd {
                model.end = min(max((model.start ?? 0) + 1, mark + frames), model.frameCount)
            } else {
                model.start = min(max(0, mark + frames), (model.end ?? model.frameCount) - 1)
            }
        }
        return true
    }

    mutating func toggleLoop() {
        let range = range
        change { model in
            if model.loop == nil { (model.start, model.end) = (range.lowerBound, range.upperBound) }
            model.isLoop.toggle()
        }
    }

    /// Sets a loop of the sound heard last; the loop's range is checked elsewhere.
    mutating func setLoop(_ range: Range<Int64>) {
        change { ($0.start, $0.end, $0.isLoop) = (range.lowerBound, range.upperBound, true) }
    }

    mutating func skip(by count: Int) {
        let target = section + count
        guard sections.indices.contains(target) else { return }
        isLoop = false
        section = target
        jump(to: Place(section: target, frame: sections[target].lowerBound))
    }

    /// Moves inside the playing range.
    mutating func seek(to frame: Int64) {
        jump(to: Place(section: place.section, pass: place.pass, frame: frame))
    }

    mutating func setPasses(_ count: Int) {
        passes = count
        // A pass beyond the new number becomes the last one; a loop has no end of its own.
        if !isLoop { place.pass = min(place.pass, count - 1) }
        jump(to: place)
    }

    mutating func togglePause() {
        isPaused.toggle()
        noteJump()
    }

    // MARK: Effects of a change of the marks

    private mutating func change(_ body: (inout SlowSession) -> Void) {
        let (wasLoop, before) = (isLoop, loop)
        body(&self)
        if isLoop, let loop, !wasLoop || before != loop {
            if !wasLoop { passBeforeLoop = place.pass }
            // The session continues at the same place, or begins the loop.
            let isInside = loop.contains(place.frame)
            let pass = wasLoop && isInside ? place.pass : 0
            jump(to: Place(pass: pass, frame: isInside ? place.frame : loop.lowerBound))
        } else if wasLoop, !isLoop {
            leave()
        }
    }

    /// Continues in the list: in the section in which the loop was set if this section has the place, else in the first
    /// section with the place, else at the beginning of the loop's own section.
    private mutating func leave() {
        if sections[section].contains(place.frame) {
            jump(to: Place(section: section, pass: min(passBeforeLoop, passes - 1), frame: place.frame))
        } else if let holder = sections.firstIndex(where: { $0.contains(place.frame) }) {
            section = holder
            jump(to: Place(section: holder, frame: place.frame))
        } else {
            jump(to: Place(section: section, frame: sections[section].lowerBound))
        }
    }

    private mutating func jump(to place: Place) {
        self.place = place
        if !isPaused { noteJump() }
    }
}
