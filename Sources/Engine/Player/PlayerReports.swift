internal import Realtime
internal import Samples

/// Reports of a player on the render thread to the control side: events and the latest status.
///
/// Real-time safe: yes. The render thread never waits for a full ring; events without room are counted as dropped. The
/// newest end without room is in the status: programs wait for the end by this event alone, and everything else is in
/// the status anyway. Each end in the status is counted, too, because the player may start again before a reader has
/// seen the end; the control side takes the ends that it delivers from the count.
struct PlayerReports: ~Copyable {
    private var events: RingProducer<RenderEvent>
    private var statusWriter: SnapshotWriter<PlayerStatus>
    private var peaks: PlayerPeaks
    private var counters = PlayerCounters()
    /// Places of the ring for further events of this block; nil before its first event.
    private var room: Int?
    /// True if held events wait for `publish(_:)`.
    private(set) var holdsEvents = false
    /// Lowest gain of the sound since the last reported end of a pass, as a factor.
    private var lowestGain: Float = 1

    /// The newest end of this piece of a block, if the ring has no room for the end.
    private var untoldEnd: RenderEvent?

    /// Threshold of the report: a reduction of 0.1 dB.
    private static let toldGain: Float = 0.9886

    init(
        events: consuming RingProducer<RenderEvent>, status: consuming SnapshotWriter<PlayerStatus>,
        peaks: consuming RingProducer<SIMD8<Float>>
    ) {
        self.events = events
        statusWriter = status
        self.peaks = PlayerPeaks(peaks)
    }

    /// Notes a gain of the sound, as a factor; 1 for no reduction. The report comes before the end of the pass.
    mutating func noteGain(_ gain: Float) { lowestGain = min(lowestGain, gain) }

    /// Includes frames of the sound in the peaks, for the next status.
    mutating func notePeaks(
        of channels: UnsafePointer<UnsafeMutablePointer<Float>>, channelCount: Int, frameCount: Int
    ) {
        unsafe peaks.take(channels, channelCount: channelCount, frameCount: frameCount)
    }

    /// Notes that a move is carried out, for the next status.
    mutating func noteMove(_ number: Int64) { counters.movesTaken = number }

    /// Posts an event about the playhead's span.
    mutating func post(
        _ code: RenderEvent.Code, of playhead: Playhead, at frame: Int64, clipFrame: Int64, detail: Int64 = 0
    ) {
        post(
            code, about: playhead.part, choice: playhead.choice, pass: playhead.cursor.pass, at: frame,
            speed: playhead.speed(at: frame), clipFrame: clipFrame, detail: detail)
    }

    /// Posts an event about a pass left by the player.
    mutating func post(_ code: RenderEvent.Code, about left: Departure, at frame: Int64) {
        post(
            code, about: left.part, choice: left.choice, pass: left.pass, at: frame, speed: left.speed,
            clipFrame: left.clipFrame)
    }

    /// Posts an event about another pass, perhaps of a score replaced just now.
    ///
    /// - Parameter choice: the method for passes of the part that begin now.
    mutating func post(
        _ code: RenderEvent.Code, about part: ScorePart, choice: VoiceChoice, pass: Int, at frame: Int64, speed: Double,
        clipFrame: Int64, detail: Int64 = 0
    ) {
        if code == .passEnded, lowestGain < 1 {
            let gain = lowestGain
            lowestGain = 1
            if gain < Self.toldGain {
                post(
                    .limited, about: part, choice: choice, pass: pass, at: frame, speed: speed, clipFrame: clipFrame,
                    detail: RenderEvent.detail(gain: gain))
            }
        }
        let range = part.clipRange
        let event = RenderEvent(
            code: code, frame: frame, section: part.section, sectionStart: range.lowerBound,
            sectionEnd: range.upperBound, pass: pass, passes: part.reportedPasses,
            speed: speed, semitones: part.semitones, clipFrame: clipFrame, sound: PassSound(of: part, choice),
            isReversed: part.view.isMirrored, detail: detail)
        if code == .playbackStarted || code == .finished { forgetEnd() }
        // The room is counted once in each block. Under the virtual clock the control side has read everything before
        // the block, so the same events are dropped in each run, whenever the control side reads again.
        let room = room ?? events.writableCount
        if room > 0, events.hold(event) {
            (self.room, holdsEvents) = (room - 1, true)
        } else {
            self.room = room
            if code == .finished { untoldEnd = event } else { counters.droppedEvents += 1 }
        }
    }

    /// Drops the end without room: the player has started again, or has ended again.
    private mutating func forgetEnd() {
        if untoldEnd != nil { counters.droppedEvents += 1 }
        (untoldEnd, counters.untoldEnd) = (nil, nil)
    }

    /// Puts an end without room into the next status, and counts the end as dropped. Call this at the end of a piece of
    /// a block, after showing all events: the reader of an end in a status then also finds the events before the end.
    ///
    /// - Returns: true if the status needs publishing.
    mutating func keepEnd() -> Bool {
        guard untoldEnd != nil else { return false }
        (counters.untoldEnd, untoldEnd) = (untoldEnd, nil)
        counters.droppedEvents += 1
        return true
    }

    /// Publishes the peaks, then the player's status, and then the events before this status. So a reader of an event
    /// never reads a status older than the event, and a reader that sees a frame in the status also finds the peaks of
    /// this frame.
    mutating func publish(_ status: PlayerStatus) {
        peaks.handOver()
        var status = status
        status.counters = counters
        if status.state == .idle { status.counters.movesTaken = 0 }
        statusWriter.write(status)
        showHeld()
    }

    /// Publishes held events about frames before the last published status.
    mutating func showHeld() {
        if holdsEvents { events.showHeld() }
        holdsEvents = false
    }

    /// Begins another block.
    mutating func beginBlock() { room = nil }
}

extension PassSound {
    /// The method of passes of a part.
    fileprivate init(of part: ScorePart, _ choice: VoiceChoice) {
        if part.isCopy {
            self = .copy
            return
        }
        switch choice.method {
        case .splices: self = .speech
        case .passages(let list): self = list.isMostlySpeech ? .speech : .music
        case .bands, .tape, .frozen: self = choice.knowsAttacks ? .music : .plain
        }
    }
}

extension PlayerStatus {
    /// The player's status before output frame `frame`; the reports add their counters.
    init(_ transport: borrowing Transport, at frame: Int64) {
        state = transport.state
        outputFrame = frame
        starvedFrames = transport.stack.value.starvation.total
        guard state != .idle else { return }
        let (part, cursor) = (transport.playhead.part, transport.playhead.cursor)
        isFrozen = transport.isFrozen
        let isStill = transport.isStill
        section = part.section + 1
        pass = cursor.pass + 1
        passes = part.isEndless ? nil : part.sectionPasses
        speed = transport.playhead.speed(at: isStill ? cursor.motion.frame : frame)
        semitones = part.semitones
        isReversed = part.view.isMirrored
        clipFrame = transport.place(at: frame).clipFrame
        isResting = cursor.isRest
        guard isResting else { return }
        // A pause does not shorten the gap after a pass.
        restFramesLeft = max(0, isStill ? part.gapFrames - transport.stillAt.restElapsed : cursor.spanEnd - frame)
    }
}
