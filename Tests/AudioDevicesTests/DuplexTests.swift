import Glibc
import Synchronization
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

/// A duplex stream that plays a known sound and keeps the returned sound, with the reported offset.
final class DuplexRun: Sendable {
    let sound: TestSound
    let tape: Tape
    private let roundTrip = Atomic<Int64>(-1)
    private let roundTrips = Atomic<Int>(0)

    init(frameCount: Int, capacity: Int) {
        sound = TestSound(frameCount: frameCount, channelCount: 2)
        tape = Tape(capacity: capacity)
    }

    /// The last reported offset, and the number of different offsets in a row.
    var lastRoundTrip: Int64 { roundTrip.load(ordering: .acquiring) }
    var roundTripCount: Int { roundTrips.load(ordering: .acquiring) }

    /// Ends when the tape is full. Silence follows the sound.
    func callbacks() -> DuplexCallbacks {
        DuplexCallbacks(
            process: { block in
                if self.roundTrip.exchange(block.roundTripFrames, ordering: .acquiringAndReleasing)
                    != block.roundTripFrames
                {
                    self.roundTrips.wrappingAdd(1, ordering: .releasing)
                }
                let valid = self.sound.copy(to: block.output)
                for channel in 0..<block.output.channelCount {
                    let rest = unsafe block.output.channels[channel] + valid
                    unsafe rest.update(repeating: 0, count: block.output.frameCount - valid)
                }
                return self.tape.take(block.input) ? block.output.frameCount : 0
            },
            overrun: { _, lost in self.tape.noteOverrun(lost) })
    }
}

@Suite("Playing and recording together")
struct DuplexTests {
    static let blocks = [32, 64, 256, 1024]

    func request(_ period: Int, count: Int = 2) throws -> StreamRequest {
        try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: period, periodCount: count, realtimePriority: nil)
    }

    func open(_ rig: VirtualCardRig, _ request: StreamRequest) throws -> any DuplexStream {
        let backend = try ALSABackend(output: rig.name, input: rig.name, request, now: { rig.time })
        return try DeviceDuplex(StreamCore(backend, request))
    }

    func card(
        _ clock: VirtualCardOptions.Clock = .virtual, playback: String = "", capture: String = "", delay: Int64 = 0
    ) throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.clock = clock
        options.playbackFaults = playback
        options.captureFaults = capture
        options.loopbackDelayFrames = delay
        options.cableFrames = 1 << 19
        return try VirtualCardRig(options)
    }

    @Test(
        "played sound comes back after exactly the reported number of frames, also with two periods",
        arguments: blocks)
    func exact(period: Int) throws {
        let rig = try card(delay: 37)
        let run = DuplexRun(frameCount: 20_000, capacity: 24_576)
        let stream = try open(rig, request(period))
        try stream.start(run.callbacks())
        try stream.waitUntilFinished()
        let offset = Int(run.lastRoundTrip) + 37
        #expect(run.lastRoundTrip == 2 * Int64(period) && run.roundTripCount == 1)
        #expect(run.tape.channel(1).prefix(offset).allSatisfy { $0 == 0 })
        #expect(Array(run.tape.channel(1)[offset..<offset + 20_000]) == run.sound.channel(1))
        #expect(stream.takeIncidents().isEmpty && stream.inputPosition.nextFrame == 24_576)
    }

    @Test("the offset between both clocks, as the card reports it, is known to the frame at every start")
    func everyStart() throws {
        let starts = environmentCount("WOODSHED_DUPLEX_STARTS", short: cases(20, few: 10))
        var generator = SeededGenerator(printedFor: "everyStart")
        var (largest, wrong, measured) = (Int64(0), 0, 0)
        // A buffer of 85 ms, since this test is not about interruptions by a busy machine.
        let (period, periods) = (256, 16)
        var made = 0
        // If a busy machine interrupts all of them, more starts are made until one counts.
        while made < starts || (measured == 0 && made < 200) {
            made += 1
            let rig = try card(.real)
            let run = DuplexRun(frameCount: 0, capacity: 512)
            let stream = try openDuplex(
                output: .system(rig.name), input: .system(rig.name), request(period, count: periods))
            usleep(UInt32.random(in: 0...2000, using: &generator))
            try stream.start(run.callbacks())
            try stream.waitUntilFinished()
            // A machine that is too busy even for this buffer makes an interruption, after which other starts count.
            guard stream.statistics.xruns == 0, rig.truth(.capture).starts == 1 else { continue }
            let truth = rig.truth(.playback).startFrame + Int64(periods * period) - rig.truth(.capture).startFrame
            measured += 1
            wrong += run.lastRoundTrip == truth ? 0 : 1
            largest = max(largest, abs(run.lastRoundTrip - truth))
        }
        print("offset of both clocks, \(measured) of \(made) starts: \(wrong) wrong, by \(largest) frames at most")
        #expect(measured > 0 && wrong == 0)
    }

    @Test(
        "an interruption of either side is one incident, and both sides continue with a known offset",
        arguments: [VirtualFault.xrun, .suspend, .suspendPrepare, .suspendLie], VirtualDirection.allCases)
    func interruption(fault: VirtualFault, direction: VirtualDirection) throws {
        let schedule = "\(fault)@10000"
        let rig = try card(
            playback: direction == .playback ? schedule : "", capture: direction == .capture ? schedule : "")
        let run = DuplexRun(frameCount: 40_000, capacity: 24_576)
        let stream = try open(rig, request(256, count: 4))
        try stream.start(run.callbacks())
        try stream.waitUntilFinished()
        let incidents = stream.takeIncidents()
        let incident = try #require(incidents.first)
        #expect(incidents.count == 1 && incident.recovery == .restarted)
        #expect(incident.side == (direction == .playback ? .output : .input))
        #expect((incident.kind == .suspended) == (fault != .xrun))
        // The frames of the input are frames of the card's time, so the sound is at the place given by the offset.
        let truth = rig.truth(.capture)
        #expect(run.tape.inputFrames.last == 24_575 + run.tape.overruns.lostFrames)
        let start = truth.startFrame
        let tail = run.tape.channel(0).suffix(4096)
        let heard = rig.heard(from: start + Int64(truth.framesMoved), count: 1, channelCount: 2)
        #expect(heard.count == 2)
        let firstInput = try #require(run.tape.inputFrames.suffix(4096).first)
        let first = Int(firstInput - run.lastRoundTrip)
        #expect(Array(tail) == KnownSound.channel(0, frames: first..<first + 4096))
    }

    @Test(
        "a side that stands still and falls behind is brought back into step by one restart",
        arguments: VirtualDirection.allCases)
    func standstill(direction: VirtualDirection) throws {
        // 12 ms: longer than two periods, shorter than the buffers.
        let schedule = "freeze@10000:12"
        let rig = try card(
            playback: direction == .playback ? schedule : "", capture: direction == .capture ? schedule : "")
        let run = DuplexRun(frameCount: 0, capacity: 24_576)
        let stream = try open(rig, request(128, count: 8))
        try stream.start(run.callbacks())
        try stream.waitUntilFinished()
        let incidents = stream.takeIncidents()
        #expect(incidents.count == 1 && incidents.first?.recovery == .restarted)
        let difference = rig.truth(.playback).startFrame - rig.truth(.capture).startFrame
        #expect(run.roundTripCount <= 2 && difference == 0)
    }

    @Test("a card that is unplugged ends both sides with one cause", arguments: [VirtualFault.unplug, .death])
    func loss(fault: VirtualFault) throws {
        let rig = try card(capture: "\(fault)@10000")
        let stream = try open(rig, request(256))
        try stream.start(DuplexRun(frameCount: 0, capacity: 24_576).callbacks())
        let error = #expect(throws: DeviceError.self) { try stream.waitUntilFinished() }
        #expect(error?.lossCause == (fault == .unplug ? .unplugged : .serverGone))
        #expect(stream.takeIncidents().map(\.kind) == [.lost])
        #expect(!rig.truth(.playback).isOpen && !rig.truth(.capture).isOpen)
    }

    @Test("a device that reports a wrong delay works like any other", arguments: [1, 2])
    func delayAnswers(answer: UInt32) throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.delayAnswer = try #require(VirtualCardOptions.DelayAnswer(rawValue: answer))
        let rig = try VirtualCardRig(options)
        let run = DuplexRun(frameCount: 4000, capacity: 8192)
        let stream = try open(rig, request(64))
        try stream.start(run.callbacks())
        try stream.waitUntilFinished()
        #expect(Array(run.tape.channel(0)[128..<4128]) == run.sound.channel(0))
        #expect(stream.takeIncidents().isEmpty && stream.position.delayFrames >= 0)
    }

    @Test(
        "files and null run together with either clock: the file recorded is the sound played",
        arguments: StreamClock.allCases)
    func files(clock: StreamClock) throws {
        let (source, target) = (temporaryPath(), temporaryPath())
        defer {
            unsafe unlink(source)
            unsafe unlink(target)
        }
        let request = try StreamRequest(
            sampleRate: 96_000, channelCount: 2, periodFrames: 128, clock: clock, realtimePriority: nil)
        let sound = TestSound(frameCount: 3000, channelCount: 2)
        let writer = try openOutput(.file(path: source), request)
        try writer.start(sound.callbacks())
        try writer.waitUntilFinished()
        let stream = try openDuplex(output: .file(path: target), input: .file(path: source), request)
        try stream.start(
            DuplexCallbacks(process: { block in
                for channel in 0..<2 {
                    unsafe block.output.channels[channel].update(
                        from: block.input.channels[channel], count: block.output.frameCount)
                }
                return block.output.outputFrame < 2944 ? block.output.frameCount : 56
            }))
        try stream.waitUntilFinished()
        #expect(floatSamples(ofWave: target) == interleaved(sound))
        #expect(throws: DeviceError.self) {
            try openDuplex(output: .system("void"), input: .null, request)
        }
    }
}
