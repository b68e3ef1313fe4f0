// Builds an engine and a session from a queue's recordings and options.
import Terminal
import Woodshed
import WoodshedLibrary

/// Plays several recordings in a row on a device.
struct QueuePlaying {
    let entries: [QueueEntry]
    let options: QueueOptions
    let speed: Speed
    let device: DeviceOptions
    let loss: LossOptions
    let messages: MessageOptions
    var control = ControlWays()
    private let signals = Signals.install()

    /// Plays the recordings, and ends the run with the status of a signal, if any.
    func run() throws {
        let layers = try SettingsLayers()
        let keyMap = try KeyMap(layers)
        let remote = try RemoteDesk.open(control, verb: "play", layers)
        let output = try device.outputDevice()
        if case .file(let path) = output {
            try OutputFile.refuseInputs(entries.map(\.path), outputs: [path])
        }
        let first = try Self.first(entries)
        let rate = (8000...768_000).contains(first.sampleRate) ? first.sampleRate : 48_000
        let engine = try Engine(
            output: output, request: try device.request(sampleRate: rate, channelCount: first.channelCount),
            onLoss: loss.policy)
        let table = Dictionary(entries.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        let level = options.level ?? .off
        let queue = try PlayQueue(on: engine) { item, engine in
            let clip = try engine.load(item.source)
            return QueueSound(clip, decibels: Self.decibels(clip.info, table[item.source]?.loudness, level))
        }
        queue.append(entries.map(\.path))
        queue.crossfadeFrames = Int64(((options.crossfade ?? 0) * Double(engine.configuration.sampleRate)).rounded())
        queue.repeats = options.repeat.map { $0 == .one ? .one : .all } ?? .off
        if options.shuffle { queue.shuffleSeed = UInt64.random(in: 0...UInt64.max) }
        queue.setSpeed(speed)
        let run = try Run<QueueSession>(
            messages: messages, signals: signals, keyMap: keyMap, remote: remote,
            media: MediaDesk(
                isWanted: control.hasDesktop && device.listensInRealTime, isVerbose: messages.verbose))
        let status = try QueueSession(queue, on: engine, entries: table, in: run, onLoss: loss.onLoss).play()
        guard status == .success else { throw CommandFailure(status) }
    }

    /// Returns the first recording that opens: it determines the device's rate and channels.
    private static func first(_ entries: [QueueEntry]) throws -> AudioFileInfo {
        var failure: AudioFileError?
        for entry in entries {
            do throws(AudioFileError) { return try AudioFileInfo(path: entry.path) } catch {
                failure = failure ?? error
                if entries.count > 1 { StandardStream.error.note(error.text) }
            }
        }
        if entries.count == 1, let failure { throw failure }
        throw CommandFailure(
            failure?.exitStatus ?? .notFound, "none of the \(entries.count) recordings can be played",
            remedy: "Look for the files with: woodshed library check")
    }

    /// Returns a recording's gain in dB, from its tags, else from its measured loudness.
    private static func decibels(
        _ info: AudioFileInfo, _ loudness: LibraryItem.Loudness?, _ level: LevelText
    ) -> Double {
        guard level != .off else { return 0 }
        if let tags = try? LoudnessTags(of: info),
            let gain = LevelGain.decibels(tags, level == .album ? .album : .track)
        {
            return gain
        }
        return loudness.map { LevelGain.decibels(loudness: $0.integrated, truePeak: $0.truePeak) } ?? 0
    }
}
