import CALSA
import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing
import VirtualCardSupport

/// Seconds of real time.
private func seconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

@Suite("The card's clocks")
struct ClockTests {
    private func virtualCard(_ change: (inout VirtualCardOptions) -> Void = { _ in }) throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.clock = .virtual
        change(&options)
        return try VirtualCardRig(options)
    }

    private func pattern(_ setup: Stream.Setup, laps: Int = 64) -> [UInt8] {
        var generator = SeededGenerator(seed: 2)
        let count = laps * Int(setup.periodFrames) * Int(setup.channelCount)
        return samples(setup.format, count: count, &generator)
    }

    @Test("both directions under the virtual clock run exactly and without an xrun")
    func longDuplex() throws {
        let length = cases(1000, few: 10)
        let rig = try virtualCard { $0.loopbackDelayFrames = 480 }
        var setup = Stream.Setup()
        setup.format = SND_PCM_FORMAT_S16_LE
        setup.channelCount = 2
        var duplex = try Duplex(
            Stream(rig.name, .playback, setup), Stream(rig.name, .capture, setup), pattern: pattern(setup))
        try duplex.start()
        let begin = seconds()
        try duplex.run(frames: length * 48_000, delay: 480)
        print(
            "virtual duplex: \(length) s of sound, \(Double(length) / (seconds() - begin)) times as fast as real time")
        #expect(duplex.mismatches == 0)
        for direction in VirtualDirection.allCases { #expect(rig.truth(direction).xruns == 0) }
    }

    @Test("sound played at a device frame is recorded exactly the delay later, whatever the start")
    func exactDelay() throws {
        var generator = SeededGenerator(printedFor: "exactDelay")
        let rig = try virtualCard { $0.loopbackDelayFrames = 123 }
        var setup = Stream.Setup()
        setup.periodFrames = 64
        let player = try Stream(rig.name, .playback, setup)
        let recorder = try Stream(rig.name, .capture, setup)
        var failures = 0
        for _ in 0..<cases(1000, few: 200) {
            try #require(player.prepare() == 0 && recorder.prepare() == 0)
            try #require(recorder.start() == 0)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                try #require(recorder.wait() == 1)
                _ = try recorder.read(Int.random(in: 1...64, using: &generator))
            }
            // A frame unlike all others.
            let place = Int.random(in: 0..<256, using: &generator)
            var sound = [UInt8](repeating: 0, count: 256 * 4)
            sound[place * 4] = 77
            try #require(player.write(sound) == 256 && player.start() == 0)
            let expected = rig.truth(.playback).startFrame + Int64(place) + 123 - rig.truth(.capture).startFrame
            failures += try index(of: 77, in: recorder, around: Int(expected)) == Int(expected) ? 0 : 1
            try #require(player.drop() == 0 && recorder.drop() == 0)
        }
        #expect(failures == 0)
    }

    /// At which frame of the recording a mark comes; the recorder may have been read from before.
    private func index(of mark: UInt8, in recorder: Stream, around expected: Int) throws -> Int? {
        var frame = recorder.framesRead
        while frame < expected + 256 {
            try #require(recorder.wait() == 1)
            let bytes = try recorder.read(64)
            if let place = stride(from: 0, to: bytes.count, by: 4).first(where: { bytes[$0] == mark }) {
                return frame + place / 4
            }
            frame = recorder.framesRead
        }
        return nil
    }

    @Test("two cards whose clocks are 200 ppm apart run dry as often as arithmetic says", arguments: [0.0, 200.0])
    func drift(ppm: Double) throws {
        let clock = VirtualCardOptions.Clock.shared("drift-\(getpid())-\(Int(ppm))")
        let source = try virtualCard { $0.clock = clock }
        let sink = try virtualCard {
            $0.clock = clock
            $0.playbackPPM = ppm
        }
        var setup = Stream.Setup()
        setup.rate = 8000
        setup.periodFrames = 48
        let recorder = try Stream(source.name, .capture, setup)
        let player = try Stream(sink.name, .playback, setup)
        let period = [UInt8](repeating: 0, count: 48 * 4)
        let seconds = cases(600, few: 200)
        func fill() throws {
            while player.avail() > 0 { try #require(player.write(period) == 48) }
            try #require(player.start() == 0)
        }
        try fill()
        try #require(recorder.start() == 0)
        for _ in 0..<seconds * 8000 / 48 {
            try #require(recorder.wait() == 1)
            _ = try recorder.read(48)
            let code = player.write(period)
            if code == Int(-EPIPE) {
                try #require(player.prepare() == 0)
                try fill()
            }
        }
        // 1.6 frames a second are lacking, and three periods are in store just before each write of a period.
        #expect(sink.truth(.playback).xruns == (ppm == 0 ? 0 : seconds * 16 / 10 / (3 * 48)))
        #expect(source.truth(.capture).xruns == 0)
    }

    @Test("a stream started while another thread passes time still has all of its filled buffer to play")
    func startBesideAnother() throws {
        let rig = try virtualCard { $0.channels = 1...64 }
        var setup = Stream.Setup()
        (setup.periodFrames, setup.periodCount) = (16, 2)
        let recorder = try Stream(rig.name, .capture, setup)
        // Many channels, so that starting takes as long as some steps of the other thread.
        setup.channelCount = 64
        let player = try Stream(rig.name, .playback, setup)
        let isOver = Atomic<Bool>(false)
        try #require(recorder.start() == 0)
        let passer = try #require(
            PlainThread(name: "passer") {
                while !isOver.load(ordering: .relaxed), recorder.wait() == 1, (try? recorder.read(16)) != nil {}
            })
        let sound = [UInt8](repeating: 1, count: 32 * 64 * 4)
        var failures = 0
        for _ in 0..<500 {
            if player.prepare() != 0 || player.write(sound) != 32 || player.start() != 0 { failures += 1 }
            if player.drop() != 0 { failures += 1 }
        }
        isOver.store(true, ordering: .relaxed)
        passer.join()
        #expect(failures == 0 && rig.truth(.playback).starts == 500)
        #expect(rig.truth(.playback).xruns == 0 && rig.truth(.capture).xruns == 0)
    }

    @Test("the cable resamples between unequal clocks: a sine recorded 500 ppm faster stays 110 dB clean")
    func resampling() throws {
        let rig = try virtualCard {
            $0.loopbackDelayFrames = 100
            $0.capturePPM = 500
        }
        var setup = Stream.Setup()
        setup.format = SND_PCM_FORMAT_FLOAT64_LE
        let player = try Stream(rig.name, .playback, setup)
        let recorder = try Stream(rig.name, .capture, setup)
        let step = 2 * Double.pi * 997 / 48_000
        var phase = 0
        func feed() throws {
            let values = (phase..<phase + 256).map { sin(step * Double($0)) }
            phase += 256
            try #require(player.write(unsafe values.withUnsafeBytes { unsafe Array($0) }) == 256)
        }
        while player.avail() > 0 { try feed() }
        try #require(player.start() == 0 && recorder.start() == 0)
        var recorded: [Double] = []
        while recorded.count < 8192 {
            try #require(recorder.wait() == 1)
            let bytes = try recorder.read(256)
            recorded += unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Double.self)) }
            while player.avail() >= 256 { try feed() }
        }
        let residual = residual(Array(recorded[1024..<5120]), step: step / 1.0005)
        print("cable between clocks 500 ppm apart: residual \(10 * log10(residual)) dB")
        #expect(10 * log10(residual) < -110)
    }

    /// The power beside a sine of the known frequency, over the sine's.
    private func residual(_ sound: [Double], step: Double) -> Double {
        // Least squares of sine and cosine.
        var (ss, sc, cc, sx, cx, xx) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for (index, x) in sound.enumerated() {
            let (s, c) = (sin(step * Double(index)), cos(step * Double(index)))
            ss += s * s
            sc += s * c
            cc += c * c
            sx += s * x
            cx += c * x
            xx += x * x
        }
        let determinant = ss * cc - sc * sc
        let (a, b) = ((sx * cc - cx * sc) / determinant, (cx * ss - sx * sc) / determinant)
        let fitted = a * sx + b * cx
        return (xx - fitted) / fitted
    }

    @Test("device frames past 2^32 do not disturb playing and recording")
    func deviceWrap() throws {
        let rig = try virtualCard {
            $0.firstFrame = 1 << 32 - 20_000
            $0.loopbackDelayFrames = 5
        }
        let setup = Stream.Setup()
        var duplex = try Duplex(
            Stream(rig.name, .playback, setup), Stream(rig.name, .capture, setup), pattern: pattern(setup))
        try duplex.start()
        try duplex.run(frames: 60_000, delay: 5)
        #expect(duplex.mismatches == 0)
        #expect(rig.truth(.playback).deviceFrame > 1 << 32)
    }

    @Test(
        "a stream whose own frame count passes 2^32 goes on exactly",
        .disabled(if: Sanitizers.watchThreads, "it has one thread"))
    func streamWrap() throws {
        let rig = try virtualCard {
            $0.cableFrames = 1 << 22
            $0.periodFrames = 16...(1 << 18)
            $0.bufferFramesMax = 1 << 20
            $0.loopbackDelayFrames = 5
        }
        var setup = Stream.Setup()
        setup.format = SND_PCM_FORMAT_S16_LE
        setup.periodFrames = 1 << 18
        let player = try Stream(rig.name, .playback, setup)
        let recorder = try Stream(rig.name, .capture, setup)
        // Skipped, unwritten frames are silence.
        func step(_ stream: Stream) throws {
            let count = stream.avail()
            let moved = unsafe snd_pcm_forward(stream.pcm, snd_pcm_uframes_t(max(0, count)))
            try #require(moved == count)
        }
        try step(player)
        try #require(player.start() == 0 && recorder.start() == 0)
        var played = 1 << 20
        while played < 1 << 32 + 1 << 18 {
            try #require(recorder.wait() == 1)
            try step(recorder)
            played += player.avail()
            try step(player)
        }
        var generator = SeededGenerator(seed: 3)
        let sound = samples(SND_PCM_FORMAT_S16_LE, count: 1 << 18, &generator)
        try #require(player.wait() == 1 && player.write(sound) == 1 << 18)
        var recorded: [UInt8] = []
        while recorded.count < 2 * (1 << 21) {
            try #require(recorder.wait() == 1)
            recorded += try recorder.read(1 << 18)
            try step(player)
        }
        #expect(rig.truth(.playback).framesTransferred > 1 << 32 && rig.truth(.playback).xruns == 0)
        let first = try #require(recorded.firstIndex { $0 != 0 }) & ~1
        #expect(Array(recorded[first..<first + sound.count]) == sound)
    }
}
