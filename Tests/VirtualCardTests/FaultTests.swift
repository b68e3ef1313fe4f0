import CALSA
import Glibc
import Realtime
import Testing
import VirtualCardSupport

@Suite("Faults as a program meets them")
struct FaultTests {
    private func card(_ faults: String, clock: VirtualCardOptions.Clock = .virtual) throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.clock = clock
        options.playbackFaults = faults
        return try VirtualCardRig(options)
    }

    /// A full and started stream.
    private func started(_ rig: VirtualCardRig, mode: Int32 = SND_PCM_NONBLOCK) throws -> Stream {
        let player = try Stream(rig.name, .playback, mode: mode)
        try fill(player)
        try #require(player.start() == 0)
        return player
    }

    private func fill(_ player: Stream) throws {
        while player.avail() > 0 { try #require(player.write(silence(player, player.periodFrames)) > 0) }
    }

    private func silence(_ player: Stream, _ frames: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: frames * player.bytesPerFrame)
    }

    /// Waits and writes periods until an error, for a number of periods; returns the error, or 0.
    private func play(_ player: Stream, periods: Int) -> Int32 {
        for _ in 0..<periods {
            let code = player.wait()
            guard code == 1 else { return code }
            let moved = player.write(silence(player, player.periodFrames))
            guard moved > 0 else { return Int32(moved) }
        }
        return 0
    }

    @Test("a card without a schedule of faults has no fault")
    func noFault() throws {
        let rig = try card("")
        let player = try started(rig)
        #expect(play(player, periods: 1000) == 0)
        #expect(rig.records.isEmpty)
        let truth = rig.truth(.playback)
        #expect(truth.xruns == 0 && truth.faults.isEmpty && truth.silentFrames == 0 && truth.droppedFrames == 0)
        #expect(truth.framesTransferred == 1024 + 256_000)
    }

    @Test("an xrun stops the stream at its very frame with EPIPE, until prepare and start")
    func xrun() throws {
        let rig = try card("xrun@10000")
        let player = try started(rig)
        #expect(play(player, periods: 1000) == -EPIPE)
        #expect(player.state == SND_PCM_STATE_XRUN && player.avail() == Int(-EPIPE) && player.delay() == Int(-EPIPE))
        let record = try #require(rig.records.first)
        #expect(record.fault == .xrun && record.wasInjected && record.streamFrame == 10_000 && record.gapFrames == nil)
        try #require(player.prepare() == 0)
        try fill(player)
        try #require(player.start() == 0)
        #expect(play(player, periods: 100) == 0)
        #expect(rig.truth(.playback).xruns == 1 && rig.records.count == 1 && rig.records[0].gapFrames == 0)
        #expect(rig.truth(.playback).droppedFrames > 0)
    }

    @Test(
        "a suspended stream goes on where it was, wants prepare, or only claims to go on",
        arguments: [VirtualFault.suspend, .suspendPrepare, .suspendLie])
    func suspend(kind: VirtualFault) throws {
        let rig = try card("\(kind)@10000")
        let player = try started(rig)
        #expect(play(player, periods: 1000) == -ESTRPIPE)
        #expect(player.state == SND_PCM_STATE_SUSPENDED && player.delay() == Int(-ESTRPIPE))
        // alsa-lib itself always gives this answer for plug-ins.
        #expect(player.resume() == 0)
        switch kind {
        case .suspend: #expect(player.state == SND_PCM_STATE_RUNNING)
        case .suspendPrepare: #expect(player.state == SND_PCM_STATE_XRUN)
        default:
            #expect(player.resume() == 0 && player.state == SND_PCM_STATE_SUSPENDED)
        }
        if kind != .suspend {
            try #require(player.prepare() == 0)
            try fill(player)
            try #require(player.start() == 0)
        }
        #expect(play(player, periods: 100) == 0)
        let truth = rig.truth(.playback)
        #expect(truth.faults == [kind: 1] && truth.xruns == 0)
        #expect((truth.droppedFrames == 0) == (kind == .suspend))
    }

    @Test("an unplugged card is gone for its open handle for good, and for new ones until plugged in")
    func unplug() throws {
        let rig = try card("unplug@10000")
        var player: Stream? = try started(rig)
        #expect(play(try #require(player), periods: 1000) == -ENODEV)
        #expect(player?.state == SND_PCM_STATE_DISCONNECTED && player?.prepare() == -ENODEV)
        player = nil
        #expect(throws: ALSACode(code: ENODEV)) { try Stream(rig.name, .playback) }
        #expect(throws: ALSACode(code: ENODEV)) { try Stream(rig.name, .capture) }
        rig.plugIn()
        let next = try started(rig)
        #expect(play(next, periods: 100) == 0)
        #expect(rig.truth(.playback).faults == [.unplug: 1])
    }

    @Test("a stalled card wakes no program while its position runs on, and then reports an xrun")
    func stall() throws {
        let rig = try card("stall@10000:500")
        let player = try started(rig)
        let before = rig.time
        #expect(play(player, periods: 1000) == -EPIPE)
        #expect(rig.time - before >= 500_000_000)
        let records = rig.records
        #expect(records.map(\.fault) == [.stall, .xrun] && records.map(\.wasInjected) == [true, false])
        #expect(records[1].streamFrame == Int64(rig.truth(.playback).framesTransferred))
    }

    @Test("a frozen card goes on by itself without a lost frame, after the stated silence")
    func freeze() throws {
        let rig = try card("freeze@10000:500")
        let player = try started(rig)
        let before = rig.time
        #expect(play(player, periods: 1000) == 0)
        // 1000 periods, and the half second on top.
        #expect(abs(rig.time - before - 1000 * 256 * 1_000_000_000 / 48_000 - 500_000_000) < 1_000_000)
        let truth = rig.truth(.playback)
        #expect(truth.silentFrames == 24_000 && truth.xruns == 0 && truth.droppedFrames == 0)
        #expect(rig.records.map(\.gapFrames) == [24_000])
    }

    @Test("a short transfer takes half of the block, then nothing once, then all")
    func short() throws {
        let rig = try card("short@10000:1")
        let player = try started(rig)
        while rig.truth(.playback).faults[.short] == nil {
            try #require(player.wait() == 1)
            if rig.truth(.playback).faults[.short] != nil { break }
            try #require(player.write(silence(player, 256)) == 256)
        }
        let period = silence(player, 256)
        #expect(player.write(period) == 128)
        #expect(player.write(silence(player, 128)) == 128)
        #expect(play(player, periods: 100) == 0)
    }

    @Test("every call fails with EIO when the card's server dies, and a new opening works")
    func death() throws {
        let rig = try card("death@10000")
        var player: Stream? = try started(rig)
        #expect(play(try #require(player), periods: 1000) == -EIO)
        #expect(player?.delay() == Int(-EIO) && player?.prepare() == -EIO)
        player = nil
        #expect(play(try started(rig), periods: 100) == 0)
    }

    @Test("a card unplugged for a while can be opened afterwards, and both directions were gone")
    func replug() throws {
        let rig = try card("unplug@10000:50", clock: .real)
        let recorder = try Stream(rig.name, .capture)
        try #require(recorder.start() == 0)
        do {
            var setup = Stream.Setup()
            setup.periodFrames = 4096
            let player = try Stream(rig.name, .playback, setup)
            try fill(player)
            try #require(player.start() == 0)
            #expect(play(player, periods: 100) == -ENODEV)
        }
        #expect(recorder.wait() == -ENODEV && recorder.state == SND_PCM_STATE_DISCONNECTED)
        #expect(rig.waits { (try? Stream(rig.name, .playback)) != nil })
        #expect(rig.records.map(\.fault) == [.unplug, .unplug])
        #expect(rig.truth(.capture).faults == [.unplug: 1])
    }

    @Test(
        "a fault stops a recording at the fault's frame, and the recording can go on afterwards",
        arguments: [VirtualFault.xrun, .suspend, .suspendPrepare, .suspendLie])
    func capture(kind: VirtualFault) throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.captureFaults = "\(kind)@10000"
        let rig = try VirtualCardRig(options)
        let recorder = try Stream(rig.name, .capture)
        func record(periods: Int) throws -> Int32 {
            for _ in 0..<periods {
                let code = recorder.wait()
                guard code == 1 else { return code }
                _ = try recorder.read(256)
            }
            return 0
        }
        try #require(recorder.start() == 0)
        #expect(try record(periods: 1000) == (kind == .xrun ? -EPIPE : -ESTRPIPE))
        #expect(rig.records.map(\.streamFrame) == [10_000])
        if kind != .xrun { #expect(recorder.resume() == 0) }
        if kind != .suspend { try #require(recorder.prepare() == 0 && recorder.start() == 0) }
        #expect(try record(periods: 100) == 0)
        #expect(rig.truth(.capture).faults == [kind: 1] && rig.truth(.playback).faults.isEmpty)
        #expect(rig.truth(.capture).framesTransferred >= 9984 + 100 * 256)
    }

    @Test("a recording that no program fetches ends in an xrun when its buffer is full")
    func overrun() throws {
        let rig = try card("", clock: .real)
        let recorder = try Stream(rig.name, .capture)
        try #require(recorder.start() == 0)
        #expect(rig.waits { recorder.avail() == Int(-EPIPE) })
        let record = try #require(rig.records.first)
        #expect(record.fault == .xrun && !record.wasInjected && record.streamFrame == 1024)
    }

    @Test("opening, preparing and starting fail as often as requested, and no more")
    func refusals() throws {
        let rig = try card("")
        for error in [EBUSY, ENODEV, EACCES] {
            rig.refuse(.open, .playback, error: error, count: 2)
            for _ in 0..<2 { #expect(throws: ALSACode(code: error)) { try Stream(rig.name, .playback) } }
        }
        let player = try Stream(rig.name, .playback)
        rig.refuse(.prepare, .playback, error: EIO)
        #expect(player.prepare() == -EIO && player.prepare() == 0)
        try fill(player)
        rig.refuse(.start, .playback, error: EIO)
        #expect(player.start() == -EIO && player.start() == 0)
        #expect(play(player, periods: 10) == 0)
    }

    @Test("a direction of a card is open in one program at a time")
    func busy() throws {
        let rig = try card("")
        var player: Stream? = try started(rig)
        #expect(throws: ALSACode(code: EBUSY)) { try Stream(rig.name, .playback) }
        #expect(throws: Never.self) { try Stream(rig.name, .capture) }
        #expect(player?.state == SND_PCM_STATE_RUNNING)
        player = nil
        #expect(throws: Never.self) { try Stream(rig.name, .playback) }
    }

    @Test(
        "a fault injected from outside wakes a program that sleeps on the card",
        arguments: [VirtualFault.xrun, .unplug, .suspend])
    func live(kind: VirtualFault) throws {
        var options = VirtualCardOptions()
        options.channels = 1...1
        options.cableFrames = 1 << 22
        options.periodFrames = 16...(1 << 19)
        options.bufferFramesMax = 1 << 20
        let rig = try VirtualCardRig(options)
        var setup = Stream.Setup()
        // A period of two minutes, of which the program is to see the beginning only, however late the other thread is.
        setup.rate = 4000
        (setup.periodFrames, setup.periodCount) = (1 << 19, 2)
        let player = try Stream(rig.name, .playback, setup)
        try fill(player)
        try #require(player.start() == 0)
        let outsider = try #require(
            PlainThread(name: "outsider") {
                usleep(20_000)
                rig.inject(kind, .playback)
            })
        let code = player.wait()
        outsider.join()
        #expect(code == [.xrun: -EPIPE, .unplug: -ENODEV, .suspend: -ESTRPIPE][kind])
        #expect(rig.truth(.playback).faults == [kind: 1])
        #expect(try #require(rig.records.first).streamFrame < 1 << 19)
    }
}
