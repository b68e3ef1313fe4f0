import AudioDevices
import AudioFiles
import Glibc
import Realtime
import TestSupport
import Testing
import VirtualCardSupport

@Suite("A stream without a card")
struct ClockedStreamTests {
    static let shapes = [1, 63, 64, 512, 8192].flatMap { period in [2, 3, 4].map { (period, $0) } }

    @Test(
        "a stream under the virtual clock renders each block once, and ends inside a block",
        arguments: shapes)
    func virtualClock(period: Int, count: Int) throws {
        let sound = TestSound(frameCount: 9001, channelCount: 2)
        let request = try StreamRequest(
            sampleRate: 44_100, channelCount: 2, periodFrames: period, periodCount: count, clock: .virtual)
        let stream = try openOutput(.null, request)
        try stream.start(sound.callbacks())
        try stream.waitUntilFinished()
        #expect(sound.blockLengths == Array(repeating: period, count: sound.frameCount / period + 1))
        #expect(sound.prepared == sound.blockLengths)
        #expect(stream.statistics.framesRendered == 9001)
        #expect(stream.statistics.blocks == Int64(sound.blockLengths.count))
        #expect(stream.statistics.xruns == 0)
        #expect(stream.position == StreamPosition(framesWritten: 9001, delayFrames: 0))
        #expect(stream.statistics.scheduling?.scheduling == .ordinary)
        #expect(stream.statistics.scheduling?.refusals.isEmpty == true)
    }

    @Test(
        "a file contains the rendered samples, bit for bit, with either clock and in blocks of any size",
        arguments: shapes)
    func fileIsExact(period: Int, count: Int) throws {
        let sound = TestSound(frameCount: 3001, channelCount: 2)
        for clock in StreamClock.allCases {
            let path = temporaryPath()
            defer { unsafe unlink(path) }
            let request = try StreamRequest(
                sampleRate: 768_000, channelCount: 2, periodFrames: period, periodCount: count, clock: clock)
            let stream = try openOutput(.file(path: path), request)
            try stream.start(sound.callbacks())
            try stream.waitUntilFinished()
            #expect(floatSamples(ofWave: path) == interleaved(sound))
            #expect(stream.configuration.deviceName == "file:\(path)")
        }
    }

    @Test("the automatic clock is the virtual one for files and null, and the real one for cards and pulled blocks")
    func automaticClock() throws {
        let path = temporaryPath()
        defer { unsafe unlink(path) }
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, realtimePriority: nil)
        #expect(request.clock == .automatic)
        let sound = TestSound(frameCount: 1000, channelCount: 2)
        let file = try openOutput(.file(path: path), request)
        try file.start(sound.callbacks())
        try file.waitUntilFinished()
        #expect(file.clock == .virtual && !sound.prepared.isEmpty)
        #expect(try openOutput(.null, request).clock == .virtual && openInput(.null, request).clock == .virtual)
        let linked = LinkedStreams(try openDuplex(output: .null, input: .file(path: path), request))
        #expect(linked.output.clock == .virtual && linked.input.clock == .virtual)
        let rig = try VirtualCardRig()
        #expect(try openOutput(.system(rig.name), request).clock == .real)
        #expect(PulledOutput(request).clock == .real)
    }

    @Test("a stream under the real clock takes as long as its sound, and never calls prepare")
    func realClock() throws {
        let sound = TestSound(frameCount: 4801, channelCount: 1)
        let request = try StreamRequest(
            sampleRate: 48_000, channelCount: 1, periodFrames: 128, periodCount: 2, clock: .real)
        let stream = try openOutput(.null, request)
        var begin = timespec()
        var end = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &begin)
        try stream.start(sound.callbacks())
        try stream.waitUntilFinished()
        unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        let elapsed = Double(end.tv_sec - begin.tv_sec) + Double(end.tv_nsec - begin.tv_nsec) / 1e9
        // A lower bound alone: nothing holds from above on a busy machine.
        #expect(elapsed >= 4801.0 / 48_000)
        #expect(sound.prepared.isEmpty)
        #expect(stream.position == StreamPosition(framesWritten: 4801, delayFrames: 0))
    }

    @Test("a late render function under the real clock is one xrun at the next frame, and skips no frame")
    func lateRender() throws {
        let sound = TestSound(frameCount: 2000, channelCount: 1)
        let path = temporaryPath()
        defer { unsafe unlink(path) }
        let request = try StreamRequest(
            sampleRate: 48_000, channelCount: 1, periodFrames: 64, periodCount: 2, clock: .real)
        let stream = try openOutput(.file(path: path), request)
        try stream.start(
            sound.callbacks { block in
                guard block.outputFrame == 640 else { return }
                // 30 ms where the buffer holds 2.7; by looking at the clock, since real time must not sleep.
                var begin = timespec()
                var now = timespec()
                unsafe clock_gettime(CLOCK_MONOTONIC, &begin)
                repeat {
                    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
                } while (now.tv_sec - begin.tv_sec) * 1_000_000_000
                    + now.tv_nsec - begin.tv_nsec < 30_000_000
            })
        try stream.waitUntilFinished()
        let xruns = sound.xruns
        #expect(xruns.count >= 1)
        #expect(xruns.lostFrames >= 30 * 48 - 128)
        #expect(stream.statistics.xruns == Int64(xruns.count))
        #expect(stream.statistics.lostFrames == xruns.lostFrames)
        #expect(stream.statistics.renderTime.maximumMicroseconds >= 30_000)
        #expect(floatSamples(ofWave: path) == interleaved(sound))
    }

    @Test("a stream ends on the answer 0 or less, and takes a larger answer than requested as all")
    func strangeAnswers() throws {
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 1, periodFrames: 64, clock: .virtual)
        for answer in [0, -1, Int.min] {
            let stream = try openOutput(.null, request)
            try stream.start(StreamCallbacks { _ in answer })
            try stream.waitUntilFinished()
            #expect(stream.position.framesWritten == 0)
        }
        let stream = try openOutput(.null, request)
        try stream.start(StreamCallbacks { $0.outputFrame < 640 ? .max : 0 })
        try stream.waitUntilFinished()
        #expect(stream.position.framesWritten == 640)
    }

    @Test("a file stopped by the user has the frames played, and a stream never started leaves no file")
    func stoppedFile() throws {
        let path = temporaryPath()
        defer { unsafe unlink(path) }
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, periodFrames: 64, clock: .real)
        let unused = try openOutput(.file(path: path), request)
        unused.stop()
        #expect(unsafe access(path, F_OK) != 0)
        let stream = try openOutput(.file(path: path), request)
        try stream.start(TestSound(frameCount: .max, channelCount: 2).callbacks())
        #expect(eventually { stream.position.framesWritten >= 1000 })
        stream.stop()
        let samples = floatSamples(ofWave: path)
        #expect(samples.count == Int(stream.statistics.framesRendered) * 2)
        #expect(samples.count >= 2000)
    }

    @Test("a full disk ends the stream with a typed error")
    func fullDisk() throws {
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, periodFrames: 8192, clock: .virtual)
        let stream = try openOutput(.file(path: "/dev/full"), request)
        try stream.start(TestSound(frameCount: .max, channelCount: 2).callbacks())
        let error = #expect(throws: DeviceError.self) { try stream.waitUntilFinished() }
        #expect(error?.kind == .diskFull)
        #expect(error?.remedy.isEmpty == false)
        #expect((stream as? any EndingStream)?.hasEnded == true)
    }

    @Test(
        "an output file that cannot be created is refused when the stream is opened",
        arguments: ["/nonexistent/out.wav", "/tmp"])
    func badPath(path: String) throws {
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2)
        let error = #expect(throws: DeviceError.self) { try openOutput(.file(path: path), request) }
        #expect(error?.kind == .cannotCreate)
    }
}

func interleaved(_ sound: TestSound) -> [Float] {
    KnownSound.interleaved(0..<sound.frameCount, channelCount: sound.channelCount)
}

func temporaryPath() -> String { "/tmp/woodshed-\(getpid())-\(UInt64.random(in: 0...UInt64.max)).wav" }

/// The samples after the chunk header `data`, as Float32; the length in that header must be correct.
func floatSamples(ofWave path: String) -> [Float] {
    let bytes = ALSARig.read(path)
    let mark = Array("data".utf8)
    guard bytes.count > 8, let start = (0..<bytes.count - 8).first(where: { Array(bytes[$0..<$0 + 4]) == mark }) else {
        return []
    }
    let length = (0..<4).reduce(0) { $0 + Int(bytes[start + 4 + $1]) << (8 * $1) }
    guard start + 8 + length <= bytes.count else { return [] }
    return unsafe bytes.withUnsafeBytes { bytes in
        (0..<length / 4).map { index in
            unsafe Float(
                bitPattern: UInt32(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8 + index * 4, as: UInt32.self)))
        }
    }
}
