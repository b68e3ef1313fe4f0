import AudioFiles
import Engine
import SoundFileSupport
import Takes
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices
@testable import Clips
@testable import Recording

@Suite("A recorder beside a player, on one device")
struct LinkedTests {
    private let folder = TakeFolder()

    private func card(delay: Int64 = 0, faults: String = "") throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.loopbackDelayFrames = delay
        options.playbackFaults = faults
        return try VirtualCardRig(options)
    }

    private func link(_ rig: VirtualCardRig, period: Int = 256) throws -> LinkedStreams {
        let request = try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: period, periodCount: 3, realtimePriority: nil)
        // Only the card's clock counts here.
        let backend = try ALSABackend(
            output: rig.name, input: rig.name, request, inputRequest: request, now: { rig.time })
        return try LinkedStreams(DeviceDuplex(StreamCore(backend, request)))
    }

    private func player(_ engine: Engine, _ sound: [[Float]]) throws -> Player {
        let plan = PracticePlan(
            sections: [try Section(0..<Int64(sound[0].count))], passes: 1,
            speeds: .constant(try Speed(factor: 1)))
        let score = try Score(plan, clipFrameCount: Int64(sound[0].count), sampleRate: 48_000)
        return try engine.makePlayer(try Clip.inMemory(sound, sampleRate: 48_000), score: score)
    }

    @Test(
        "a take beside a player has the played sound, later by the reported frames and the cable",
        arguments: [64, 1000])
    func offset(period: Int) async throws {
        let rig = try card(delay: 37)
        let linked = try link(rig, period: period)
        let sound = music(frameCount: 24_000, sampleRate: 48_000, seed: 5)
        let engine = Engine(linked: linked, endsWithPlayers: true)
        let player = try player(engine, sound)
        let idle = IdleRecorder(linked: linked)
        let events = idle.monitor.events
        let draft = try idle.prepare(
            TakeRequest(
                destination: .file(path: folder["take.wav"], container: .wav), format: .float32, registry: nil))
        let running = try idle.record(draft)
        player.start()
        try engine.start()
        try engine.waitUntilFinished()
        let stopped = running.stop()
        #expect(stopped.summary.lostFrames == 0 && stopped.summary.failure == nil)
        try stopped.save()
        let roundTrip = try #require(linked.roundTripFrames)
        var first: Int64?
        try await withPatience {
            for await event in events { if case .started(let frame, _) = event { first = frame } }
        }
        #expect(first == 0)
        let taken = floatSamples(ofTake: folder["take.wav"])
        let start = Int(roundTrip) + 37
        #expect(start > 37 && taken.count / 2 > start + 10_000)
        for channel in 0..<2 {
            let heard = stride(from: channel, to: taken.count, by: 2).map { taken[$0] }
            let count = min(sound[channel].count, heard.count - start)
            #expect(heard[..<start].allSatisfy { $0 == 0 })
            #expect(Array(heard[start..<start + count]) == Array(sound[channel][..<count]))
        }
    }

    @Test("a take that reaches its length leaves the player playing, and the stream's end ends both")
    func ends() throws {
        let linked = try link(try card(faults: "unplug@30000"))
        let engine = Engine(linked: linked, endsWithPlayers: false)
        let idle = IdleRecorder(linked: linked)
        let monitor = idle.monitor
        let draft = try idle.prepare(
            TakeRequest(
                destination: .file(path: folder["short.wav"], container: .wav), format: .float32, frameLimit: 5000,
                registry: nil))
        let running = try idle.record(draft)
        try engine.start()
        #expect(throws: EngineError.self) { try engine.waitUntilFinished() }
        #expect(engine.statistics.framesRendered > 20_000)
        let stopped = running.stop()
        #expect(stopped.summary.reason == .limit && stopped.summary.frameCount == 5000)
        try stopped.save()
        #expect(monitor.status.state == .stopped)
    }

    @Test("a recorder or player that is stopped before the other one was started ends at once")
    func halves() throws {
        let rig = try card()
        let (first, second) = (try link(rig), { try link(rig) })
        let armed = try IdleRecorder(linked: first).arm()
        armed.stop()
        first.output.stop()
        let again = try second()
        try again.output.start(StreamCallbacks(render: { $0.frameCount }))
        #expect(throws: DeviceError.self) { try again.output.start(StreamCallbacks(render: { $0.frameCount })) }
        again.output.stop()
        try again.input.waitUntilFinished()
    }
}
