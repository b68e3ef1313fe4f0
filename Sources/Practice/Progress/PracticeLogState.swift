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
    private var over: WaitingEntries
    /// The open entry that is being written, perhaps as a new row of the store; nil while none is.
    private var writingID: Int?
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

    /// A shorter entry without a complete pass is only a passage to another section.
    private static let leastSeconds = 1.0
    /// Shorter jumps forwards do not count, because the player's place is computed from its speed.
    private static let jumpSeconds = 0.25

    init(key: RecordingKey, sampleRate: Int, calendar: PracticeCalendar) {
        (self.key, self.sampleRate, self.calendar) = (key, Double(sampleRate), calendar)
        over = WaitingEntries(calendar)
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
        defer { current = nil }
        guard let written = current?.written, isWorthwhile(written) else { return }
        // An entry with a row of its own would count twice in another entry.
        over.add(written, isWhole: written.number == nil && written.id != writingID)
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
        written.entry.add(passes: 1, at: PracticeEntry.Speeds(lowest: speed, highest: speed, last: speed))
        current = (place, written)
    }

    /// The speeds of complete passes of the current section; nil before the first.
    var speeds: PracticeEntry.Speeds? { current?.written.entry.speeds }

    // MARK: Writing

    /// True if nothing plays and everything is written.
    var isIdle: Bool { current == nil && over.entries.isEmpty }

    /// True if a finished entry is still to be written.
    var isUrgent: Bool { !over.entries.isEmpty }

    /// Entries dropped because too many others were unwritten.
    var lostCount: Int { over.lostCount }

    /// The entries to write now.
    var unwritten: [Written] { over.entries + [current?.written].compactMap { $0 }.filter(isWorthwhile) }

    /// Returns the entries to write now. `note` or `noteFailure` follows.
    mutating func beginWriting() -> [Written] {
        writingID = current?.written.id
        return unwritten
    }

    /// Records that the store refused an entry, and that the entries after it were not tried.
    mutating func noteFailure() { writingID = nil }

    /// Records that an entry was written.
    mutating func note(written: Written, number: Int) {
        if current?.written.id == written.id { current?.written.number = number }
        over.note(written, number: number)
    }
}

/// Finished entries of the practice log that wait for the store, with a limit for a store that fails for long, and for
/// sections of a few frames that end faster than the store writes.
struct WaitingEntries {
    private(set) var entries: [PracticeLogState.Written] = []
    /// Entries dropped because too many others wait.
    private(set) var lostCount = 0
    private let calendar: PracticeCalendar

    static let most = 1000

    init(_ calendar: PracticeCalendar) { self.calendar = calendar }

    /// Adds an entry. Without room the entry becomes part of an entry of the same section and day, or replaces the
    /// oldest entry.
    ///
    /// - Parameter isWhole: True if no part of the entry can be in the store.
    mutating func add(_ written: PracticeLogState.Written, isWhole: Bool) {
        if entries.count >= Self.most {
            if isWhole, let index = entries.firstIndex(where: { isAlike($0.entry, written.entry) }) {
                return entries[index].entry.add(written.entry)
            }
            entries.removeFirst()
            lostCount += 1
        }
        entries.append(written)
    }

    /// True for two entries of the same section or range, on the same day.
    private func isAlike(_ one: PracticeEntry, _ other: PracticeEntry) -> Bool {
        one.sectionID == other.sectionID && one.frames == other.frames && one.name == other.name
            && calendar.day(of: one.began) == calendar.day(of: other.began)
    }

    /// Removes an entry that was written, or notes its number if more was added meanwhile.
    mutating func note(_ written: PracticeLogState.Written, number: Int) {
        for index in entries.indices where entries[index].id == written.id {
            // Later additions are written the next time.
            entries[index].number = number
        }
        entries.removeAll { $0.id == written.id && $0.entry == written.entry }
    }
}

extension PracticeEntry {
    /// Adds later practice of the same section or range.
    fileprivate mutating func add(_ later: PracticeEntry) {
        ended = max(ended, later.ended)
        seconds += later.seconds
        if let speeds = later.speeds { add(passes: later.passes, at: speeds) }
    }

    /// Adds complete passes.
    fileprivate mutating func add(passes count: Int, at new: Speeds) {
        passes += count
        speeds = Speeds(
            lowest: min(speeds?.lowest ?? new.lowest, new.lowest),
            highest: max(speeds?.highest ?? new.highest, new.highest), last: new.last)
    }
}
