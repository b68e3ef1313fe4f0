// Recording over the loops of a session: the record key, and messages about takes. `PracticeRecorder` makes the
// decisions.
import Files
import JSON
import Terminal
import WoodshedPractice

/// The recorder of a session, for the main loop.
final class SessionRecording {
    private let recorder: PracticeRecorder
    private let linked: LinkedStreams
    private let monitors: Bool
    private let sampleRate: Int
    private let inputRate: Int
    /// Messages before the session begins.
    let notes: [String]

    /// Highest level of the input in the last report, or during the first second.
    private var peak = -Double.infinity
    private var levelReports = 0
    private var hasToldHeadroom = false
    /// Running takes.
    private var running: Set<Int> = []
    /// True once every take is complete.
    private(set) var isOver = false
    /// The first error of a take's file, which determines the end of the run.
    private(set) var failure: AudioFileError?

    /// Watches the writer while takes end.
    private var watch: StandstillWatch?

    /// Number of level reports in the headroom measurement: a second.
    private static let headroomReports = 10

    init(_ made: (PracticeRecorder, LinkedStreams), notes: [String], monitors: Bool, sampleRate: Int) {
        (recorder, linked) = made
        (self.notes, self.monitors, self.sampleRate) = (notes, monitors, sampleRate)
        inputRate = recorder.monitor.configuration.sampleRate
    }

    /// Starts capturing. Reports go to the inbox until all takes are complete.
    func start(_ inbox: Inbox<PlayingReport>) throws(DeviceError) {
        let (events, levels) = (recorder.events, recorder.monitor.events)
        Task {
            for await event in events { inbox.put(.take(event)) }
            inbox.put(.takesOver)
        }
        Task {
            for await event in levels { if case .levels(let levels) = event { inbox.put(.input(levels)) } }
        }
        try recorder.start()
    }

    /// Ends all takes on a separate thread, because the end waits for the disk.
    func finish() {
        let recorder = recorder
        watch = StandstillWatch(
            patience: Session.diskPatience, workCount: recorder.monitor.workCount, now: MonotonicTime.now())
        BlockingThread.start { recorder.finish() }
    }

    /// Notes that every take is complete.
    func noteEnd() { isOver = true }

    /// Returns true if takes do not end because the disk does not answer. A slow but working disk is waited for.
    func standsStill(now: Int64) -> Bool {
        watch?.isOver(workCount: recorder.monitor.workCount, now: now) ?? false
    }

    /// True while takes are recorded.
    var isOn: Bool { recorder.isOn }

    /// Answer to the record key in a session without recording.
    static let offWords = "to record over the loop, begin with: woodshed practice FILE --record key"

    /// Level of the input for the status line, in decibels of full scale.
    var inputDecibels: Double { peak }

    /// Presses the record key, and returns the effect in words.
    func press() -> String {
        let isOn = recorder.press()
        switch recorder.settings.mode {
        case .key: return isOn ? "recording" : "take over"
        case .passes: return isOn ? "recording each pass" : "not recording"
        case .gaps: return isOn ? "recording each gap" : "not recording"
        }
    }

    // MARK: Reports

    /// Takes levels of the input.
    ///
    /// - Returns: A message once, after the first second: the headroom of the input.
    func take(_ levels: RecorderLevels) -> (words: [String], line: JSONValue?) {
        let chosen: [RecorderLevels.Channel] =
            if case .chosen(let list) = recorder.settings.channels {
                list.filter(levels.channels.indices.contains).map { levels.channels[$0] }
            } else {
                levels.channels
            }
        let highest = chosen.map(\.heldDecibels).max() ?? -.infinity
        peak = levelReports < Self.headroomReports ? max(peak, highest) : highest
        levelReports += 1
        guard levelReports == Self.headroomReports else { return ([], nil) }
        return headroom()
    }

    private func headroom() -> (words: [String], line: JSONValue?) {
        let peak = self.peak
        var words = [
            peak.isFinite
                ? "input: peak \(decibelText(peak)), \(fixed(max(0, -peak), decimals: 1)) dB of headroom"
                : "input: silence; check that the microphone is connected and not muted"
        ]
        let trip = Double(linked.roundTripFrames ?? 0) + recorder.settings.addedFrames
        let milliseconds = trip * 1000 / Double(sampleRate)
        if monitors { words.append("monitoring: you hear the input \(fixed(milliseconds, decimals: 1)) ms late") }
        let line = JSONValue.event(
            "input.ready",
            [
                .init("peak_db", .number(peak)), .init("round_trip_ms", .number(milliseconds)),
                .init("alignment", .string(recorder.settings.alignment.rawValue)),
            ])
        return (words, line)
    }

    /// Handles an event of a take.
    func take(_ news: PracticeTakeEvent) -> (words: [String], line: JSONValue?) {
        let (words, event): ([String], JSONValue)
        switch news {
        case .began(let take):
            running.insert(take.id)
            (words, event) = ([], line("take.started", take, []))
        case .lost(let take, let frames):
            (words, event) = (
                ["\(name(take)): \(frames) frames were lost, and are silence"],
                line("take.lost", take, [.init("lost_frames", .integer(frames))])
            )
        case .ended(let take, let end):
            running.remove(take.id)
            (words, event) = ([told(take, end)], line("take.ended", take, fields(end)))
        case .dropped(let take):
            running.remove(take.id)
            (words, event) = ([], line("take.dropped", take, []))
        case .failed(let take, let error):
            failure = failure ?? error
            (words, event) = (
                [error.message, error.remedy], line("take.failed", take, [.init("reason", .string(error.message))])
            )
        case .unlisted(let take, let error):
            (words, event) = (
                ["\(take.path): recorded, but not in the list of takes: \(error.message)"],
                line("take.unlisted", take, [.init("reason", .string(error.message))])
            )
        }
        return (words, event)
    }

    private func name(_ take: RecordedTake) -> String { take.number.map { "take \($0)" } ?? "take" }

    private func told(_ take: RecordedTake, _ end: TimedTakeEnd) -> String {
        var parts = ["\(name(take)): \(clockText(Double(end.frameCount) / Double(inputRate), decimals: 1))"]
        if let model = take.model {
            parts.append(
                (model.sectionName.isEmpty ? "" : model.sectionName + ", ")
                    + "pass \(model.pass), \(percentText(model.speed))")
        }
        if let loudness = end.loudness {
            parts.append("peak \(decibelText(loudness.truePeak))")
            if loudness.truePeak > -0.1 { parts.append("clipped: turn the input down") }
        }
        if end.lostFrames > 0 { parts.append("\(end.lostFrames) frames lost") }
        return parts.joined(separator: ", ")
    }

    private func line(_ event: String, _ take: RecordedTake, _ more: [JSONValue.Field]) -> JSONValue {
        var fields: [JSONValue.Field] = [
            .init("id", .integer(take.id)),
            .init("number", take.number.map { .integer($0) } ?? .null), .init("path", .string(take.path)),
            .init("input_frame", .integer(take.firstInputFrame)),
        ]
        if let model = take.model {
            fields += [
                .init("section_id", model.sectionID.map { .integer($0) } ?? .null),
                .init("section", .string(model.sectionName)), .init("start_frame", .integer(model.frames.lowerBound)),
                .init("end_frame", .integer(model.frames.upperBound)), .init("pass", .integer(model.pass)),
                .init("speed", .number(model.speed)), .init("pitch", .number(model.semitones)),
                .init("model_start_frame", .number(model.start)), .init("alignment", .string(model.alignment.rawValue)),
            ]
        }
        return .event(event, fields + more)
    }

    private func fields(_ end: TimedTakeEnd) -> [JSONValue.Field] {
        [
            .init("frames", .integer(end.frameCount)),
            .init("seconds", .number(Double(end.frameCount) / Double(inputRate))),
            .init("lost_frames", .integer(end.lostFrames)), .init("reason", .string(end.reason.rawValue)),
            .init("true_peak_db", end.loudness.map { .number($0.truePeak) } ?? .null),
            .init("loudness_lufs", end.loudness.map { .number($0.integrated) } ?? .null),
        ]
    }
}
