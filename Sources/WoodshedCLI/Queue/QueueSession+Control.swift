// Remote control of a queue: by a socket, a pedal, or media keys.
import DesktopBus
import Files
import Glibc
import JSON
import Terminal
import Woodshed

extension QueueSession {
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
            .init("state", .string(notice != nil ? "no_device" : controls.isPlaying ? "playing" : "paused")),
            .init("title", .string(entry?.title ?? "")), .init("artist", .string(entry?.artist ?? "")),
            .init("track", .integer((current?.index ?? -1) + 1)), .init("tracks", .integer(queue.items.count)),
            .init("clip_frame", status.map { .integer($0.clipFrame) } ?? .null),
            .init("clip_seconds", seconds(status?.clipFrame ?? 0)),
            .init("clip_length", seconds(clip?.frameCount ?? 0)), .init("speed", .number(controls.speed)),
            .init("shuffle", .bool(queue.shuffleSeed != nil)), .init("repeat", .string("\(queue.repeats)")),
            .init("device", .string(engine.configuration.deviceName)),
        ]
    }
}

extension QueueSession {
    var mediaInfo: AudioFileInfo? { nil }

    var mediaClock: @Sendable () -> Int64 {
        { [queue] in
            guard let player = queue.current?.player else { return 0 }
            return Int64(Double(player.status.clipFrame) / Double(player.clip.sampleRate) * 1_000_000)
        }
    }

    var mediaState: MediaState {
        var state = MediaState()
        state.playback = controls.isPlaying && notice == nil ? .playing : .paused
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
            switch MediaSeek(by: offset, from: mediaClock(), length: queue.current.flatMap { $0.player }.map(length)) {
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

    private func length(_ player: Player) -> Int64 {
        Int64(Double(player.clip.frameCount) / Double(player.clip.sampleRate) * 1_000_000)
    }

    private func move(to microseconds: Int64) {
        guard let player = queue.current?.player else { return }
        controls.go(to: Int64(Double(microseconds) / 1_000_000 * Double(player.clip.sampleRate)))
    }
}
