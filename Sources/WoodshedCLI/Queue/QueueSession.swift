// A run of several recordings in a row, on the main thread. The session only decides on requests to the queue.
import DesktopBus
import Files
import Glibc
import JSON
import Terminal
import Woodshed

/// A report from the queue or from its surroundings.
enum QueueReport: EngineReport {
    case queue(QueueEvent)
    /// The end of the queue's events.
    case eventsOver
    case device(EngineEvent)
    /// Commands of other programs and of controllers.
    case remote(RemoteNews)
    /// Media keys, and the machine's suspends.
    case media(MediaNews)
    /// The device has played everything, or failed.
    case engineOver(EngineError?)
}

/// Plays until the queue, the user or the system ends the run.
final class QueueSession: RunOwner {
    typealias Report = QueueReport

    private let queue: PlayQueue
    private let device: EngineWatch<QueueSession>
    let run: Run<QueueSession>
    private let entries: [String: QueueEntry]
    private var controls: QueueControls
    private var ended: QueueEnd?
    private var skippedCount = 0

    init(
        _ queue: PlayQueue, on engine: Engine, entries: [String: QueueEntry], in run: Run<QueueSession>,
        onLoss: LossText
    ) {
        (self.queue, self.entries, self.run) = (queue, entries, run)
        device = EngineWatch(engine, onLoss: onLoss, in: run)
        controls = QueueControls(queue)
    }

    /// Plays to the end.
    ///
    /// - Returns: Success, or the signal that ended the run.
    func play() throws -> ExitStatus {
        // The reporting threads post events directly. On a busy machine a task would be late, and the run would end
        // without its last events.
        queue.follow { [inbox = loop.inbox] in inbox.put($0.map { .queue($0) } ?? .eventsOver) }
        try loop.run(
            self, begin: { try device.start(self, after: queue.start, undo: queue.stop) }, conclude: conclude)
        return loop.ending ?? .success
    }

    private func conclude() throws {
        take(loop.inbox.take())
        let reason = device.hasFailed ? "failed" : isWhole ? "completed" : "stopped"
        try run.conclude(
            { lastLine(reason) },
            words: {
                let engine = device.engine
                let seconds = Double(engine.position.framesHeard) / Double(engine.configuration.sampleRate)
                return ["\(isWhole ? "finished" : "stopped") after \(clockText(seconds))"]
            }, failures: [device.failure, device.loss])
        if case .failed(let error) = ended { throw error }
        if skippedCount > 0, loop.ending ?? .success == .success {
            throw CommandFailure(.someFailed, "\(skippedCount) of \(entries.count) could not be played")
        }
    }

    /// Ends the process without waiting for the unresponsive device.
    private func abandon(_ words: String) -> Never {
        run.abandon([words]) {
            take(loop.inbox.take())
            return lastLine("failed")
        }
    }

    private func lastLine(_ reason: String) -> String {
        run.programLine { JSONValue.event("queue.finished", [.init("reason", .string(reason))]).text }
    }

    private var isWhole: Bool {
        guard case .completed? = ended else { return false }
        return (loop.ending ?? .success) == .success
    }

    // MARK: The loop

    var isOver: Bool { device.isSilent }
    /// The wait for the last events has a limit.
    var needsLooks: Bool { device.isOver }

    func answer(_ key: KeyBytes.Key) {
        let actions = run.keyMap.playing.actions(of: key)
        if run.remote?.learn(key, actions, self) == true { return }
        actions.forEach(carryOut)
    }

    /// Carries out a key's action, if it has a meaning for a queue.
    func carryOut(_ action: KeyAction) {
        switch action {
        case .quit: loop.end(.success)
        case .help: loop.say(run.help, evenQuiet: true)
        case .redraw: loop.clearTerminal()
        case .tell: loop.say([placeWords], evenQuiet: true)
        case .learn: run.toggleLearning(for: self)
        default: if let words = controls.apply(action) { loop.say([words]) }
        }
    }

    func beginEnding() {
        queue.stop()
        device.allow()
    }

    func look(now: Int64) {
        run.media?.look(self)
        // Only an item still being opened, which will not play, delays the last events.
        if device.isOverdue(now: now, abandon: abandon) { device.hasEventsOver = true }
    }

    func prepareForSuspension() {
        run.suspend(controls.isPlaying, pause: { queue.pause(reason: .suspended) }) {
            queue.current?.player?.status.state != .playing
        }
    }

    func goOnAfterSuspension() {
        loop.waitForDevice { device.engine.statistics.blocks }
        run.goOn { queue.resume(after: .suspended) }
    }

    func lines(_ size: TerminalSize) -> [String] {
        var view = controls.view(entries)
        view.notice = device.notice
        let line = StatusLine(glyphs: loop.traits.glyphs).text(view, columns: size.columns)
        return line.isEmpty ? [] : [line]
    }

    /// The recording's name, the position in the recording and in the queue, in words.
    var placeWords: String {
        let view = controls.view(entries)
        return "\(view.part.words), \(view.title), \(clockText(view.position)) of "
            + "\(clockText(view.length)), \(percentText(view.speed))"
    }

    // MARK: Reports

    func take(_ reports: [QueueReport]) {
        var lines = ""
        for report in reports {
            switch report {
            case .queue(let event): lines += take(event)
            case .device(let event): lines += device.take(event) { controls.noteSilence($0) }
            case .remote(let news): run.remote?.take(news, self)
            case .media(let news): run.media?.take(news, self)
            case .eventsOver: device.hasEventsOver = true
            case .engineOver(let error):
                device.noteEnd(error)
                queue.endEvents()
                device.allow()
            }
        }
        loop.write(lines)
    }

    /// Handles an event, reports it to people, and returns its line for programs.
    private func take(_ event: QueueEvent) -> String {
        let text = QueueEventText(event, entries, count: queue.items.count)
        switch event {
        case .skipped: skippedCount += 1
        case .finished(let end):
            ended = end
            return ""
        default: break
        }
        if !loop.messages.json, let words = text.words, !loop.traits.drawsStatus || text.isNews { loop.say(words) }
        return run.programLine { text.json?.text }
    }

    // MARK: Remote control

    func carryOut(words: String) throws(ArgumentError) {
        if try takeQueueWords(words) { return }
        for action in try KeyAction.list(words) { carryOut(action) }
    }

    /// Carries out words specific to a queue; returns false for other words.
    private func takeQueueWords(_ words: String) throws(ArgumentError) -> Bool {
        let parts = words.split(separator: " ").map(String.init)
        switch (parts.first, parts.dropFirst().first) {
        case ("next", nil): carryOut(.skip(sections: 1))
        case ("previous", nil): carryOut(.skip(sections: -1))
        case ("shuffle", let word?):
            guard word == "on" || word == "off" else {
                throw ArgumentError.unlisted(word, in: ["shuffle on", "shuffle off"])
            }
            queue.shuffleSeed = word == "on" ? UInt64.random(in: 0...UInt64.max) : nil
        case ("repeat", let word?):
            guard let repeats = ["off": QueueRepeat.off, "one": .one, "all": .all][word] else {
                throw ArgumentError.unlisted(word, in: ["repeat off", "repeat one", "repeat all"])
            }
            loop.say([controls.set(repeats)])
        default: return false
        }
        return true
    }

    var commandWords: [String] {
        let known: [KeyAction] = [.togglePause, .tell, .help, .quit(remembers: true)]
        return known.map(\.words) + [
            "next", "previous", "shuffle on", "shuffle off", "repeat off", "repeat one", "repeat all", "seek +5",
            "seek 50%", "speed 80%", "gain -3",
        ]
    }

    var statusFields: [JSONValue.Field] {
        let current = queue.current
        let status = current?.player?.status
        let clip = current?.player?.clip
        let entry = current.flatMap { entries[$0.item.source] }
        func seconds(_ frame: Int64) -> JSONValue {
            clip.map { .number(Double(frame) / Double($0.sampleRate)) } ?? .null
        }
        return [
            .init("file", current.map { .string($0.item.source) } ?? .null),
            .init("state", .string(device.notice != nil ? "no_device" : controls.isPlaying ? "playing" : "paused")),
            .init("title", .string(entry?.title ?? "")), .init("artist", .string(entry?.artist ?? "")),
            .init("track", .integer((current?.index ?? -1) + 1)), .init("tracks", .integer(queue.items.count)),
            .init("clip_frame", status.map { .integer($0.clipFrame) } ?? .null),
            .init("clip_seconds", seconds(status?.clipFrame ?? 0)),
            .init("clip_length", seconds(clip?.frameCount ?? 0)), .init("speed", .number(controls.speed)),
            .init("shuffle", .bool(queue.shuffleSeed != nil)), .init("repeat", .string("\(queue.repeats)")),
            .init("device", .string(device.engine.configuration.deviceName)),
        ]
    }

    // MARK: Media keys

    var mediaInfo: AudioFileInfo? { nil }

    var mediaClock: @Sendable () -> Int64 {
        { [queue] in
            guard let player = queue.current?.player else { return 0 }
            return Self.microseconds(player.status.clipFrame, of: player)
        }
    }

    private static func microseconds(_ frame: Int64, of player: Player) -> Int64 {
        Int64(Double(frame) / Double(player.clip.sampleRate) * 1_000_000)
    }

    var mediaState: MediaState {
        var state = MediaState()
        state.playback = controls.isPlaying && device.notice == nil ? .playing : .paused
        state.rates = Speed.range
        state.rate = controls.speed
        state.volume = controls.gainDecibels <= -60 ? 0 : pow(10, controls.gainDecibels / 20)
        state.shuffle = queue.shuffleSeed != nil
        state.loop =
            switch queue.repeats {
            case .off: MediaState.Loop.none
            case .one: .track
            case .all: .playlist
            }
        state.can = [.play, .pause, .seek, .control, .quit, .next, .previous]
        let items = queue.items
        // Panels show a few; a list of a thousand would be sent again with each change.
        if items.count <= Self.mostShownTracks { state.tracks = items.map { track($0) } }
        state.track = queue.current.map { track($0.item, clip: $0.player?.clip) }
        return state
    }

    private static let mostShownTracks = 200

    private func track(_ item: QueueItem, clip: Clip? = nil) -> MediaTrack {
        var track = MediaTrack(id: Int("\(item.id)") ?? 0)
        let entry = entries[item.source]
        track.title = entry?.title ?? fileName(item.source)
        if let artist = entry?.artist, !artist.isEmpty { track.artists = [artist] }
        track.length = clip.map { Int64(Double($0.frameCount) / Double($0.sampleRate) * 1_000_000) }
        track.url = MediaTrack.url(ofPath: FileName.bytes(of: FileName.absolute(item.source) ?? item.source))
        return track
    }

    var reasonToStayAwake: String? { nil }

    func carryOut(_ request: MediaRequest) {
        switch request {
        case .play: if !controls.isPlaying { carryOut(.togglePause) }
        case .pause: if controls.isPlaying { carryOut(.togglePause) }
        case .playPause: carryOut(.togglePause)
        case .stop:
            if controls.isPlaying { carryOut(.togglePause) }
            move(to: 0)
        case .next: carryOut(.skip(sections: 1))
        case .previous: carryOut(.skip(sections: -1))
        case .seek(let offset):
            let player = queue.current?.player
            let position = player.map { Self.microseconds($0.statusAfterMoves.clipFrame, of: $0) } ?? 0
            switch MediaSeek(by: offset, from: position, length: player.map(length)) {
            case .next: carryOut(.skip(sections: 1))
            case .place(let place): move(to: place)
            }
        case .goTo(let place): move(to: place)
        case .setRate(let rate): carryOut(.setSpeed(rate))
        case .setVolume(let volume):
            let decibels = volume > 0.001 ? 20 * log10(min(volume, 4)) : -60
            carryOut(.changeGain(by: decibels - controls.gainDecibels))
        case .setLoop(let loop): controls.set(loop == .none ? .off : loop == .track ? .one : .all)
        case .setShuffle(let isOn): queue.shuffleSeed = isOn ? UInt64.random(in: 0...UInt64.max) : nil
        case .goToTrack(let id):
            if let item = queue.items.first(where: { Int("\($0.id)") == id }) { queue.play(item.id) }
        case .removeTrack(let id):
            if let item = queue.items.first(where: { Int("\($0.id)") == id }) { queue.remove(item.id) }
        case .quit: carryOut(.quit(remembers: true))
        // Requests never offered to the desktop.
        case .open, .addTrack: break
        }
    }

    private func length(_ player: Player) -> Int64 { Self.microseconds(player.clip.frameCount, of: player) }

    private func move(to microseconds: Int64) {
        guard let player = queue.current?.player else { return }
        controls.go(to: Int64(Double(microseconds) / 1_000_000 * Double(player.clip.sampleRate)))
    }
}
