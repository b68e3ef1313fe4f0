// Key actions on a queue of recordings, and the queue's state for the status line.
import Woodshed

/// The user's controls of a queue. Requests are stored here, because the queue's status lags behind them by a block.
struct QueueControls {
    private let queue: PlayQueue
    private var isPaused = false
    /// True if the device is lost and is looked for only on request.
    private var isSilent = false
    private(set) var gainDecibels = 0.0
    private(set) var speed = 1.0

    private static let gainRange = -60.0...12.0

    init(_ queue: PlayQueue) { self.queue = queue }

    /// True if there is sound, or will be without the user.
    var isPlaying: Bool { !isPaused && !queue.isPaused && !isSilent }

    /// Records the loss or the return of the device. During a loss, the next press of the pause key means to resume,
    /// even without a pause.
    mutating func noteSilence(_ isSilent: Bool) { self.isSilent = isSilent }

    /// Carries out an action.
    ///
    /// - Returns: The new setting in a few words; nil if the status line shows the setting or the action means nothing
    ///   here.
    mutating func apply(_ action: KeyAction) -> String? {
        switch action {
        case .togglePause:
            isPaused = !queue.isPaused && !isSilent
            isSilent = false
            if isPaused { queue.pause() } else { queue.resume() }
        case .jump(let seconds):
            guard let player = queue.current?.player else { return nil }
            go(to: player.statusAfterMoves.clipFrame + Int64((seconds * Double(player.clip.sampleRate)).rounded()))
        case .seek(let share):
            guard let player = queue.current?.player else { return nil }
            go(to: Int64((share * Double(player.clip.frameCount)).rounded()))
        case .skip(let count):
            for _ in 0..<min(abs(count), 1000) {
                if count > 0 { if !queue.next() { break } } else { queue.previous() }
            }
        case .changeSpeed(let step): set(speed: speed + step)
        case .setSpeed(let factor): set(speed: factor)
        case .changeGain(let step):
            gainDecibels = min(max(gainDecibels + step, Self.gainRange.lowerBound), Self.gainRange.upperBound)
            queue.setGain(decibels: gainDecibels)
        case .passes(let count): return set(count == 0 ? .all : count == 1 ? .off : .one)
        case .record, .loop, .sections, .take, .rate: return "this key is for one recording: woodshed practice"
        case .list: return "recording \((queue.current?.index ?? 0) + 1) of \(queue.items.count)"
        default: break
        }
        return nil
    }

    mutating func set(speed factor: Double) {
        let rounded = (factor * 1000).rounded() / 1000
        let bounded = min(max(rounded, Speed.range.lowerBound), Speed.range.upperBound)
        guard let value = try? Speed(factor: bounded) else { return }
        speed = bounded
        queue.setSpeed(value)
    }

    /// Sets the repeat mode, and returns its description.
    @discardableResult
    func set(_ repeats: QueueRepeat) -> String {
        queue.repeats = repeats
        switch repeats {
        case .off: return "nothing is repeated"
        case .one: return "this recording is repeated"
        case .all: return "all recordings are repeated"
        }
    }

    /// Moves within the current recording.
    func go(to frame: Int64) {
        guard let player = queue.current?.player else { return }
        // Only a recording that has just ended refuses.
        try? queue.seek(toClipFrame: min(max(0, frame), player.clip.frameCount - 1))
    }

    /// Returns the current contents of the status line.
    func view(_ entries: [String: QueueEntry]) -> StatusView {
        let current = queue.current
        let status = current?.player?.status
        let rate = Double(current?.player?.clip.sampleRate ?? 1)
        let entry = current.flatMap { entries[$0.item.source] }
        return StatusView(
            title: entry?.title ?? "", state: isPlaying ? .playing : .paused,
            part: .recording((current?.index ?? -1) + 1, of: queue.items.count), speed: speed,
            position: Double(status?.clipFrame ?? 0) / rate,
            length: Double(current?.player?.clip.frameCount ?? 0) / rate)
    }
}
