import AudioFiles
import Files
import Glibc
import Testing
import VirtualCardSupport

@testable import AudioDevices

@Suite("Recording")
struct CaptureTests {
    static let blocks = [32, 64, 256, 1024]

    private func card(_ faults: String = "", clock: VirtualCardOptions.Clock = .virtual) throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.clock = clock
        options.captureFaults = faults
        options.cableFrames = 1 << 19
        return try VirtualCardRig(options)
    }

    private func request(_ period: Int = 256, clock: StreamClock = .real) throws -> StreamRequest {
        try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: period, periodCount: 4, clock: clock,
            realtimePriority: nil)
    }

    /// An input on a card, by the card's own clock.
    private func open(
        _ rig: VirtualCardRig, _ request: StreamRequest, asleep: (@Sendable () -> Int64)? = nil
    ) throws -> any InputStream {
        try DeviceInput(
            StreamCore(ALSABackend(input: rig.name, request, now: { rig.time }, asleep: asleep), request))
    }

    @Test(
        "the card's input is delivered bit for bit, in blocks of the period, with their frames", arguments: blocks
    )
    func exact(period: Int) throws {
        // Two threads share the virtual clock. If either thread gets no processor for a second, the other thread takes
        // its card for dead.
        let cameUndisturbed = try (0..<10).contains { _ in
            let rig = try card()
            let player = try DeviceOutput(
                StreamCore(ALSABackend(output: rig.name, request(1024), now: { rig.time }), request(1024)))
            return try isExact(rig, player: player, recorder: open(rig, request(period)), period: period)
        }
        #expect(cameUndisturbed, "10 runs, and none in which both cards were served")
    }

    @Test("streams opened by name go by the real clock, and deliver the card's input bit for bit")
    func exactByName() throws {
        // Even buffers of 85 ms may pass on a busy machine, but not in each third of a second.
        let cameUndisturbed = try (0..<100).contains { _ in
            let rig = try card(clock: .real)
            let player = try openOutput(.system(rig.name), request(1024))
            let recorder = try openInput(.system(rig.name), request(1024))
            return try isExact(rig, player: player, recorder: recorder, period: 1024)
        }
        #expect(cameUndisturbed, "100 runs, and none without an overrun")
    }

    /// Compares the delivered samples with the card's input, if delivered without an overrun.
    private func isExact(
        _ rig: VirtualCardRig, player: any OutputStream, recorder: any InputStream, period: Int
    ) throws -> Bool {
        // Longer than a busy machine may delay the recorder's start. The silence takes no time on the virtual clock,
        // which waits for the recorder.
        let sound = TestSound(frameCount: 400_000, channelCount: 2)
        let tape = Tape(capacity: 16_384)
        #expect(recorder.configuration.periodFrames == period && recorder.configuration.channelCount == 2)
        let isVirtual = rig.options.clock == .virtual
        try player.start(
            sound.callbacks(onRender: { block in
                guard isVirtual, block.outputFrame == 8192 else { return }
                // Without a call that would be reported here.
                let end = MonotonicTime.now() + 60_000_000_000
                while !rig.truth(.capture).isRunning, MonotonicTime.now() < end {}
            }))
        // The recording may be over when its state is read.
        try #require(rig.waits { rig.truth(.playback).starts > 0 })
        try recorder.start(tape.callbacks())
        do throws(DeviceError) { try recorder.waitUntilFinished() } catch {
            player.stop()
            guard isVirtual, error.lossCause == .stoppedDelivering else { throw error }
            return false
        }
        player.stop()
        #expect(tape.frameCount == 16_384 && recorder.statistics.framesCaptured == 16_384)
        let wasInTime = recorder.statistics.overruns == 0 && player.statistics.xruns == 0
        guard isVirtual || wasInTime else { return false }
        #expect(wasInTime)
        let start = rig.truth(.capture).startFrame
        let heard = rig.heard(from: start, count: 16_384, channelCount: 2)
        // By the real clock a late recorder finds the sound over, and by the virtual clock a player that was given up.
        guard heard.contains(where: { $0 != 0 }) else { return false }
        #expect(tape.interleaved.map(Double.init) == heard)
        #expect(tape.inputFrames == (0..<16_384).map(Int64.init))
        return true
    }

    @Test(
        "an interrupted input continues after one incident, and its frames keep the card's time",
        arguments: [VirtualFault.xrun, .suspend, .suspendPrepare, .suspendLie], blocks)
    func interruption(fault: VirtualFault, period: Int) throws {
        let rig = try card("\(fault)@10000")
        let tape = Tape(capacity: 24_576)
        let stream = try open(rig, request(period))
        try stream.start(tape.callbacks())
        try stream.waitUntilFinished()
        let incidents = stream.takeIncidents()
        let incident = try #require(incidents.first)
        #expect(incidents.count == 1 && tape.overruns.count == 1 && stream.statistics.overruns == 1)
        #expect(incident.kind == (fault == .xrun ? .overrun : .suspended) && incident.side == .input)
        #expect(incident.recovery == (fault == .suspend ? .resumed : .restarted))
        #expect(incident.lostFrames == tape.overruns.lostFrames)
        // By the card's record: the frames moved but not fetched, and the time of standstill.
        let truth = rig.truth(.capture)
        let missing = Int64(truth.framesMoved - truth.framesTransferred + truth.silentFrames)
        #expect(abs(incident.lostFrames - missing) <= Int64(period))
        #expect(abs(incident.frame - 10_000) <= Int64(period))
        #expect(tape.inputFrames.last == 24_575 + incident.lostFrames)
    }

    @Test(
        "the length of a computer's sleep is reported once, and adds no lost frames",
        arguments: [VirtualFault.suspend, .suspendPrepare])
    func sleep(fault: VirtualFault) throws {
        let rig = try card("\(fault)@10000 \(fault)@15000")
        let tape = Tape(capacity: 24_576)
        // The computer sleeps between the start and the first fault.
        let (begin, hour) = (rig.time, Int64(3600) * 1_000_000_000)
        let stream = try open(rig, request()) { rig.time - begin < 100_000_000 ? 5 : 5 + hour }
        try stream.start(tape.callbacks())
        try stream.waitUntilFinished()
        let incidents = stream.takeIncidents()
        #expect(incidents.map(\.kind) == [.suspended, .suspended])
        #expect(incidents.map(\.secondsAsleep) == [3600, 0])
        #expect(incidents.allSatisfy { $0.lostFrames < 48_000 })
        #expect(tape.frameCount == 24_576)
    }

    @Test(
        "a device that is unplugged, or whose server dies, ends the recording with the cause",
        arguments: [VirtualFault.unplug, .death])
    func loss(fault: VirtualFault) throws {
        let rig = try card("\(fault)@10000")
        let tape = Tape(capacity: 24_576)
        let stream = try open(rig, request())
        try stream.start(tape.callbacks())
        let error = #expect(throws: DeviceError.self) { try stream.waitUntilFinished() }
        let cause: LossCause = fault == .unplug ? .unplugged : .serverGone
        #expect(error?.kind == .lost && error?.lossCause == cause)
        let incidents = stream.takeIncidents()
        #expect(incidents.map(\.kind) == [.lost] && incidents.first?.cause == cause)
        // All frames recorded before the fault that filled a block.
        #expect(tape.frameCount == 10_000 / 256 * 256 && rig.truth(.capture).isOpen == false)
    }

    @Test("a device that delivers no frame for a second is given up, with the cause")
    func dead() throws {
        // For hours: the device must not go on while the machine holds up its thread.
        let rig = try card("freeze@1000:10000000", clock: .real)
        let stream = try openInput(.system(rig.name), request())
        try stream.start(Tape(capacity: 24_576).callbacks())
        let error = #expect(throws: DeviceError.self) { try stream.waitUntilFinished() }
        #expect(error?.lossCause == .stoppedDelivering)
    }

    @Test(
        "a thread held up for less than the buffer lasts loses no frame of a recording",
        arguments: [false, true])
    func heldUp(isLong: Bool) throws {
        // The card has at most 64 periods.
        let rig = try card("stall@10000:300")
        let tape = Tape(capacity: 49_152)
        let asked = try request()
        let stream = try open(rig, isLong ? asked.withLongBuffer() : asked)
        #expect(stream.configuration.periodFrames == 256)
        #expect((stream.configuration.bufferFrames > 15_000) == isLong)
        try stream.start(tape.callbacks())
        try stream.waitUntilFinished()
        #expect((stream.statistics.overruns == 0) == isLong)
        #expect((tape.inputFrames == (0..<49_152).map(Int64.init)) == isLong)
    }

    @Test("a recording with transfers of half a block, and then of nothing, loses no frame")
    func short() throws {
        // Ten transfers of nothing: each may be followed by a tenth of a second of waiting, and a device without frames
        // for a second is given up.
        let rig = try card("short@5000:1 short@10000:10")
        let tape = Tape(capacity: 24_576)
        let stream = try open(rig, request())
        try stream.start(tape.callbacks())
        try stream.waitUntilFinished()
        #expect(tape.inputFrames == (0..<24_576).map(Int64.init) && stream.takeIncidents().isEmpty)
    }

    @Test(
        "a file is recorded bit for bit at its own rate and channels, by either clock, to its end",
        arguments: StreamClock.allCases)
    func file(clock: StreamClock) throws {
        let path = temporaryPath()
        defer { unsafe unlink(path) }
        let sound = TestSound(frameCount: 3001, channelCount: 1)
        let made = try StreamRequest(sampleRate: 192_000, channelCount: 1, clock: .virtual)
        let writer = try openOutput(.file(path: path), made)
        try writer.start(sound.callbacks())
        try writer.waitUntilFinished()
        let tape = Tape(capacity: 10_000)
        let stream = try openInput(.file(path: path), request(clock: clock))
        #expect(stream.configuration.sampleRate == 192_000 && stream.configuration.channelCount == 1)
        try stream.start(tape.callbacks())
        try stream.waitUntilFinished()
        #expect(tape.channel(0) == sound.channel(0))
        #expect(stream.position == CapturePosition(nextFrame: 3001, waitingFrames: 0))
    }

    @Test("null as an input gives silence by the clock, until the callback ends the stream")
    func null() throws {
        let tape = Tape(capacity: 2048)
        let stream = try openInput(.null, request())
        let begin = MonotonicTime.now()
        try stream.start(tape.callbacks())
        try stream.waitUntilFinished()
        #expect(tape.channel(1) == [Float](repeating: 0, count: 2048))
        // 2048 frames at 48 kHz last 42 ms; on a busy machine there is no upper bound.
        #expect(MonotonicTime.now() - begin >= 42_000_000)
    }

    @Test("a stop ends a recording at once, and is permitted for a stream that was never started")
    func stops() throws {
        let rig = try card(clock: .real)
        let stream = try openInput(.system(rig.name), request())
        try stream.start(CaptureCallbacks(capture: { _ in true }))
        stream.stop()
        try stream.waitUntilFinished()
        #expect(rig.truth(.capture).isOpen == false)
        let other = try openInput(.system(rig.name), request())
        other.stop()
        #expect(throws: DeviceError.self) { try other.start(Tape(capacity: 1).callbacks()) }
    }

    @Test("a missing input is refused with a remedy")
    func refusals() throws {
        let missing = #expect(throws: DeviceError.self) { try openInput(.file(path: "/nonexistent.wav"), request()) }
        #expect(missing?.kind == .unknownDevice && missing?.remedy.isEmpty == false)
        #expect(try InputDevice(parsing: "file:a.wav") == .file(path: "a.wav"))
        #expect(try InputDevice(parsing: "null") == .null)
        #expect(try InputDevice(parsing: "hw:0").description == "hw:0")
        for text in ["", "file:", "a\0b"] {
            #expect(throws: DeviceError.self) { try InputDevice(parsing: text) }
        }
    }
}
