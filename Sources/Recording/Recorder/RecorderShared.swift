internal import AudioDevices
internal import AudioFiles
internal import Files
internal import Realtime

/// Data shared by a recorder's threads. The threads hold this object and never the recorder, so that the release of the
/// recorder can end them.
final class RecorderShared: @unchecked Sendable {
    // Unchecked because of the values guarded by the two locks.
    let capture: CaptureStage
    let commands = RecorderCommands()
    let events = EventBroadcast<RecorderEvent> { if case .levels = $0 { true } else { false } }
    let timedEvents = EventBroadcast<TimedTakeEvent>()
    let progress = RecorderProgress()
    private let writing = ConditionLock()
    /// Guarded by `writing`; a wait for the disk holds this lock too.
    private let writer: TakeWriter
    private let telling = ConditionLock()
    /// Guarded by `telling`.
    private let levels: LevelReporter
    /// Guarded by `telling`.
    private var disk: DiskWatch?

    /// Frames that can wait for the disk: four seconds, twice the guarantee, but not more than 64 MB unless 64 MB is
    /// less than a second.
    private static func tapeFrames(_ configuration: StreamConfiguration) -> Int {
        let (rate, frameBytes) = (configuration.sampleRate, 4 * configuration.channelCount)
        return min(4 * rate, max(rate, 64_000_000 / frameBytes))
    }
    /// Kept time before a take, in seconds.
    static let preRollSeconds = 0.5

    init(_ configuration: StreamConfiguration, preRollSeconds: Double = RecorderShared.preRollSeconds) {
        capture = CaptureStage(configuration, tapeFrames: Self.tapeFrames(configuration))
        levels = LevelReporter(
            capture, events: events, channelCount: configuration.channelCount, sampleRate: configuration.sampleRate)
        writer = TakeWriter(
            capture, commands: commands, events: events, progress: progress, timedEvents: timedEvents,
            configuration: configuration, preRollFrames: Int(preRollSeconds * Double(configuration.sampleRate)))
    }

    /// Adds a request that applies from the next frame on.
    func request(_ action: RecorderCommand.Action) { commands.add(action) { capture.capturedFrame } }

    /// Writes captured frames.
    func write() { writing.withLock { writer.step() } }

    /// Reports levels and disk space.
    func tell() {
        telling.withLock {
            levels.step()
            guard let left = disk?.look(now: MonotonicTime.now()) else { return }
            progress.publish(secondsLeft: left)
            if disk?.isLow(left) == true { events.tell(.diskLow(secondsLeft: left)) }
        }
    }

    /// Monitors the free space for a take of `bytesPerSecond`.
    func watchDisk(at path: String, bytesPerSecond: Int) {
        telling.withLock { disk = DiskWatch(path: path, bytesPerSecond: bytesPerSecond) }
    }

    /// Handles the end of the input; no frames follow.
    func endInput(_ error: DeviceError?) {
        request(.stop(.inputEnded))
        events.tell(.inputEnded(error))
        write()
        tell()
    }

    /// Finishes or removes the take's file; does nothing without a take, or if this was done.
    func conclude(keeping isKept: Bool) throws(AudioFileError) {
        let outcome = writing.withLock {
            Result { () throws(AudioFileError) in try writer.conclude(keeping: isKept) }
        }
        try outcome.get()
    }
}
