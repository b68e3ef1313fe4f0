import CALSA
import Glibc
import Testing
import VirtualCardSupport

@Suite("A picky card")
struct LimitTests {
    private func card(_ change: (inout VirtualCardOptions) -> Void) throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.clock = .virtual
        change(&options)
        return try VirtualCardRig(options)
    }

    /// Whether a stream can be set up so.
    private func takes(_ rig: VirtualCardRig, _ change: (inout Stream.Setup) -> Void) -> Bool {
        var setup = Stream.Setup()
        change(&setup)
        do {
            _ = try Stream(rig.name, .playback, setup)
            return true
        } catch {
            return false
        }
    }

    @Test("rates, channels, formats, ways of access, periods and buffers outside the card's limits are refused")
    func limits() throws {
        let rig = try card {
            $0.rates = [44_100, 96_000]
            $0.channels = 2...2
            $0.formats = ["S24_3LE"]
            $0.accesses = ["MMAP_INTERLEAVED", "RW_INTERLEAVED"]
            $0.periodFrames = 64...512
            $0.bufferFramesMax = 1024
            $0.periods = 2...4
        }
        func fits(_ setup: inout Stream.Setup) {
            setup.rate = 96_000
            setup.channelCount = 2
            setup.format = SND_PCM_FORMAT_S24_3LE
        }
        func takesBut(_ change: (inout Stream.Setup) -> Void) -> Bool {
            takes(rig) {
                fits(&$0)
                change(&$0)
            }
        }
        #expect(takesBut { _ in })
        #expect(takesBut { $0.rate = 44_100 })
        #expect(takesBut { $0.access = SND_PCM_ACCESS_MMAP_INTERLEAVED })
        #expect(!takesBut { $0.rate = 48_000 })
        #expect(!takesBut { $0.channelCount = 1 })
        #expect(!takesBut { $0.channelCount = 3 })
        #expect(!takesBut { $0.format = SND_PCM_FORMAT_S24_LE })
        #expect(!takesBut { $0.access = SND_PCM_ACCESS_RW_NONINTERLEAVED })
        #expect(!takesBut { $0.periodFrames = 32 })
        #expect(!takesBut { $0.periodFrames = 1024 })
        #expect(!takesBut { $0.periodCount = 5 })
        #expect(
            takes(rig) {
                fits(&$0)
                ($0.periodFrames, $0.periodCount) = (512, 2)
            })
    }

    @Test("limits in frames hold for frames of any size", arguments: [1 as UInt32, 64])
    func framesOfAnySize(channelCount: UInt32) throws {
        let rig = try card {
            $0.channels = 1...64
            $0.periodFrames = 64...512
        }
        for format in [SND_PCM_FORMAT_U8, SND_PCM_FORMAT_FLOAT64_BE] {
            for (period, isTaken) in [(32, false), (64, true), (512, true), (1024, false)] {
                let took = takes(rig) {
                    $0.channelCount = channelCount
                    $0.format = format
                    $0.periodFrames = snd_pcm_uframes_t(period)
                    $0.periodCount = 2
                }
                #expect(took == isTaken)
            }
        }
    }

    @Test("a card with a channel map reports the place of each channel; a card without a map has none")
    func channelMap() throws {
        let names = ["FL", "FR", "RL", "RR", "FC", "LFE"]
        let rig = try card {
            $0.channels = 6...6
            $0.channelMap = names
        }
        var setup = Stream.Setup()
        setup.channelCount = 6
        let player = try Stream(rig.name, .playback, setup)
        let map = try unsafe #require(snd_pcm_get_chmap(player.pcm))
        defer { unsafe free(map) }
        var text = [CChar](repeating: 0, count: 64)
        unsafe snd_pcm_chmap_print(map, text.count, &text)
        #expect(String(decoding: text.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self) == "FL FR RL RR FC LFE")
        let maps = try unsafe #require(snd_pcm_query_chmaps(player.pcm))
        #expect(unsafe maps[0]?.pointee.type == SND_CHMAP_TYPE_FIXED && maps[1] == nil)
        unsafe snd_pcm_free_chmaps(maps)
        let plain = try Stream(try card { _ in }.name, .playback)
        #expect(unsafe snd_pcm_get_chmap(plain.pcm) == nil && snd_pcm_query_chmaps(plain.pcm) == nil)
    }

    @Test("the position moves in the card's steps, and a wake-up still finds a whole period")
    func granularity() throws {
        let rig = try card { $0.granularityFrames = 100 }
        let recorder = try Stream(rig.name, .capture)
        // Another stream's wake-ups show the position between the recorder's own.
        var setup = Stream.Setup()
        setup.periodFrames = 16
        setup.stops = false
        let player = try Stream(rig.name, .playback, setup)
        try #require(player.write([UInt8](repeating: 0, count: 64 * 4)) == 64)
        try #require(player.start() == 0 && recorder.start() == 0)
        var frames = 0
        for _ in 0..<100 {
            for _ in 0..<3 {
                try #require(player.wait() == 1)
                #expect((frames + recorder.avail()) % 100 == 0)
                _ = player.write([UInt8](repeating: 0, count: 16 * 4))
            }
            try #require(recorder.wait() == 1)
            let available = recorder.avail()
            #expect((frames + available) % 100 == 0 && available >= 256)
            frames += try recorder.read(256).count / 4
        }
        #expect(rig.truth(.capture).xruns == 0)
    }

    @Test("jitter makes wake-ups late by different times below its limit; without jitter none is late")
    func jitter() throws {
        for limit in [0 as UInt32, 4000] {
            let rig = try card { $0.jitterMicroseconds = limit }
            let recorder = try Stream(rig.name, .capture)
            try #require(recorder.start() == 0)
            let begin = rig.time
            var lateness: Set<Int64> = []
            for period in 1...100 {
                try #require(recorder.wait() == 1)
                // Frame 0 began up to a frame before the clock was read.
                let late = (rig.time - begin) - Int64(period) * 256 * 1_000_000_000 / 48_000
                #expect(late > -21_000 && late <= Int64(limit) * 1000 + 1)
                lateness.insert(late / 1000)
                _ = try recorder.read(256)
            }
            #expect(limit == 0 ? lateness.count == 1 : lateness.count > 50)
        }
    }

    @Test("the delay is the queued frames and the card's latency, or the requested wrong answer")
    func delay() throws {
        func player(_ answer: VirtualCardOptions.DelayAnswer) throws -> Stream {
            let rig = try card {
                $0.latencyFrames = 96
                $0.delayAnswer = answer
            }
            let player = try Stream(rig.name, .playback)
            try #require(player.write([UInt8](repeating: 0, count: 1024 * 4)) == 1024)
            return player
        }
        let exact = try player(.exact)
        #expect(exact.delay() == 1024 + 96)
        try #require(exact.start() == 0 && exact.wait() == 1)
        #expect(exact.delay() == 768 + 96)
        #expect(try player(.negative).delay() < 0)
        let late = try player(.errorAtFirst)
        #expect(late.delay() == Int(-EIO))
        try #require(late.start() == 0 && late.wait() == 1)
        try #require(late.write([UInt8](repeating: 0, count: 256 * 4)) == 256)
        #expect(late.delay() == 1024 + 96)
    }

    @Test(
        "contradictory or unreadable options make no card",
        arguments: [
            { $0.rates = [0] }, { $0.formats = ["S17_LE"] }, { $0.accesses = ["RW_COMPLEX"] },
            { $0.channelMap = ["XX"] }, { $0.playbackFaults = "xrun" }, { $0.captureFaults = "thunder@5" },
            { $0.playbackFaults = "xrun@5:x" }, { $0.channels = 1...65 }, { $0.cableFrames = 5000 },
            { $0.bufferFramesMax = 1 << 20 }, { $0.playbackPPM = 1e6 }, { $0.granularityFrames = 0 },
            { $0.loopbackDelayFrames = -1 }, { $0.periodFrames = 30_000...30_000 },
            { $0.recordPath = String(repeating: "x", count: 600) }, { $0.clock = .shared("a/b") },
        ] as [@Sendable (inout VirtualCardOptions) -> Void])
    func badOptions(change: @Sendable (inout VirtualCardOptions) -> Void) {
        var options = VirtualCardOptions()
        change(&options)
        #expect(throws: VirtualCardError.self) { try VirtualCardRig(options) }
    }

    @Test("a program that waits on the card is woken once a period, and never without reason")
    func wakes() throws {
        var options = VirtualCardOptions()
        options.clock = .real
        // A buffer of two minutes, so that a late program finds no overrun.
        options.channels = 1...1
        options.cableFrames = 1 << 22
        options.bufferFramesMax = 1 << 20
        options.periods = 2...4096
        let rig = try VirtualCardRig(options)
        var setup = Stream.Setup()
        (setup.rate, setup.periodCount) = (8000, 4096)
        let recorder = try Stream(rig.name, .capture, setup)
        try #require(recorder.start() == 0)
        for _ in 0..<40 {
            try #require(recorder.wait() == 1)
            _ = try recorder.read(256)
        }
        let truth = rig.truth(.capture)
        #expect(truth.wakes <= 41 && truth.idleWakes == 0)
        // A prepared but not started stream causes no wake-up.
        try #require(recorder.prepare() == 0)
        #expect(recorder.wait(milliseconds: 50) == 0)
        #expect(rig.truth(.capture).wakes == truth.wakes)
    }
}
