import AudioFiles
import Glibc
import Realtime
import Samples
import Synchronization
import Takes
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices
@testable import Recording

@Suite("A recorder on a device")
struct RecorderTests {
    private let folder = TakeFolder()

    private func request(_ period: Int, count: Int = 4, clock: StreamClock = .real) throws -> StreamRequest {
        try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: period, periodCount: count, clock: clock,
            realtimePriority: nil)
    }

    private func take(_ name: String, limit: Int64? = nil) -> TakeRequest {
        TakeRequest(
            destination: .file(path: folder[name], container: .wav), format: .float32, frameLimit: limit,
            registry: nil)
    }

    @Test("the relief of a late writer has precedence over ordinary work exactly if the device thread has")
    func precedence() throws {
        let rig = try VirtualCardRig()
        let core = try RecorderCore(
            .system(rig.name), StreamRequest(sampleRate: 48_000, channelCount: 2, clock: .real))
        try core.start()
        let isUrgent = core.monitor.statistics.schedulingClass.hasPrefix("fifo")
        core.shutDown()
        #expect(core.reliefScheduling == (isUrgent ? .fifo(priority: 1) : .ordinary))
    }

    @Test("the take of a device is the card's input, bit for bit", arguments: [64, 1000])
    func card(period: Int) throws {
        // By the real clock, because there are two threads; a busy machine may keep them from a buffer of 21 ms now and
        // then, but not in each tenth of a second.
        let cameUndisturbed = try (0..<100).contains { try isCompared(period: period, name: "card\($0).wav") }
        #expect(cameUndisturbed, "100 takes, and each was disturbed")
    }

    /// Compares a take with the card's input, if recorded without an overrun and compared soon enough.
    private func isCompared(period: Int, name: String) throws -> Bool {
        var options = VirtualCardOptions()
        options.channels = 1...2
        // The test reads the card's input later, while the card plays on: the cable remembers forty seconds.
        options.cableFrames = 1 << 21
        let rig = try VirtualCardRig(options)
        let player = try openOutput(.system(rig.name), request(1024))
        defer { player.stop() }
        var generator = SeededGenerator(printedFor: "RecorderTests.card")
        let noise = (0..<48_000).map { _ in
            Float(Int32(truncatingIfNeeded: generator.next() >> 40) - (1 << 23)) * 0x1p-23
        }
        try player.start(
            StreamCallbacks(render: { block in
                for channel in 0..<block.channelCount {
                    for frame in 0..<block.frameCount {
                        unsafe block.channels[channel][frame] = noise[(Int(block.outputFrame) + frame) % noise.count]
                    }
                }
                return block.frameCount
            }))
        try #require(rig.waits { rig.truth(.playback).isRunning })
        let idle = try IdleRecorder(input: .system(rig.name), request: request(period, count: 16))
        let monitor = idle.monitor
        let draft = try idle.prepare(take(name, limit: 4800))
        let running = try idle.record(draft)
        try #require(rig.waits { monitor.status.state == .stopped })
        let stopped = running.stop()
        let summary = stopped.summary
        try stopped.save()
        guard monitor.statistics.overruns == 0, player.statistics.xruns == 0 else { return false }
        #expect(summary.reason == .limit && summary.frameCount == 4800 && summary.failure == nil)
        let start = rig.truth(.capture).startFrame
        let heard = rig.heard(from: start, count: 4800, channelCount: 2)
        // On a busy machine the test may come so late that the cable has forgotten the take. The player writes a buffer
        // ahead.
        guard rig.truth(.playback).deviceFrame + 4 * 1024 < start + Int64(options.cableFrames) else { return false }
        #expect(floatSamples(ofTake: folder[name]).map(Double.init) == heard)
        #expect(heard.contains { $0 != 0 } && summary.lostFrames == 0)
        return true
    }

    @Test("a recorder that is released keeps its take, and an unused draft leaves no file")
    func letGo() throws {
        do {
            let idle = try IdleRecorder(input: .null, request: request(480, clock: .virtual))
            let draft = try idle.prepare(take("kept.wav", limit: 4800))
            let running = try idle.record(draft)
            #expect(eventually { running.monitor.status.state == .stopped })
        }
        #expect(floatSamples(ofTake: folder["kept.wav"]).count == 9600)
        let idle = try IdleRecorder(input: .null, request: request(480))
        let draft = try idle.prepare(take("unused.wav"))
        #expect(unsafe access(folder["unused.wav"], F_OK) == 0)
        try draft.discard()
        #expect(unsafe access(folder["unused.wav"], F_OK) != 0)
        #expect(throws: AudioFileError.self) { try idle.prepare(take("kept.wav")) }
    }

    @Test(
        "a take begun after the end of the input is empty, and its file stays if the take is saved",
        arguments: [true, false])
    func inputEnds(isSaved: Bool) async throws {
        let path = folder["short.wav"]
        let writer = try WaveWriter(path: path, sampleRate: 48_000, channelCount: 2)
        let block = PlanarBuffer(channelCount: 2, frameCount: 1000)
        try unsafe writer.write(block.channels, frameCount: 1000)
        try writer.finish()
        let idle = try IdleRecorder(input: .file(path: path), request: request(256))
        let (monitor, events) = (idle.monitor, idle.monitor.events)
        let armed = try idle.arm()
        try await withPatience { for await event in events { if case .inputEnded = event { break } } }
        let draft = try armed.prepare(take("empty.wav"))
        let stopped = armed.record(draft).stop()
        #expect(stopped.summary.frameCount == 0 && stopped.summary.reason == .inputEnded)
        if isSaved { try stopped.save() } else { try stopped.discard() }
        #expect(monitor.status.state == .stopped && monitor.status.recordedFrames == 0)
        #expect(unsafe access(folder["empty.wav"], F_OK) == (isSaved ? 0 : -1))
        #expect(fileBytes(folder["empty.wav"]).starts(with: isSaved ? Array("RIFF".utf8) : []))
        #expect(floatSamples(ofTake: folder["empty.wav"]).isEmpty)
    }

    @Test("a monitor does not keep its recorder, ends with the recorder, and can still be read")
    func monitorKeepsNothing() async throws {
        var core: RecorderCore? = try RecorderCore(.null, request(256, clock: .virtual))
        weak let kept = core
        let idle = IdleRecorder(try #require(core))
        core = nil
        let monitor = idle.monitor
        let draft = try idle.prepare(take("watched.wav", limit: 512))
        let running = try idle.record(draft)
        #expect(eventually { running.monitor.status.state == .stopped })
        try running.stop().discard()
        #expect(kept == nil)
        #expect(monitor.status.recordedFrames == 512)
        try await withPatience { for await event in monitor.events { Issue.record("\(event)") } }
    }
}

/// The samples of a float WAV file, interleaved: the bytes behind the name of the data chunk.
func floatSamples(ofTake path: String) -> [Float] {
    let bytes = fileBytes(path)
    guard let start = (0..<max(0, bytes.count - 8)).first(where: { Array(bytes[$0..<$0 + 4]) == Array("data".utf8) })
    else {
        return []
    }
    let count = (0..<4).reduce(0) { $0 | Int(bytes[start + 4 + $1]) << (8 * $1) }
    return stride(from: start + 8, to: min(bytes.count, start + 8 + count) - 3, by: 4).map { place in
        Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) })
    }
}

private func fileBytes(_ path: String) -> [UInt8] {
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 22)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
}

/// A folder, removed with the last reference, together with all named files.
final class TakeFolder: Sendable {
    private let path: String
    private let files = Mutex<[String]>([])

    init() {
        var name = Array("/tmp/woodshed-recorder-XXXXXX".utf8CString)
        _ = unsafe mkdtemp(&name)
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for file in files.withLock({ $0 }) { _ = unsafe unlink(file) }
        _ = unsafe rmdir(path)
    }

    subscript(name: String) -> String {
        files.withLock { $0.append("\(path)/\(name)") }
        return "\(path)/\(name)"
    }
}
