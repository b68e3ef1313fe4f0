import AudioDevices
import AudioFiles
import Clips
import EngineHarness
import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing
import VirtualCardSupport

@testable import Engine

/// All suites in which devices are lost: one test after another, since each looks for remains of the last.
@Suite(.serialized)
enum DeviceLoss {}

/// A player on a card that is unplugged and plugged in again, with a record of all events.
final class LossyRun: Sendable {
    static let rate = 48_000
    static let sound = testClip(channels: 2, frames: 60_000, rate: rate, seed: 5)

    /// The sound of one stay of the device, from an output frame on.
    struct Stretch {
        let origin: Int64
        /// Interleaved.
        let samples: [Double]

        var end: Int { Int(origin) + samples.count / 2 }
    }

    let rig: VirtualCardRig
    let engine: Engine
    let player: Player
    let score: Score
    private let isStretched: Bool
    private let diary = Diary()

    /// All events; separate from the run, so that the tasks that write the events keep no engine alive.
    private final class Diary: Sendable {
        let engine = Mutex<[EngineEvent]>([])
        let player = Mutex<[PlayerEvent]>([])
        /// Whether the player's last event has come, and the engine's.
        let isOver = Atomic<Bool>(false)
        let isWhole = Atomic<Bool>(false)
    }

    /// - Parameters:
    ///   - faults: The schedule of the card, by the frames moved so far.
    ///   - clock: The virtual clock runs as fast as possible, and its card never runs dry by itself.
    ///   - passes: Of a second and a quarter each, at 100 %.
    ///   - speed: At any speed but 100 %, the recording is analysed before the start, here and in the reference.
    init(
        _ policy: LossPolicy, faults: String = "", clock: VirtualCardOptions.Clock = .virtual, passes: Int = 1,
        speed: Speed = .normal
    ) throws {
        var options = VirtualCardOptions()
        options.clock = clock
        options.playbackFaults = faults
        options.cableFrames = 1 << 20
        rig = try VirtualCardRig(options)
        let request = try StreamRequest(
            sampleRate: Self.rate, channelCount: 2, periodFrames: 512, periodCount: 4, realtimePriority: nil)
        engine = try Engine(output: .system(rig.name), request: request, onLoss: policy)
        let plan = PracticePlan(
            sections: [try Section(0..<60_000)], passes: .count(passes), speeds: .constant(speed), joint: .hard)
        score = try Score(plan, clipFrameCount: 60_000, sampleRate: Self.rate)
        player = try engine.makePlayer(try Clip.inMemory(Self.sound, sampleRate: Self.rate), score: score)
        isStretched = speed != .normal
    }

    /// Starts player and engine.
    func start() throws {
        let (engineEvents, playerEvents) = (engine.events, player.events)
        Task { [diary] in
            for await event in engineEvents { diary.engine.withLock { $0.append(event) } }
            diary.isWhole.store(true, ordering: .releasing)
        }
        Task { [diary] in
            for await event in playerEvents { diary.player.withLock { $0.append(event) } }
            diary.isOver.store(true, ordering: .releasing)
        }
        if isStretched { player.waitUntilPrepared() }
        player.start(at: 0)
        try engine.start()
    }

    /// Stops the engine, if the player has not ended the run, and waits until all events are recorded: the writing
    /// tasks may run later than the reader.
    func finish() async throws {
        if !hasEnded { engine.stop() }
        try engine.waitUntilFinished()
        #expect(await eventuallySuspended { hasEnded && diary.isWhole.load(ordering: .acquiring) })
    }

    // Copied element by element under the lock: the thread sanitizer does not see the sharing of an array's storage.
    /// Without disturbances: by its virtual clock a card stands still whenever the program computes.
    var engineEvents: [EngineEvent] {
        diary.engine.withLock { events in
            events.filter { if case .disturbed = $0 { false } else { true } }
        }
    }
    var playerEvents: [PlayerEvent] { diary.player.withLock { $0.map(\.self) } }
    var hasEnded: Bool { diary.isOver.load(ordering: .acquiring) }

    var interruptions: [Interruption] {
        engineEvents.compactMap { if case .interrupted(let interruption) = $0 { interruption } else { nil } }
    }

    /// Output frames from which a device played again.
    var returns: [Int64] {
        engineEvents.compactMap {
            switch $0 {
            case .resumed(_, let frame), .fellBack(_, let frame): frame
            default: nil
            }
        }
    }

    var missing: [DeviceError] {
        engineEvents.compactMap { if case .deviceMissing(let error) = $0 { error } else { nil } }
    }

    func frames(of kind: PlayerEvent.Kind) -> [Int64] { playerEvents.filter { $0.kind == kind }.map(\.frame) }

    /// Waits for the n-th loss of the device, from 1.
    func isLost(_ number: Int = 1) async -> Bool {
        await eventuallySuspended { interruptions.count >= number && player.status.state != .playing }
    }

    /// The sound that a card has played since its last start, at an output frame; for use during a loss, or at the end.
    func stretch(from origin: Int64, count: Int? = nil, on card: VirtualCardRig? = nil) -> Stretch {
        let card = card ?? rig
        let start = card.truth(.playback).startFrame
        let count = count ?? Int((card.records.last?.deviceFrame ?? start) - start)
        return Stretch(origin: origin, samples: card.heard(from: start, count: count, channelCount: 2))
    }

    /// Whether cards played, in those stretches, the same sound as the player makes without a device from the same
    /// requests at the same frames.
    func isTrue(_ stretches: [Stretch]) throws -> Bool {
        let expected = try reference(frameCount: stretches.map(\.end).max() ?? 0)
        return stretches.allSatisfy { stretch in
            stretch.samples.indices.allSatisfy { (index: Int) in
                let frame: Int = Int(stretch.origin) + index / 2
                return stretch.samples[index] == Double(expected[index % 2][frame])
            }
        }
    }

    private func reference(frameCount: Int) throws -> [[Float]] {
        let harness = try Harness(Self.sound, rate: Self.rate, score: score, listens: isStretched)
        if isStretched { harness.player.waitUntilPrepared() }
        harness.player.start(at: 0)
        // Losses that were over before any block was rendered without a device: no fade into the pause was audible.
        let instants = Set(playerEvents.filter { $0.kind == .paused(.deviceLost) }.map(\.frame))
            .intersection(playerEvents.filter { $0.kind == .resumed(.deviceLost) }.map(\.frame))
        for event in playerEvents where !(instants.contains(event.frame) && event.kind.isPauseOrResume) {
            switch event.kind {
            case .paused(let reason): harness.player.pause(reason: reason, at: event.frame)
            case .resumed: harness.player.resume(at: event.frame)
            case .moved: try harness.player.seek(toClipFrame: event.clipFrame, at: event.frame)
            default: break
            }
        }
        // As on every thread that computes sound; the setting is audible in the last bit of a stretched voice.
        let zero = FlushToZero()
        var frame: Int64 = 0
        let samples = harness.render(frameCount) {
            if instants.contains(frame) {
                let core = unsafe harness.player.core.core
                unsafe core.pointee.interrupt(at: frame, reason: Int64(PauseReason.deviceLost.rawValue), resumes: true)
                unsafe core.pointee.endInterruption()
            }
            frame += 512
            return 512
        }
        zero.restore()
        return samples
    }

    /// Threads and descriptors in this process that belong to an output that outlives its device.
    private static var remains: Set<String> {
        let threads = entries("/proc/self/task").map { "/proc/self/task/\($0)/comm" }
        let descriptors = entries("/proc/self/fd").map { "/proc/self/fd/\($0)" }
        return Set(
            threads.filter { text($0)?.hasPrefix("woodshed-keeper") == true }
                + descriptors.filter { link($0)?.contains("inotify") == true })
    }

    /// Whether every thread and descriptor of now ends. Outputs of other tests may come meanwhile.
    static func leavesNothing() async -> Bool {
        var left = remains
        return await eventuallySuspended {
            left.formIntersection(remains)
            return left.isEmpty
        }
    }

    private static func entries(_ path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) { unsafe String(cString: $0) }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func text(_ path: String) -> String? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard unsafe fgets(&line, 64, file) != nil else { return nil }
        return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

extension PlayerEvent.Kind {
    fileprivate var isPauseOrResume: Bool {
        switch self {
        case .paused, .resumed: true
        default: false
        }
    }
}
