// Media keys for a recording: they pause and end a take.
import DesktopBus
import Files
import Terminal
import Woodshed

extension RecordSession: MediaControlled {
    var mediaInfo: AudioFileInfo? { nil }

    var mediaClock: @Sendable () -> Int64 {
        let (monitor, rate) = (monitor, Double(line.sampleRate))
        return { Int64(Double(monitor.status.recordedFrames) / rate * 1_000_000) }
    }

    private var isRecording: Bool { monitor.status.state == .recording }

    var mediaState: MediaState {
        var state = MediaState()
        state.playback =
            switch monitor.status.state {
            case .recording: .playing
            case .paused: .paused
            default: .stopped
            }
        state.can = [.play, .pause, .control]
        var track = MediaTrack(id: 1)
        (track.title, track.comments) = ("Recording", [line.path.map { fileName($0) } ?? "standard output"])
        state.track = track
        return state
    }

    var reasonToStayAwake: String? { isRecording ? "Recording" : nil }

    func carryOut(_ request: MediaRequest) {
        switch request {
        case .play: if !isRecording { carryOut(RecordRequest.toggle) }
        case .pause: if isRecording { carryOut(RecordRequest.toggle) }
        case .playPause: carryOut(RecordRequest.toggle)
        case .stop: carryOut(RecordRequest.stop)
        default: break
        }
    }
}
