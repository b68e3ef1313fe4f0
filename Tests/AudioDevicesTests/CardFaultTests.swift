import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

/// A playback of a known sound on a card that has a fault, to any end.
struct FaultyRun {
    // Long, since by the real clock the machine's own delays must not count as faults more often than need be.
    static let period = 1024
    let rig: VirtualCardRig
    let sound: TestSound
    let error: DeviceError?
    let statistics: StreamStatistics

    /// Plays `frameCount` frames; by the real clock, in real time.
    init(_ faults: String, clock: VirtualCardOptions.Clock, frameCount: Int = 24_000) throws {
        var options = VirtualCardOptions()
        options.clock = clock
        options.playbackFaults = faults
        // Room for the whole sound and all of its silences; a busy machine makes some silences last seconds.
        options.cableFrames = 1 << 20
        options.channels = 2...2
        rig = try VirtualCardRig(options)
        sound = TestSound(frameCount: frameCount, channelCount: 2)
        // Without real-time priority: a loop at full speed would take a core from everyone.
        let request = try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: Self.period, periodCount: 4, realtimePriority: nil)
        let stream = try openOutput(.system(rig.name), request)
        try stream.start(sound.callbacks())
        var failure: DeviceError?
        do throws(DeviceError) { try stream.waitUntilFinished() } catch { failure = error }
        error = failure
        statistics = stream.statistics
    }

    /// A playback that the machine does not disturb: the stream measures a silence by the machine's clock, and the
    /// waiting of its thread between two readings counts as well. A failure repeated fifty times is no disturbance.
    static func undisturbed(_ faults: String, clock: VirtualCardOptions.Clock) throws -> FaultyRun {
        for _ in 0..<49 where clock == .real {
            let run = try FaultyRun(faults, clock: clock)
            if run.isRemembered, run.reportsTruth(clock: clock) { return run }
        }
        return try FaultyRun(faults, clock: clock)
    }

    /// The faults that stopped the device, by the card's record: faults of the schedule, and the machine's own delays.
    var stops: [VirtualRecord] {
        rig.records.filter { ![.stall, .short, .freeze].contains($0.fault) }
    }

    /// Whether the cable still has the whole sound and all of its silences; on a busy machine a silence may take a
    /// minute.
    private var isRemembered: Bool {
        Int64(sound.frameCount) + rig.records.compactMap(\.gapFrames).reduce(0, +) <= Int64(rig.options.cableFrames)
    }

    /// Whether the stream reported each stop it survived, once, and the total length of the stops.
    func reportsTruth(clock: VirtualCardOptions.Clock) -> Bool {
        let outlived = stops.compactMap(\.gapFrames)
        guard sound.xruns.count == outlived.count, statistics.xruns == outlived.count else { return false }
        // The stream takes its time from the machine, so a virtual clock's time is unknown to the stream.
        guard clock == .real else { return true }
        let tolerance = Int64(Self.period * outlived.count)
        return abs(statistics.lostFrames - outlived.reduce(0, +)) <= tolerance
            && sound.xruns.lostFrames == statistics.lostFrames
    }

    /// Whether the card played the sound from its beginning, except for the frames discarded by each fault and the
    /// silence after it.
    func playedTruth() -> Bool {
        var device = rig.truth(.playback).startFrame
        if let first = rig.records.first { device = first.deviceFrame - first.streamFrame }
        var position = 0
        for record in rig.records where ![.stall, .short].contains(record.fault) {
            let length = Int(record.deviceFrame - device)
            guard played(position..<position + length, at: device) else { return false }
            position += length + record.droppedFrames
            guard let gap = record.gapFrames else { return error != nil }
            guard wasSilent(Int(gap), at: record.deviceFrame) else { return false }
            device = record.deviceFrame + gap
        }
        return played(position..<sound.frameCount, at: device)
    }

    private func played(_ frames: Range<Int>, at device: Int64) -> Bool {
        rig.heardKnownSound(frames, from: device, channelCount: 2)
    }

    private func wasSilent(_ count: Int, at device: Int64) -> Bool {
        rig.wasSilent(count, from: device, channelCount: 2)
    }
}

@Suite("Playing on a card that fails on purpose")
struct CardFaultTests {
    /// Under the thread sanitizer a stream is too slow for the real clock, and drops out by itself.
    static let clocks: [VirtualCardOptions.Clock] = Sanitizers.watchThreads ? [.virtual] : [.real, .virtual]

    @Test("a card without a fault plays every frame, and nothing is reported", arguments: clocks)
    func noFault(clock: VirtualCardOptions.Clock) throws {
        let run = try FaultyRun.undisturbed("", clock: clock)
        #expect(run.error == nil && run.reportsTruth(clock: clock) && run.playedTruth())
        let truth = run.rig.truth(.playback)
        #expect(truth.framesTransferred == 24_000 && truth.framesMoved == 24_000 && truth.droppedFrames == 0)
        #expect(clock == .real || run.statistics.xruns == 0)
    }

    @Test(
        "a stream stopped by a survivable fault plays on, after one report of the silence",
        arguments: [VirtualFault.xrun, .suspend, .suspendPrepare, .suspendLie], clocks)
    func interruption(fault: VirtualFault, clock: VirtualCardOptions.Clock) throws {
        let run = try FaultyRun.undisturbed("\(fault)@10000", clock: clock)
        #expect(run.rig.truth(.playback).faults == [fault: 1])
        #expect(run.error == nil && run.reportsTruth(clock: clock) && run.playedTruth())
        #expect(clock == .real || run.statistics.xruns == 1)
        // The fault discards the content of the device's buffer, unless the stream continues at the same place.
        let dropped = run.rig.truth(.playback).droppedFrames
        #expect((dropped == 0) == (fault == .suspend) && dropped <= 4 * FaultyRun.period)
    }

    @Test(
        "a device that is unplugged, or whose server dies, ends the stream with a typed error",
        arguments: [VirtualFault.unplug, .death], clocks)
    func loss(fault: VirtualFault, clock: VirtualCardOptions.Clock) throws {
        let run = try FaultyRun.undisturbed("\(fault)@10000", clock: clock)
        #expect(run.error?.kind == .lost)
        #expect(run.reportsTruth(clock: clock) && run.playedTruth())
        #expect(run.rig.truth(.playback).isOpen == false)
    }

    @Test("a late wake-up is one xrun, as long as the device was dry", arguments: clocks)
    func stall(clock: VirtualCardOptions.Clock) throws {
        let run = try FaultyRun.undisturbed("stall@10000:150", clock: clock)
        #expect(run.stops.contains { !$0.wasInjected })
        #expect(run.error == nil && run.reportsTruth(clock: clock) && run.playedTruth())
        // The buffer ran dry, so no frame of the sound is missing.
        #expect(run.rig.truth(.playback).droppedFrames == 0)
    }

    @Test("a wake-up that is late by less than the buffer's length has no effect")
    func shortStall() throws {
        let run = try FaultyRun("stall@10000:16", clock: .virtual)
        #expect(run.rig.truth(.playback).faults == [.stall: 1])
        #expect(run.error == nil && run.statistics.xruns == 0 && run.playedTruth())
    }

    @Test("a device that stands still for less than a second continues with no frame lost", arguments: clocks)
    func freeze(clock: VirtualCardOptions.Clock) throws {
        let run = try FaultyRun.undisturbed("freeze@10000:300", clock: clock)
        #expect(run.rig.truth(.playback).faults == [.freeze: 1])
        #expect(run.error == nil && run.reportsTruth(clock: clock) && run.playedTruth())
        #expect(run.rig.truth(.playback).droppedFrames == 0)
    }

    @Test("a device that stands still for good is given up with a typed error")
    func longFreeze() throws {
        // For hours: the device must not go on while the machine holds up its thread.
        let run = try FaultyRun("freeze@10000:10000000", clock: .real)
        #expect(run.error?.kind == .lost)
    }

    @Test("a device that puts off its start for ever is given up with a typed error")
    func endlessRetries() throws {
        let rig = try VirtualCardRig()
        rig.refuse(.start, .playback, error: EAGAIN, count: nil)
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, realtimePriority: nil)
        let stream = try openOutput(.system(rig.name), request)
        try stream.start(TestSound(frameCount: 24_000, channelCount: 2).callbacks())
        let error = #expect(throws: DeviceError.self) { try stream.waitUntilFinished() }
        #expect(error?.kind == .lost)
    }

    @Test("a card with transfers of half a block, and then of nothing, loses no frame", arguments: clocks)
    func short(clock: VirtualCardOptions.Clock) throws {
        let run = try FaultyRun("short@5000:1 short@10000:20", clock: clock)
        #expect(run.rig.truth(.playback).faults == [.short: 2])
        #expect(run.error == nil && run.reportsTruth(clock: clock) && run.playedTruth())
        #expect(run.rig.truth(.playback).framesTransferred == 24_000)
    }

    @Test("a stream under random faults plays on or ends with a typed error, and reports correctly")
    func randomSchedules() throws {
        let count = cases(100, few: 6)
        var generator = SeededGenerator(printedFor: "randomSchedules")
        let survived: [VirtualFault] = [.xrun, .suspend, .suspendPrepare, .suspendLie, .stall, .freeze, .short]
        var endings = [0, 0]
        for _ in 0..<count {
            var faults: [String] = []
            // Never two at one frame: a standstill and a stop at the same moment have no order.
            var frames: Set<Int> = [15_000]
            while frames.count < 21 { frames.insert(Int.random(in: 0..<20_000, using: &generator)) }
            for frame in frames.sorted() where frame != 15_000 {
                let fault = survived.randomElement(using: &generator) ?? .xrun
                let argument = Int.random(in: 1...(fault == .short ? 10 : 100), using: &generator)
                faults.append("\(fault)@\(frame):\(argument)")
            }
            let isLost = Int.random(in: 0..<4, using: &generator) == 0
            if isLost { faults.append("\(Bool.random(using: &generator) ? VirtualFault.unplug : .death)@15000") }
            let schedule = faults.joined(separator: " ")
            // Longer than the frames that twenty faults can discard.
            let run = try FaultyRun(schedule, clock: .virtual, frameCount: 120_000)
            endings[run.error == nil ? 0 : 1] += 1
            // Nine stops right after their starts count as a broken device.
            #expect(run.error?.kind == .lost || (run.error == nil && !isLost), "\(schedule)")
            #expect(run.reportsTruth(clock: .virtual), "\(schedule)")
            #expect(run.playedTruth(), "\(schedule)")
        }
        print(
            "random schedules: \(count) of 20 faults, \(endings[0]) played on, \(endings[1]) ended with a typed error")
    }

    @Test("a device that stops whenever it is started is given up with a typed error")
    func storm() throws {
        // Nine stops right after a start, one after the other, are enough. A delay of the machine between a start and
        // the stop begins the count anew.
        let faults = 1...200
        let run = try FaultyRun(
            faults.map { "xrun@\($0)" }.joined(separator: " "), clock: .virtual, frameCount: 200_000)
        #expect(run.error?.kind == .lost)
        #expect((9..<faults.count).contains(Int(run.rig.truth(.playback).starts)))
    }

    @Test("a device that does not open, or does not start, causes a typed error")
    func refusals() throws {
        let rig = try VirtualCardRig()
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, realtimePriority: nil)
        let kinds: [(Int32, DeviceError.Kind)] = [
            (EBUSY, .busy), (EACCES, .permissionDenied), (ENODEV, .unknownDevice),
        ]
        for (code, kind) in kinds {
            // A busy device is retried for a second.
            rig.refuse(.open, .playback, error: code, count: nil)
            let error = #expect(throws: DeviceError.self) { try openOutput(.system(rig.name), request) }
            #expect(error?.kind == kind || (code == ENODEV && error?.kind == .noDevice))
        }
        // A device released meanwhile opens.
        rig.refuse(.open, .playback, error: EBUSY, count: 3)
        rig.refuse(.start, .playback, error: EIO)
        let stream = try openOutput(.system(rig.name), request)
        try stream.start(TestSound(frameCount: 24_000, channelCount: 2).callbacks())
        let error = #expect(throws: DeviceError.self) { try stream.waitUntilFinished() }
        #expect(error?.kind == .lost)
        #expect(rig.truth(.playback).isOpen == false)
    }
}
