// Derives the entries of the practice log from the events of a session. Separate from the log's threads, so that every
// rule can be tested as a function.
internal import AudioFiles
internal import Engine
internal import Store

/// The open and the unwritten entries.
struct PracticeLogState {
    /// The section or range of an event.
    struct Place: Equatable {
        var sectionID: Int?
        var name: String
        /// The range in frames of the recording's file.
        var frames: Range<Int64>
        /// The range in frames of the clip.
        var clipFrames: Range<Int64>
    }

    /// An entry, and its number in the store.
    struct Written {
        let id: Int
        var entry: PracticeEntry
        /// The entry's number in the store; nil before the first writing.
        var number: Int?
    }

    private let key: RecordingKey
    /// Frames per second of the output, and of the clip.
    private let sampleRate: Double
    private let calendar: PracticeCalendar
    /// The open entry, and the place that the entry counts; nil while nothing is practised.
    private var current: (place: Place, written: Written)?
    /// Finished entries still to be written.
    private var over: [Written] = []
    private var nextID = 1
    /// The output frame up to which the time was counted; nil while nothing plays.
    private var countedFrame: Int64?
    private var pass: Pass?

    /// The current pass, of which no part was left out.
    private struct Pass {
        var lowestSpeed: Double
        /// The player's last known place in the clip, and the output frame of this place.
        var clipFrame: Int64
        var frame: Int64
        var speed: Double
    }

    /// Limits memory if the store fails for long.
    private static let mostUnwritten = 1000
    /// A shorter entry without a complete pass is only a passage to another section.
    private static let leastSeconds = 1.0
    /// Shorter jumps forwards do not count, because the player's place is computed from its speed.
    private static let jumpSeconds = 0.25

    init(key: RecordingKey, sampleRate: Int, calendar: PracticeCalendar) {
        (self.key, self.sampleRate, self.calendar) = (key, Double(sampleRate), calendar)
    }

    // MARK: Events

    /// Handles an event of the player.
    ///
    /// - Parameters:
    ///   - place: The place of the event's section.
    ///   - now: Seconds since 1970.
    mutating func take(_ event: PlayerEvent, in place: Place?, at now: Int64) {
        count(to: event.frame, at: now)
        switch event.kind {
        case .playbackStarted, .resumed, .unfrozen:
            countedFrame = event.frame
            enter(place, at: now)
            note(event)
        case .sectionStarted: enter(place, at: now)
        case .passStarted:
            if countedFrame == nil { countedFrame = event.frame }
            enter(place, at: now)
            let edge = event.isReversed ? place?.clipFrames.upperBound : place?.clipFrames.lowerBound
            let isWhole = edge.map { abs($0 - event.clipFrame) <= Self.slack } ?? false
            let begun = Pass(
                lowestSpeed: event.speed, clipFrame: event.clipFrame, frame: event.frame, speed: event.speed)
            pass = isWhole ? begun : nil
        case .moved:
            if let pass {
                let way = Double(event.frame - pass.frame) * pass.speed * (event.isReversed ? -1 : 1)
                let jump = (Double(event.clipFrame - pass.clipFrame) - way) * (event.isReversed ? -1 : 1)
                if jump > Self.jumpSeconds * sampleRate { self.pass = nil }
            }
            enter(place, at: now)
            note(event)
        case .speedChanged: note(event)
        case .passEnded: endPass(event)
        case .paused, .frozen:
            note(event)
            countedFrame = nil
        case .finished: end()
        case .sectionEnded, .xrun, .starved, .limited, .materialChosen: break
        }
    }

    /// Counts the time up to an output frame, while a long pass has no events.
    mutating func count(to frame: Int64, at now: Int64) {
        guard let counted = countedFrame, frame > counted else { return }
        countedFrame = frame
        guard case (let place, var written)? = current else { return }
        written.entry.seconds += Double(frame - counted) / sampleRate
        let isNextDay = calendar.day(of: now) > calendar.day(of: written.entry.began)
        if !isNextDay { written.entry.ended = max(now, written.entry.began) }
        current = (place, written)
        // The next day has an entry of its own.
        if isNextDay {
            close()
            open(place, at: now)
        }
    }

    /// Ends the entry and the pass.
    mutating func end() {
        close()
        (countedFrame, pass) = (nil, nil)
    }

    private mutating func enter(_ place: Place?, at now: Int64) {
        guard let place, place != current?.place else { return }
        // A section moved or renamed during playback is the same section.
        if let section = current?.place.sectionID, section == place.sectionID {
            current?.place = place
            return
        }
        close()
        open(place, at: now)
    }

    private mutating func open(_ place: Place, at now: Int64) {
        let entry = PracticeEntry(
            key: key, sectionID: place.sectionID, name: place.name, frames: place.frames, began: now, ended: now,
            seconds: 0)
        current = (place, Written(id: nextID, entry: entry))
        nextID += 1
    }

    private mutating func close() {
        if let current, isWorthwhile(current.written) { over.append(current.written) }
        if over.count > Self.mostUnwritten { over.removeFirst() }
        current = nil
    }

    private func isWorthwhile(_ written: Written) -> Bool {
        written.number != nil || written.entry.passes > 0 || written.entry.seconds >= Self.leastSeconds
    }

    // MARK: Passes

    /// Tolerance of an edge in frames: two clips of different rates round differently.
    private static let slack: Int64 = 2

    private mutating func note(_ event: PlayerEvent) {
        guard var pass else { return }
        pass.lowestSpeed = min(pass.lowestSpeed, event.speed)
        (pass.clipFrame, pass.frame, pass.speed) = (event.clipFrame, event.frame, event.speed)
        self.pass = pass
    }

    private mutating func endPass(_ event: PlayerEvent) {
        defer { pass = nil }
        guard let pass, case (let place, var written)? = current else { return }
        let edge = event.isReversed ? place.clipFrames.lowerBound : place.clipFrames.upperBound
        guard abs(event.clipFrame - edge) <= Self.slack else { return }
        let speed = min(pass.lowestSpeed, event.speed)
        written.entry.passes += 1
        let known = written.entry.speeds
        written.entry.speeds = PracticeEntry.Speeds(
            lowest: min(known?.lowest ?? speed, speed), highest: max(known?.highest ?? speed, speed), last: speed)
        current = (place, written)
    }

    /// The speeds of complete passes of the current section; nil before the first.
    var speeds: PracticeEntry.Speeds? { current?.written.entry.speeds }

    // MARK: Writing

    /// True if nothing plays and everything is written.
    var isIdle: Bool { current == nil && over.isEmpty }

    /// True if a finished entry is still to be written.
    var isUrgent: Bool { !over.isEmpty }

    /// The entries to write now.
    var unwritten: [Written] { over + [current?.written].compactMap { $0 }.filter(isWorthwhile) }

    /// Records that an entry was written.
    mutating func note(written: Written, number: Int) {
        if current?.written.id == written.id { current?.written.number = number }
        for index in over.indices where over[index].id == written.id {
            // Later additions are written the next time.
            over[index].number = number
        }
        over.removeAll { $0.id == written.id && $0.entry == written.entry }
    }
}
