import Files
import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

@Suite("Cards with unusual faults")
struct HardDeviceTests {
    private func request(_ period: Int = 256, count: Int = 4) throws -> StreamRequest {
        try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: period, periodCount: count, realtimePriority: nil)
    }

    @Test(
        "a card that stops whenever it is started is given up after a few attempts",
        arguments: TrialMode.allCases)
    func storm(mode: TrialMode) throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        let schedule = (1...40).map { "xrun@\($0 * 10)" }.joined(separator: " ")
        if mode == .playback { options.playbackFaults = schedule } else { options.captureFaults = schedule }
        let rig = try VirtualCardRig(options)
        let backend = try ALSABackend(
            output: mode == .capture ? nil : rig.name, input: mode == .playback ? nil : rig.name, request(),
            now: { rig.time })
        let core = try StreamCore(backend, request())
        // Ends by itself, so that a device that is never given up is not tried for ever.
        try core.start(
            StreamWork(
                DuplexCallbacks(process: {
                    max($0.output.outputFrame, $0.input.inputFrame) < 200_000 ? $0.output.frameCount : 0
                })))
        let error = #expect(throws: DeviceError.self) { try core.waitUntilFinished() }
        #expect(error?.kind == .lost && error?.lossCause == .xrunStorm)
        #expect(error?.remedy.contains("period") == true)
        let incidents = core.ledger.takeIncidents()
        #expect(incidents.count == 9 && incidents.last?.kind == .lost && incidents.last?.cause == .xrunStorm)
    }

    // Like PipeWire's plug-in when its server has died: reports an xrun, is prepared, and reports an xrun again.
    @Test(
        "a plug-in that refuses its first frame again and again is reported as a lost server",
        arguments: [1024, 20_480])
    func refusal(frame: Int64) throws {
        var options = VirtualCardOptions()
        // By the real clock, a busy machine adds interruptions of its own.
        options.clock = .virtual
        let rig = try VirtualCardRig(options)
        let core = try StreamCore(ALSABackend(output: rig.name, request(), now: { rig.time }), request())
        try core.start(
            StreamWork(
                StreamCallbacks(render: { block in
                    if block.outputFrame == frame { rig.refuse(.transfer, .playback, error: EPIPE, count: nil) }
                    return block.frameCount
                })))
        let error = #expect(throws: DeviceError.self) { try core.waitUntilFinished() }
        #expect(error?.kind == .lost && error?.lossCause == .serverGone)
        let incidents = core.ledger.takeIncidents()
        #expect(incidents.map(\.kind) == [.xrun, .lost] && incidents.last?.cause == .serverGone)
    }

    // The same plug-in as an input: starting succeeds, and asking for the position reports an xrun.
    @Test("an input that stops again and again before its first position is reported as a lost server")
    func inputRefusal() throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.captureFaults = Array(repeating: "xrun@4800", count: 40).joined(separator: " ")
        let rig = try VirtualCardRig(options)
        let core = try StreamCore(ALSABackend(input: rig.name, request(), now: { rig.time }), request())
        try core.start(StreamWork(Tape(capacity: 24_576).callbacks()))
        let error = #expect(throws: DeviceError.self) { try core.waitUntilFinished() }
        #expect(error?.kind == .lost && error?.lossCause == .serverGone)
        let incidents = core.ledger.takeIncidents()
        #expect(incidents.last?.cause == .serverGone && incidents.last?.side == .input)
    }

    @Test("a device is given up after a hundred interruptions at once; each second permits twenty more")
    func budget() {
        var budget = RecoveryBudget()
        let start: Int64 = 1_000_000_000_000
        #expect((0..<100).allSatisfy { _ in budget.spend(now: start) })
        #expect(!budget.spend(now: start) && !budget.spend(now: start + 40_000_000))
        let later = start + 1_000_000_000
        #expect((0..<20).allSatisfy { _ in budget.spend(now: later) } && !budget.spend(now: later))
    }

    @Test("a device is given up after eight interruptions in a row before its first frame, or soon after a start")
    func rows() {
        var (refusing, early) = (RecoveryBudget(), RecoveryBudget())
        for turn in 1...8 {
            let time = Int64(turn) * 1_000_000_000
            #expect(refusing.spend(.beforeFirstFrame, now: time) == nil && refusing.refusals == turn)
            #expect(early.spend(.soonAfterStart, now: time) == nil)
        }
        // A device that refuses in between is not better; a later interruption ends both rows.
        let time: Int64 = 10_000_000_000
        #expect(refusing.spend(.beforeFirstFrame, now: time) == .refusals)
        #expect(refusing.spend(.later, now: time) == nil && refusing.refusals == 0)
        #expect(early.spend(.beforeFirstFrame, now: time) == nil)
        #expect(early.spend(.soonAfterStart, now: time) == .storm)
        #expect(early.spend(.later, now: time) == nil && early.spend(.soonAfterStart, now: time) == nil)
    }

    @Test("an interruption counts the silence of the output and the frames that the input missed")
    func interruptionFrames() {
        var clock = PositionClock(sampleRate: 48_000, periodFrames: 256)
        clock.restart(at: 1000, now: 2_000_000_000)
        func interruption(_ clock: PositionClock?) -> ALSAInterruption {
            ALSAInterruption(
                kind: .xrun, side: .output, time: 3_000_000_000, silentSince: 2_500_000_000, silentBefore: 7,
                inputClock: clock, inputDelivered: 900)
        }
        let both = interruption(clock)
        #expect(both.silentFrames(until: 3_000_000_000, sampleRate: 48_000) == 24_007)
        #expect(both.silentFrames(until: 2_000_000_000, sampleRate: 48_000) == 7)
        #expect(both.missingFrames(until: 2_500_000_000) == 24_100)
        #expect(interruption(nil).missingFrames(until: 2_500_000_000) == 0)
    }

    @Test(
        "a card whose position moves in steps is not restarted, and its offset is known to a step",
        arguments: [16, 64, 256])
    func steps(granularity: UInt32) throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.granularityFrames = granularity
        let rig = try VirtualCardRig(options)
        let run = DuplexRun(frameCount: 8000, capacity: 65_536)
        let backend = try ALSABackend(output: rig.name, input: rig.name, request(), now: { rig.time })
        let stream = try DeviceDuplex(StreamCore(backend, request()))
        try stream.start(run.callbacks())
        try stream.waitUntilFinished()
        #expect(stream.takeIncidents().isEmpty && run.tape.frameCount == 65_536)
        let first = run.tape.channel(0).firstIndex { $0 != 0 } ?? -1
        #expect(abs(first - Int(run.lastRoundTrip)) <= Int(granularity) + 1)
    }

    @Test(
        "a device is not given up for a program that is held up",
        arguments: [true, false])
    func heldUp(isInput: Bool) throws {
        var options = VirtualCardOptions()
        // Its clock stands still meanwhile, so that no time passes for the device.
        options.clock = .virtual
        let rig = try VirtualCardRig(options)
        let backend = try ALSABackend(
            output: isInput ? nil : rig.name, input: isInput ? rig.name : nil, request(), now: { rig.time })
        let core = try StreamCore(backend, request())
        try core.start(
            StreamWork(
                DuplexCallbacks(process: {
                    let frame = max($0.output.outputFrame, $0.input.inputFrame)
                    if frame == 2560 { computeTooLong() }
                    return frame < 8192 ? max($0.output.frameCount, $0.input.frameCount) : 0
                })))
        try core.waitUntilFinished()
        #expect(core.ledger.takeIncidents().isEmpty)
    }

    @Test("a device is given up after a second of waiting without frames, however late its thread wakes")
    func patience() {
        var watch = ProgressWatch(periodNanoseconds: 5_000_000)
        let (minute, timeout): (Int64, Int64) = (60_000_000_000, 100_000_000)
        for _ in 0..<9 { watch.countWake(after: minute, timeout: timeout) }
        #expect(!watch.isExhausted)
        watch.countWake(after: timeout, timeout: timeout)
        #expect(watch.isExhausted)
        watch.observe(available: 1)
        #expect(!watch.isExhausted)
        watch.allowSlowStart()
        for _ in 0..<19 { watch.countWake(after: minute, timeout: timeout) }
        #expect(!watch.isExhausted)
        watch.countWake(after: timeout, timeout: timeout)
        #expect(watch.isExhausted)
    }

    @Test("wake-ups that are late at random lose no frame while the buffer lasts")
    func jitter() throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.jitterMicroseconds = 5000
        let rig = try VirtualCardRig(options)
        let run = DuplexRun(frameCount: 8000, capacity: 65_536)
        let backend = try ALSABackend(output: rig.name, input: rig.name, request(), now: { rig.time })
        let stream = try DeviceDuplex(StreamCore(backend, request()))
        try stream.start(run.callbacks())
        try stream.waitUntilFinished()
        #expect(stream.takeIncidents().isEmpty)
        let first = Int(run.lastRoundTrip)
        #expect(Array(run.tape.channel(0)[first..<first + 8000]) == run.sound.channel(0))
    }

    @Test("two cards of one clock without a common rate are refused, and neither card stays open")
    func rates() throws {
        var options = VirtualCardOptions()
        options.rates = [44_100]
        let (one, other) = (try VirtualCardRig(options), try VirtualCardRig())
        let error = #expect(throws: DeviceError.self) {
            try openDuplex(output: .system(one.name), input: .system(other.name), clocks: .one, request())
        }
        #expect(error?.kind == .formatRefused && error?.message.contains("44100") == true)
        #expect(!one.truth(.playback).isOpen && !other.truth(.capture).isOpen)
    }

    // In a process of its own, whose processor time belongs to no other test.
    @Test(
        "a stream uses no more of a core in the second after any fault than in the second before",
        .disabled(if: Sanitizers.watchThreads, "the sanitizer's own work would be measured"),
        arguments: [VirtualFault.suspendLie, .freeze, .death, .stall, .xrun])
    func processorTime(fault: VirtualFault) async {
        let number = fault.rawValue
        await #expect(processExitsWith: .success) { [number = number as UInt32] in
            guard let fault = VirtualFault(rawValue: number) else { exit(3) }
            // A busy machine may keep the device thread from the fault for the whole second, but not each time.
            for _ in 0..<20 {
                if let isFrugal = try HardDeviceTests.isFrugal(after: fault) { exit(isFrugal ? 0 : 1) }
            }
            exit(2)
        }
    }

    /// Whether a stream takes hardly more of a core after a fault than before; nil if the fault came too late.
    private static func isFrugal(after fault: VirtualFault) throws -> Bool? {
        let rig = try VirtualCardRig()
        let request = try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: 256, periodCount: 4, realtimePriority: nil)
        let stream = try openDuplex(output: .system(rig.name), input: .system(rig.name), request)
        try stream.start(DuplexCallbacks(process: { $0.output.frameCount }))
        let begin = (processor: processorMicroseconds(), time: MonotonicTime.now())
        usleep(1_000_000)
        let middle = (processor: processorMicroseconds(), time: MonotonicTime.now())
        rig.inject(fault, .capture, argument: 10_000)
        usleep(1_000_000)
        let end = (processor: processorMicroseconds(), time: MonotonicTime.now())
        let came = rig.records.first { $0.fault == fault && $0.wasInjected }
        stream.stop()
        guard let came, came.time < middle.time + (end.time - middle.time) / 2 else { return nil }
        // Shares of a core, because this thread may be woken late.
        let before = Double(middle.processor - begin.processor) * 1000 / Double(middle.time - begin.time)
        let after = Double(end.processor - middle.processor) * 1000 / Double(end.time - middle.time)
        // Less than 5 % of a core more than without a fault; a loop that spins takes a whole core.
        return after - before < 0.05
    }
}

/// For 1.3 s. The real-time sanitizer would refuse a sleep.
private func computeTooLong() {
    let end = MonotonicTime.now() + 1_300_000_000
    while MonotonicTime.now() < end {}
}

/// The processor time of this process.
func processorMicroseconds() -> Int {
    var usage = rusage()
    unsafe getrusage(0, &usage)
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
}
