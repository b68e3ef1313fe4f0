import AudioFiles
import Foundation
import Realtime
import Samples
import SoundFileSupport
import Synchronization
import Takes
import TestSupport
import Testing

@testable import AudioDevices
@testable import Recording

/// Keeps a take in memory, and fails on request.
final class MemorySink: TakeSink {
    private(set) var frames: [[Float]] = []
    private(set) var marks: [String: Int64] = [:]
    private(set) var isFinished = false
    private(set) var isDiscarded = false
    /// A mark that the file cannot hold.
    var refusedMark: String?
    /// The first failing call, from 1; all later calls fail too. 0: none.
    var failsAt = 0
    private var calls = 0

    var frameCount: Int64 { Int64(frames.first?.count ?? 0) }

    private func count() throws(AudioFileError) {
        calls += 1
        if failsAt > 0, calls >= failsAt { throw .writing("take.wav", errno: 28, creating: false) }
    }

    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError) {
        try count()
        if frames.isEmpty { frames = [[], []] }
        for channel in 0..<2 {
            unsafe frames[channel] += UnsafeBufferPointer(start: channels[channel], count: frameCount)
        }
    }

    func writeSilence(frameCount: Int64) throws(AudioFileError) {
        try count()
        if frames.isEmpty { frames = [[], []] }
        for channel in 0..<2 { frames[channel] += Array(repeating: 0, count: Int(frameCount)) }
    }

    func addMark(_ name: String, atFrame frame: Int64) throws(AudioFileError) {
        try count()
        guard name != refusedMark else {
            throw AudioFileError(.invalidRequest, path: "take.wav", "a bad mark", remedy: "None.")
        }
        marks[name] = frame
    }

    func checkpoint() throws(AudioFileError) {}
    func synchronise() throws(AudioFileError) {}
    func finish() throws(AudioFileError) { isFinished = true }
    func discard() throws(AudioFileError) { isDiscarded = true }
}

/// A recorder without threads or a device: the test puts blocks in, and gives commands at the commands' frames.
final class CourseRig {
    let capture: CaptureStage
    let commands = RecorderCommands()
    let broadcast = EventBroadcast<RecorderEvent>()
    let timed = EventBroadcast<TimedTakeEvent>()
    let progress = RecorderProgress()
    let writer: TakeWriter
    let sink = MemorySink()
    private let events: AsyncStream<RecorderEvent>

    static let preRoll = 480

    init(period: Int = 1024, seconds: Int = 4, backlogBytes: Int = FrameBacklog.mostBytes) {
        let configuration = StreamConfiguration(
            sampleRate: 960, channelCount: 2, periodFrames: period, bufferFrames: 4 * period, formatName: "FLOAT",
            accessName: "direct", deviceName: "test")
        capture = CaptureStage(configuration, tapeFrames: seconds * 960, backlogBytes: backlogBytes)
        writer = TakeWriter(
            capture, commands: commands, events: broadcast, progress: progress,
            timedEvents: timed, configuration: configuration, preRollFrames: Self.preRoll)
        events = broadcast.stream
    }

    /// The input at a frame: never 0, and never the same twice.
    static func sample(_ frame: Int64, _ channel: Int) -> Float { Float(2 * frame + Int64(channel) + 1) * 0x1p-20 }

    /// A block of the input arrives.
    func capture(_ first: Int64, _ count: Int) {
        let block = PlanarBuffer(channelCount: 2, frameCount: max(1, count))
        for channel in 0..<2 {
            for frame in 0..<count { unsafe block.channel(channel)[frame] = Self.sample(first + Int64(frame), channel) }
        }
        _ = capture.capture(
            unsafe CaptureBlock(
                channels: block.channels, channelCount: 2, frameCount: count, inputFrame: first))
    }

    func draft(limit: Int64? = nil) -> TakeDraft {
        TakeDraft(
            sink: sink,
            request: TakeRequest(
                destination: .stream(fileDescriptor: -1), format: .float32, frameLimit: limit,
                registry: nil))
    }

    /// The events, once no further event follows.
    func told() async throws -> [RecorderEvent] {
        broadcast.end()
        var result: [RecorderEvent] = []
        try await withPatience { [events] in for await event in events { result.append(event) } }
        return result
    }
}

@Suite("The writer of a take")
struct TakeWriterTests {
    /// The content of a take, computed frame by frame: the slow reference.
    private struct Reference {
        var preRoll: [Int64?] = []
        var frames: [Int64?] = []
        var mode = 0
        var marks: [String: Int64] = [:]

        /// Passes a frame of the input; nil for a lost frame.
        mutating func pass(_ frame: Int64?) {
            if mode == 0 { preRoll.append(frame) }
            if mode == 1 { frames.append(frame) }
        }

        mutating func request(_ action: RecorderCommand.Action) {
            switch action {
            case .record where mode == 0: (frames, mode) = (Array(preRoll.suffix(CourseRig.preRoll)), 1)
            case .pause where mode == 1: mode = 2
            case .resume where mode == 2: mode = 1
            case .mark(let name) where mode == 1 || mode == 2: marks[name] = Int64(frames.count)
            case .stop where mode == 1 || mode == 2: mode = 3
            default: break
            }
        }

        func channel(_ channel: Int) -> [Float] { frames.map { $0.map { CourseRig.sample($0, channel) } ?? 0 } }
    }

    @Test("a take has each frame between its commands once, and silence where frames were lost")
    func random() {
        var generator = SeededGenerator(printedFor: "TakeWriterTests.random")
        for _ in 0..<environmentCount("WOODSHED_TAKES", short: cases(300, few: 40)) {
            // Room for everything, because only the device may lose frames.
            let rig = CourseRig(seconds: 60)
            var reference = Reference()
            var (frame, markCount) = (Int64(0), 0)
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0...4:
                    let count = Int.random(in: 1...400, using: &generator)
                    rig.capture(frame, count)
                    for _ in 0..<count {
                        reference.pass(frame)
                        frame += 1
                    }
                case 5:
                    // Lost by the device; the next block follows, and reveals the loss.
                    let lost = Int64.random(in: 1...300, using: &generator)
                    for _ in 0..<lost { reference.pass(nil) }
                    frame += lost
                    rig.capture(frame, 1)
                    reference.pass(frame)
                    frame += 1
                case 6...7: rig.writer.step()
                default:
                    markCount += 1
                    let choices: [RecorderCommand.Action] = [
                        .record(rig.draft()), .record(rig.draft()), .pause, .resume, .mark("\(markCount)"),
                        .mark("\(markCount)"),
                    ]
                    let action = choices[Int.random(in: 0..<choices.count, using: &generator)]
                    reference.request(action)
                    rig.commands.add(action) { frame }
                }
            }
            rig.commands.add(.stop(.asked)) { frame }
            rig.writer.step()
            reference.request(.stop(.asked))
            #expect(rig.sink.frames.first ?? [] == reference.channel(0))
            #expect(rig.sink.frames.last ?? [] == reference.channel(1))
            #expect(rig.sink.marks == reference.marks)
        }
    }

    @Test("frames lost while the disk does not respond become silence, counted and reported")
    func overrun() async throws {
        let rig = CourseRig(period: 480, seconds: 1)
        rig.commands.add(.record(rig.draft())) { 0 }
        rig.writer.step()
        // Two and a half blocks more than there is room for.
        for block in 0..<4 { rig.capture(Int64(block) * 480, 480) }
        rig.writer.step()
        rig.capture(1920, 480)
        rig.commands.add(.stop(.asked)) { rig.capture.capturedFrame }
        rig.writer.step()
        #expect(rig.capture.droppedFrames == 960 && rig.sink.frames[0].count == 2400)
        #expect(rig.sink.frames[1][960..<1920].allSatisfy { $0 == 0 })
        #expect(rig.sink.frames[1][1920] == CourseRig.sample(1920, 1) && rig.sink.frames[1][959] != 0)
        let told = try await rig.told()
        #expect(told.contains(.overrun(frame: 960, lostFrames: 960)))
        let end = try #require(rig.progress.result)
        #expect(end.lostFrames == 960 && end.frameCount == 2400 && end.reason == .asked)
    }

    @Test("a disk that does not respond for two seconds loses no frame, with eight channels at 96 kHz")
    func stall() {
        let configuration = StreamConfiguration(
            sampleRate: 96_000, channelCount: 8, periodFrames: 64, bufferFrames: 256, formatName: "FLOAT",
            accessName: "direct", deviceName: "test")
        let shared = RecorderShared(configuration)
        let block = PlanarBuffer(channelCount: 8, frameCount: 64)
        for number in 0..<2 * 96_000 / 64 {
            _ = shared.capture.capture(
                unsafe CaptureBlock(
                    channels: block.channels, channelCount: 8, frameCount: 64, inputFrame: Int64(64 * number)))
        }
        #expect(shared.capture.droppedFrames == 0 && shared.capture.capturedFrame == 192_000)
    }

    @Test("low disk space is reported once, and again only after there was enough")
    func diskLow() async throws {
        var watch = DiskWatch(path: "/tmp", bytesPerSecond: 1)
        let seconds: [Double] = [61, 59, 10, 100, 59, 121, 1]
        #expect(seconds.map { watch.isLow($0) } == [false, true, false, false, false, false, true])
        let left = watch.look(now: 1_000_000_000)
        #expect(left.map { $0 > 0 } == true)
        #expect(watch.look(now: 1_400_000_000) == nil)
        #expect(watch.look(now: 1_500_000_000) != nil)
        var nowhere = DiskWatch(path: "/no/such/place", bytesPerSecond: 1)
        #expect(nowhere.look(now: 0) == nil)

        let shared = RecorderShared(
            StreamConfiguration(
                sampleRate: 8000, channelCount: 1, periodFrames: 64, bufferFrames: 256, formatName: "FLOAT",
                accessName: "direct", deviceName: "test"))
        let events = shared.events.stream
        // No disk has room for a second of such sound.
        shared.watchDisk(at: "/tmp", bytesPerSecond: 1 << 60)
        shared.tell()
        shared.events.end()
        var told: [RecorderEvent] = []
        try await withPatience { for await event in events { told.append(event) } }
        #expect(told.count == 1)
        #expect(shared.progress.current.secondsLeft.map { $0 < 1 } == true)
    }

    @Test(
        "a take whose name another program takes meanwhile gets the next free name, and ends once",
        arguments: [true, false], [true, false])
    func takenName(hasMore: Bool, isShort: Bool) async throws {
        let scratch = try Scratch()
        for name in ["1.wav", "2.wav"] {
            #expect(FileManager.default.createFile(atPath: scratch.file(name), contents: nil))
        }
        let rig = CourseRig()
        let events = rig.timed.stream
        let calls = Mutex(0)
        let folder = scratch.path
        let request = TimedTakeRequest(id: 7, first: 0) { _ in
            let number = calls.withLock { calls in
                calls += 1
                return hasMore ? calls : min(calls, 2)
            }
            return TakeRequest(destination: .file(path: "\(folder)/\(number).wav", container: .wav), registry: nil)
        }
        rig.commands.add(.openTimed(request)) { 0 }
        // The end of a short take is known before the first frame comes.
        if isShort { rig.commands.add(.closeTimed(7, end: 600)) { 0 } }
        rig.capture(0, 600)
        rig.writer.step()
        if !isShort { rig.commands.add(.closeTimed(7, end: 600)) { 600 } }
        rig.writer.step()
        rig.timed.end()
        var paths: [String] = []
        var ends: [TimedTakeEnd] = []
        try await withPatience {
            for await event in events {
                if case .began(_, let path, _) = event { paths.append(path ?? "") }
                if case .ended(_, let end) = event { ends.append(end) }
            }
        }
        #expect(paths == (hasMore ? [scratch.file("3.wav")] : []))
        #expect(ends.map(\.frameCount) == [hasMore ? 600 : 0])
        #expect(ends.map { $0.failure?.kind } == [hasMore ? nil : .alreadyExists])
        #expect(calls.withLock { $0 } == 3)
    }

    @Test(
        "a take with a limit ends on its frame, in the pre-roll, in a block or in lost frames",
        arguments: [100, 700, 1300])
    func limit(frames: Int64) async throws {
        let rig = CourseRig()
        rig.capture(0, 600)
        rig.commands.add(.record(rig.draft(limit: frames))) { 600 }
        rig.capture(600, 300)
        rig.capture(1900, 100)
        rig.writer.step()
        #expect(rig.sink.frames[0].count == Int(frames))
        // 480 frames of pre-roll, so the take's frame 0 is the input's 120.
        #expect(rig.sink.frames[0][99] == CourseRig.sample(219, 0))
        #expect(try await rig.told().last == .stopped(frame: frames, .limit))
        #expect(rig.progress.current.state == .stopped)
    }

    @Test(
        "a file that fails ends the take with the cause, keeps the written sound, and levels continue",
        arguments: 1...6)
    func failure(call: Int) async throws {
        let rig = CourseRig()
        rig.sink.failsAt = call
        rig.commands.add(.record(rig.draft())) { 0 }
        for block in 0..<8 {
            rig.capture(Int64(block) * 96, 96)
            rig.commands.add(.mark("\(block)")) { rig.capture.capturedFrame }
            rig.writer.step()
        }
        let end = try #require(rig.progress.result)
        #expect(end.reason == .failed && end.failure?.kind == .diskFull)
        #expect(end.frameCount == Int64(rig.sink.frames.first?.count ?? 0) && end.frameCount == Int64(call / 2 * 96))
        #expect(rig.capture.windows.readableCount == 2 * 8 * 96 / rig.capture.windowFrames)
        let told = try await rig.told()
        #expect(told.filter { if case .failed = $0 { true } else { false } }.count == 1)
        #expect(told.last == .stopped(frame: end.frameCount, .failed))
        try rig.writer.conclude(keeping: true)
        #expect(rig.sink.isFinished && !rig.sink.isDiscarded)
    }

    @Test("a mark that the file cannot hold is left out, and the take continues")
    func refusedMark() async throws {
        let rig = CourseRig()
        rig.sink.refusedMark = "bad"
        rig.commands.add(.record(rig.draft())) { 0 }
        for (block, name) in ["one", "bad", "two"].enumerated() {
            rig.capture(Int64(block) * 96, 96)
            rig.commands.add(.mark(name)) { rig.capture.capturedFrame }
            rig.writer.step()
        }
        rig.commands.add(.stop(.asked)) { rig.capture.capturedFrame }
        rig.writer.step()
        let end = try #require(rig.progress.result)
        #expect(end.reason == .asked && end.failure == nil && end.frameCount == 288)
        #expect(rig.sink.marks == ["one": 96, "two": 288])
        let told = try await rig.told()
        #expect(told.filter { if case .marked = $0 { true } else { false } }.count == 2)
    }

    @Test(
        "levels are reported for the same windows at every block length, and overs with their frame",
        arguments: [1, 7, 96, 1000])
    func levels(block: Int) async throws {
        let rig = CourseRig()
        let teller = LevelReporter(rig.capture, events: rig.broadcast, channelCount: 2, sampleRate: 960)
        let buffer = PlanarBuffer(channelCount: 2, frameCount: 1000)
        var frame = 0
        while frame < 1000 {
            let count = min(block, 1000 - frame)
            for index in 0..<count {
                unsafe buffer.channel(0)[index] = 0.5
                unsafe buffer.channel(1)[index] = frame + index == 333 ? -1 : 0
            }
            // The input lost 1000 frames before its first.
            _ = rig.capture.capture(
                unsafe CaptureBlock(
                    channels: buffer.channels, channelCount: 2, frameCount: count, inputFrame: Int64(1000 + frame)))
            frame += count
            teller.step()
        }
        let told = try await rig.told()
        #expect(told.contains(.over(channel: 1, inputFrame: 1333)))
        let reports = told.compactMap { if case .levels(let levels) = $0 { levels } else { nil } }
        #expect(reports.map(\.inputFrame).first == 1089 && reports.count == 11)
        #expect(reports.allSatisfy { $0.channels[0].peak == 0.5 && abs($0.channels[0].rms - 0.5) < 1e-6 })
        #expect(reports.filter { $0.channels[1].peak == 1 }.count == 1)
        #expect(reports.last?.channels[1].overs == 1 && reports.last?.channels[1].firstOverFrame == 1333)
    }
}
