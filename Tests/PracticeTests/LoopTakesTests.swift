// Takes over a loop, on a virtual card whose cable loops the output back: each take must be in its place, to the frame.
import AudioFiles
import Clips
import Foundation
import Realtime
import SoundFileSupport
import Synchronization
import Takes
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices
@testable import Engine
@testable import Practice
@testable import Recording
@testable import Store

/// A duplex stream whose device thread calls `prepare` before each block, as the virtual clock does: actions between
/// two blocks do not depend on the machine's speed.
private final class PreparingDuplex: DuplexStream {
    private let inner: any DuplexStream

    init(_ inner: any DuplexStream) { self.inner = inner }

    let clock = StreamClock.virtual
    var outputConfiguration: StreamConfiguration { inner.outputConfiguration }
    var inputConfiguration: StreamConfiguration { inner.inputConfiguration }
    var position: StreamPosition { inner.position }
    var inputPosition: CapturePosition { inner.inputPosition }
    var statistics: StreamStatistics { inner.statistics }
    func takeIncidents() -> [StreamIncident] { inner.takeIncidents() }
    func stop() { inner.stop() }
    func waitUntilFinished() throws(DeviceError) { try inner.waitUntilFinished() }

    func start(_ callbacks: DuplexCallbacks) throws(DeviceError) {
        try inner.start(
            DuplexCallbacks(
                process: { block in
                    // Preparing is the controlling side's work, which may lock.
                    RealtimeScope.leave()
                    callbacks.prepare(block.output.frameCount)
                    RealtimeScope.enter()
                    return callbacks.process(block)
                }, xrun: callbacks.xrun, overrun: callbacks.overrun))
    }
}

/// A session with a recorder on a virtual card. The recording's samples are their own frame numbers, so each frame of a
/// take shows the frame heard.
final class LoopRig {
    static let rate = 8000
    static let frameCount = 64_000
    static let scale: Float = 131_072
    static let ruler = (0..<frameCount).map { Float($0 + 1) / scale }
    /// Crossfades last 5 ms; two requests may follow one another.
    static let fade = 2 * 40

    let folder: Scratch
    let session: PracticeSession
    let engine: Engine
    let recorder: PracticeRecorder
    let linked: LinkedStreams
    let store: PracticeStore?
    private let rig: VirtualCardRig
    private let events = Mutex<[PracticeTakeEvent]>([])

    /// - Parameters:
    ///   - card: The card; its clock is virtual.
    ///   - clocks: Whether output and input share a clock.
    ///   - script: Called before each block on the device's thread.
    init(
        _ card: VirtualCardOptions, clocks: DuplexClocks = .one, plan: PracticePlan, period: Int = 64,
        store isKept: Bool = true, settings change: (inout PracticeRecorder.Settings) -> Void = { _ in },
        script: (@Sendable (PracticeSession, PracticeRecorder) -> Void)? = nil
    ) throws {
        var card = card
        card.clock = .virtual
        let rig = try VirtualCardRig(card)
        self.rig = rig
        folder = try Scratch()
        let request = try StreamRequest(
            sampleRate: Self.rate, channelCount: 1, periodFrames: period, periodCount: 3, realtimePriority: nil)
        linked = LinkedStreams(
            PreparingDuplex(
                try ALSABackend.duplex(
                    output: rig.name, input: rig.name, request, inputRequest: request, clocks: clocks,
                    now: { rig.time })))
        engine = Engine(linked: linked)
        let clip = try Clip.inMemory([Self.ruler], sampleRate: Self.rate)
        let (linked, engine) = (linked, engine)
        session = try PracticeSession(engine: engine, clip: clip, plan: SessionPlan(plan))
        let store = isKept ? try PracticeStore(.file(folder.file("practice.db"))) : nil
        self.store = store
        var settings = PracticeRecorder.Settings(folder: folder.file("takes"))
        try FileManager.default.createDirectory(atPath: settings.folder, withIntermediateDirectories: true)
        settings.mode = .passes
        settings.format = .float32
        settings.store = store
        settings.registry = UnfinishedTakes(folder: folder.file("registry"))
        settings.recording = PracticeRecording(
            key: RecordingKey(high: 1, low: 2), sampleRate: Self.rate, frameCount: Int64(Self.frameCount))
        settings.alignment = .measured
        change(&settings)
        if let script {
            let box = Mutex<PracticeRecorder?>(nil)
            let session = session
            engine.afterServing { [weak session] in
                guard let session, let recorder = box.withLock({ $0 }) else { return }
                script(session, recorder)
            }
            recorder = PracticeRecorder(
                over: session, engine: engine, linked: linked, settings: settings)
            let recorder = recorder
            box.withLock { $0 = recorder }
        } else {
            recorder = PracticeRecorder(
                over: session, engine: engine, linked: linked, settings: settings)
        }
    }

    /// Plays to the end of the plan, or until the device fails.
    ///
    /// - Returns: The events of the takes.
    func run() async throws -> (events: [PracticeTakeEvent], error: EngineError?) {
        let stream = recorder.events
        let reading = Task { await stream.reduce(into: [PracticeTakeEvent]()) { $0.append($1) } }
        session.start()
        try recorder.start()
        // A second start is refused, and does not list each take twice.
        #expect(throws: DeviceError.self) { try recorder.start() }
        try engine.start()
        let engine = engine
        let error = await withCheckedContinuation { (done: CheckedContinuation<EngineError?, Never>) in
            Thread.detachNewThread {
                do throws(EngineError) {
                    try engine.waitUntilFinished()
                    done.resume(returning: nil)
                } catch { done.resume(returning: error) }
            }
        }
        recorder.finish()
        return (try await withPatience { await reading.value }, error)
    }

    /// A take's samples as frames of the recording; 0 for silence, and a value in between where two sounds meet.
    func frames(of take: RecordedTake) -> [Int] {
        guard let bytes = FileManager.default.contents(atPath: take.path), bytes.count > 8 else { return [] }
        guard let data = bytes.range(of: Data("data".utf8)) else { return [] }
        return integers(of: floats(in: [UInt8](bytes)[(data.upperBound + 4)...]), scale: Self.scale)
    }
}

extension Array where Element == PracticeTakeEvent {
    /// Every take on the disk, with its kind of end.
    var ended: [(take: RecordedTake, end: TimedTakeEnd)] {
        compactMap { if case .ended(let take, let end) = $0 { (take, end) } else { nil } }
    }
}

@Suite("Takes over a loop")
struct LoopTakesTests {
    private func plan(_ ranges: [Range<Int64>], passes: Int = 3, gap: Gap = .none) throws -> PracticePlan {
        var plan = PracticePlan(sections: try ranges.map { try Section($0) }, passes: .count(passes))
        plan.gap = gap
        return plan
    }

    /// The frames of a pass out of place: `frames[start + n]` should be the section's frame n.
    private func misplaced(_ frames: [Int], _ model: StoredTake.Model, heard: Range<Int>) -> [Int] {
        let start = Int(model.start.rounded())
        return heard.filter { place in
            let clip = Int(model.frames.lowerBound) + place - start
            return frames.indices.contains(place) && frames[place] != clip + 1
        }
    }

    @Test(
        "each pass of a loop is a take in its place to the frame, for any latency",
        arguments: [0, 37, 801, 4000], [64, 250])
    func passes(delay: Int, period: Int) async throws {
        var card = VirtualCardOptions()
        card.loopbackDelayFrames = Int64(delay)
        card.latencyFrames = delay == 801 ? 300 : 0
        let rig = try LoopRig(card, plan: try plan([8000..<14_000, 20_000..<23_000]), period: period) {
            $0.addedFrames = Double(delay)
        }
        let (events, error) = try await rig.run()
        #expect(error == nil && events.ended.count == 6, "\(events)")
        for (take, end) in events.ended {
            let model = try #require(take.model)
            let frames = rig.frames(of: take)
            let (start, length) = (Int(model.start), model.frames.count)
            #expect(
                model.start == model.start.rounded() && end.frameCount == Int64(frames.count) && end.lostFrames == 0)
            #expect(frames.count >= start + length + LoopRig.rate / 5, "the tail is there")
            let wrong = misplaced(frames, model, heard: start + LoopRig.fade..<start + length - LoopRig.fade)
            #expect(wrong.isEmpty, "take \(take.id): \(wrong.count) frames from \(wrong.first ?? 0) on, delay \(delay)")
        }
        let stored = try #require(try rig.store?.takes())
        #expect(stored.count == 6 && stored.allSatisfy { $0.model != nil && $0.sound.frameCount > 0 })
        #expect(stored.map { $0.model?.pass } == [3, 2, 1, 3, 2, 1] && stored[0].model?.alignment == .measured)
        #expect(try rig.recorder.settings.registry?.find().isEmpty == true)
    }

    @Test("each gap of a loop is a take that begins with the gap, with the passage heard before it")
    func gaps() async throws {
        var card = VirtualCardOptions()
        card.loopbackDelayFrames = 123
        let rig = try LoopRig(card, plan: try plan([8000..<12_000], gap: .frames(3000))) {
            ($0.mode, $0.addedFrames) = (.gaps, 123)
        }
        let (events, _) = try await rig.run()
        // The last pass has no gap after it.
        #expect(events.ended.count == 2, "\(events)")
        for (take, _) in events.ended {
            let (model, frames) = (try #require(take.model), rig.frames(of: take))
            let start = Int(model.start)
            #expect(start == LoopRig.rate / 10 && frames[start - 200] == 12_001 - 200)
            #expect(frames[(start + LoopRig.fade)..<(start + 3000)].allSatisfy { $0 == 0 })
        }
    }

    @Test("a single key begins and ends takes in the middle of passes")
    func key() async throws {
        var card = VirtualCardOptions()
        card.loopbackDelayFrames = 77
        let presses = Mutex<[Int64]>([5000, 20_000, 26_100])
        let rig = try LoopRig(
            card, plan: try plan([8000..<14_000], passes: 5), settings: { ($0.mode, $0.addedFrames) = (.key, 77) },
            script: { session, recorder in
                let isDue = presses.withLock { presses in
                    guard let next = presses.first, session.player.status.outputFrame >= next else { return false }
                    presses.removeFirst()
                    return true
                }
                if isDue { recorder.press() }
            })
        let (events, _) = try await rig.run()
        // The end of the session ends the second take.
        #expect(events.ended.count == 2, "\(events)")
        for (take, _) in events.ended {
            let (model, frames) = (try #require(take.model), rig.frames(of: take))
            // A take may begin in the middle of a pass, and continues over the next passes.
            let begin = max(LoopRig.rate / 10, Int(model.start) + LoopRig.fade)
            let end = Int(model.start) + model.frames.count - LoopRig.fade
            #expect(misplaced(frames, model, heard: begin..<max(begin, end)).isEmpty)
            #expect(frames.count > 10_000 || take.id == 2)
        }
    }

    @Test("a take on two cards with drifting clocks is in its place within 0.2 ms", arguments: [0.0, 200, -200])
    func drift(ppm: Double) async throws {
        var card = VirtualCardOptions()
        card.loopbackDelayFrames = 400
        card.capturePPM = ppm
        func run() async throws -> (rig: LoopRig, events: [PracticeTakeEvent], error: EngineError?) {
            let rig = try LoopRig(
                card, clocks: .two, plan: try plan([8000..<40_000], passes: 3), period: 256,
                settings: { $0.addedFrames = 400 })
            let (events, error) = try await rig.run()
            return (rig, events, error)
        }
        var (rig, events, error) = try await run()
        // Two threads share the virtual clock. If one thread gets no processor for a second, the other thread takes its
        // card for dead, on a busy machine several times in a row.
        for _ in 0..<20 where error != nil { (rig, events, error) = try await run() }
        #expect(error == nil && events.ended.count == 3, "\(String(describing: error)), \(events)")
        // The control loop that follows the clocks needs some seconds to become quiet.
        for (take, _) in events.ended.dropFirst() {
            let (model, frames) = (try #require(take.model), rig.frames(of: take))
            let start = Int(model.start.rounded())
            let offsets = (start + 500..<min(frames.count, start + 31_000)).map { (frame: Int) -> Double in
                let played: Double = Double(frames[frame] - 1) - Double(model.frames.lowerBound)
                return played - (Double(frame) - model.start)
            }.sorted()
            let median = offsets.isEmpty ? 1e9 : offsets[offsets.count / 2]
            print("takes on two cards: \(ppm) ppm, take \(take.id) off by \(median) frames")
            #expect(abs(median) <= 0.0002 * Double(LoopRig.rate) + 1, "off by \(median) frames")
        }
    }

    @Test("random keys and a failing card lose no take, and each take is valid and in its place")
    func random() async throws {
        let presses = environmentCount("WOODSHED_PRESSES", short: cases(500, few: 150))
        var generator = SeededGenerator(printedFor: "random presses over a loop")
        var card = VirtualCardOptions()
        card.loopbackDelayFrames = 205
        let faults = (1...max(2, presses / 100)).map { number in
            "\(["xrun", "stall"][number % 2])@\(number * 60_000 + Int.random(in: 0..<20_000, using: &generator))\(number % 2 == 1 ? ":60" : "")"
        }
        card.playbackFaults = faults.joined(separator: " ")
        let state = Mutex((random: generator, left: presses, pressed: 0))
        let rig = try LoopRig(
            card, plan: try plan([8000..<14_000, 12_000..<30_000, 33_000..<34_500], passes: 1_000_000),
            settings: { $0.addedFrames = 205 },
            script: { session, recorder in
                let choice: (Int, Int)? = state.withLock { state in
                    guard Int.random(in: 0..<30, using: &state.random) == 0 else { return nil }
                    state.left -= 1
                    return (
                        state.left < 0 ? 9 : Int.random(in: 0..<9, using: &state.random),
                        Int.random(in: 0..<6000, using: &state.random)
                    )
                }
                guard let (key, number) = choice else { return }
                switch key {
                case 0: recorder.press()
                case 1: session.pause()
                case 2, 3: session.resume()
                case 4: session.skip(by: 1)
                case 5: session.skip(by: -1)
                case 6, 7: try? session.player.seek(toClipFrame: Int64(12_000 + number))
                case 8: if number % 4 == 0 { _ = try? session.toggleLoop() }
                default: session.stop()
                }
            })
        let (events, error) = try await rig.run()
        #expect(error == nil)
        let lost = Set(events.compactMap { if case .lost(let take, _) = $0 { take.id } else { nil } })
        var checked = 0
        for (take, end) in events.ended {
            let frames = rig.frames(of: take)
            #expect(
                frames.count == Int(end.frameCount) && end.failure == nil && end.reason == .asked, "take \(take.id)")
            let model = try #require(take.model)
            let (lead, tail) = (LoopRig.rate / 10, LoopRig.rate / 4)
            guard end.lostFrames == 0 else { continue }
            let first = max(lead, Int(model.start.rounded())) + LoopRig.fade
            let last = min(frames.count - tail, Int(model.start.rounded()) + model.frames.count) - LoopRig.fade
            guard first < last else { continue }
            checked += last - first
            let wrong = misplaced(frames, model, heard: first..<last)
            #expect(
                wrong.isEmpty, "take \(take.id) \(model): \(wrong.count) of \(last - first) from \(wrong.first ?? 0) on"
            )
        }
        print(
            "takes under random keys: \(events.ended.count) takes, \(checked) frames in place, \(lost.count) with losses"
        )
        #expect(events.ended.count > presses / 12 && checked > presses * 100)
        let listed = try #require(try rig.store?.takes())
        #expect(Set(listed.map(\.path)) == Set(events.ended.map(\.take.path)))
        #expect(listed.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
        let files = try FileManager.default.contentsOfDirectory(atPath: rig.folder.file("takes"))
        #expect(files.count == listed.count)
        #expect(events.allSatisfy { if case .failed = $0 { false } else { true } })
    }

    @Test("a missing folder or a read-only store ends no session, and the takes are listed later")
    func failures() async throws {
        let rig = try LoopRig(
            VirtualCardOptions(), plan: try plan([8000..<14_000], passes: 2),
            settings: { $0.folder = "/nonexistent/takes" })
        let (events, error) = try await rig.run()
        #expect(error == nil && events.ended.isEmpty)
        #expect(events.filter { if case .failed = $0 { true } else { false } }.count == 2, "\(events)")

        // The folder of the store is a file.
        let scratch = try Scratch()
        try Data([1]).write(to: URL(fileURLWithPath: scratch.file("data")))
        let broken = try PracticeStore(.file(scratch.file("data/practice.db")))
        let second = try LoopRig(
            VirtualCardOptions(), plan: try plan([8000..<14_000], passes: 2), settings: { $0.store = broken })
        let (news, _) = try await second.run()
        #expect(news.ended.count == 2 && news.filter { if case .unlisted = $0 { true } else { false } }.count == 2)
        try FileManager.default.removeItem(atPath: scratch.file("data"))
        try FileManager.default.createDirectory(atPath: scratch.file("data"), withIntermediateDirectories: true)
        let registry = try #require(second.recorder.settings.registry)
        let adopted = try broken.adoptTakes(from: registry)
        #expect(adopted.count == 2 && adopted.allSatisfy { $0.take.model?.alignment == .measured })
        #expect(Set(adopted.map(\.take.path)) == Set(news.ended.map(\.take.path)))
        #expect(Set(adopted.compactMap { $0.take.model?.pass }) == [1, 2])
        #expect(try broken.adoptTakes(from: registry).isEmpty && broken.takes().count == 2)
    }

    @Test("an unplugged card ends the session with whole takes")
    func unplugged() async throws {
        var card = VirtualCardOptions()
        card.playbackFaults = "unplug@15000"
        let rig = try LoopRig(card, plan: try plan([8000..<14_000], passes: 9))
        let (events, error) = try await rig.run()
        #expect(error != nil && events.ended.count == 3, "\(events)")
        for (take, end) in events.ended { #expect(rig.frames(of: take).count == Int(end.frameCount)) }
        #expect(try rig.store?.takes().count == 3 && rig.recorder.settings.registry?.find().isEmpty == true)
    }
}
