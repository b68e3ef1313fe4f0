// Media keys for a run of the player.
import DesktopBus
import Glibc
import WoodshedPractice

extension Session {
    var mediaInfo: AudioFileInfo? { player.clip.info }

    var mediaClock: @Sendable () -> Int64 {
        let (player, rate) = (player, Double(player.clip.sampleRate))
        return { Int64(Double(player.status.clipFrame) / rate * 1_000_000) }
    }

    var mediaState: MediaState {
        let (status, sections) = (player.status, player.score.sections)
        var state = MediaState()
        state.playback =
            switch status.state {
            case .idle, .playing: device.notice == nil ? .playing : .paused
            case .paused: .paused
            case .stopping, .finished: .stopped
            }
        state.rates = Speed.range
        state.rate = min(max(status.speed, Speed.range.lowerBound), Speed.range.upperBound)
        if status.isResting || status.isFrozen {
            state.motion = 0
        } else if status.isReversed {
            state.motion = -state.rate
        }
        state.volume = control.gainDecibels <= -60 ? 0 : pow(10, control.gainDecibels / 20)
        state.loop = practice.marks.isRunning ? .track : MediaState.Loop.none
        state.can = [.play, .pause, .seek, .control, .quit]
        // Next and previous mean the section. A queue of recordings would add its own meaning and its list of tracks
        // here.
        if sections.count > 1 { state.can.formUnion([.next, .previous]) }
        var track = run.media?.track(player.clip.info) ?? MediaTrack(player.clip.info)
        if sections.count > 1, sections.indices.contains(status.section - 1) {
            let name = sections[status.section - 1].name.map { ": " + $0 } ?? ""
            track.comments = ["section \(status.section) of \(sections.count)\(name)"]
        }
        state.track = track
        return state
    }

    var reasonToStayAwake: String? { recording?.isOn == true ? "Recording a take" : nil }

    func carryOut(_ request: MediaRequest) {
        switch request {
        case .play: if !control.isPlaying { carryOut(.togglePause) }
        case .pause: if control.isPlaying { carryOut(.togglePause) }
        case .playPause: carryOut(.togglePause)
        case .stop:
            if control.isPlaying { carryOut(.togglePause) }
            move(toMicroseconds: 0)
        case .next: carryOut(.skip(sections: 1))
        case .previous: carryOut(.skip(sections: -1))
        case .seek(let offset):
            let (rate, frames) = (Double(player.clip.sampleRate), player.statusAfterMoves.clipFrame)
            let length = Int64(Double(player.clip.frameCount) / rate * 1_000_000)
            switch MediaSeek(by: offset, from: Int64(Double(frames) / rate * 1_000_000), length: length) {
            case .next where player.score.sections.count > 1: carryOut(.skip(sections: 1))
            case .next, .place: carryOut(.jump(seconds: Double(min(max(offset, -length), length)) / 1_000_000))
            }
        case .goTo(let place): move(toMicroseconds: place)
        case .setRate(let rate): carryOut(.setSpeed(rate))
        case .setVolume(let volume):
            let decibels = volume > 0.001 ? 20 * log10(min(volume, 4)) : -60
            carryOut(.changeGain(by: decibels - control.gainDecibels))
        case .setLoop(let loop):
            let marks = practice.marks
            if (loop != .none) != marks.isRunning, marks.range != nil { carryOut(.loop(.toggle)) }
        case .quit:
            carryOut(.quit(remembers: true))
            // Remote commands get no question.
            keeping?.progress.dismiss()
        // Never offered, because there is no queue.
        case .setShuffle, .open, .addTrack, .removeTrack, .goToTrack: break
        }
    }

    /// Moves to a place of the recording, within the playing section. Not by a distance: the place moves on meanwhile.
    private func move(toMicroseconds place: Int64) {
        practice.move(toClipFrame: Int64((Double(place) / 1_000_000 * Double(player.clip.sampleRate)).rounded()))
    }
}
