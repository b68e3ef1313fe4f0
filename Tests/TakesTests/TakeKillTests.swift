import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Takes

/// The number of times the writer is killed; `make soak` sets more.
private var killCount: Int {
    let given = unsafe getenv("WOODSHED_KILLS").flatMap { unsafe parsed(String(cString: $0), as: Int.self) }
    return given ?? cases(20, few: 3)
}

@Suite("Killed takes")
struct TakeKillTests {
    /// A kind of take for each round.
    private static func format(_ round: Int) -> TakeFormat {
        let container: TakeContainer = round % 4 == 3 ? .caf : .wav
        let samples: [WaveSampleFormat] = [.int24, .int16, .int32, .float32, .int24]
        return TakeFormat(
            container: container, samples: samples[round % 5], sampleRate: 48_000, channelCount: 1 + round % 3)
    }

    @Test(
        "a killed take opens in every program up to its checkpoint, and is recovered with its marks",
        .enabled(if: !Sanitizers.watchThreads))
    func kills() async throws {
        var generator = SeededGenerator(printedFor: "killed takes")
        let scratch = try Scratch()
        let registry = UnfinishedTakes(folder: scratch.file("state"))
        let neighbour = scratch.file("neighbour.wav")
        try writeWave(neighbour, music(frameCount: 5000))
        let before = FileManager.default.contents(atPath: neighbour)
        var waves: [(path: String, frames: Int64)] = []
        var framesAfterwards = 0
        // A busy machine may be so slow that the kills come before the first samples: then further rounds take longer.
        for round in 0..<20 * killCount where round < killCount || framesAfterwards == 0 {
            let path = scratch.file("take\(round)")
            let microseconds = UInt32.random(in: 0...25_000, using: &generator) * UInt32(1 + round / killCount)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [folder = scratch.path as String, round = round as Int, microseconds = microseconds as UInt32] in
                try Self.recordUntilKilled(folder: folder, round: round, after: microseconds)
            }
            // Killed before the file was made: there is nothing.
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let report = FileManager.default.contents(atPath: path + ".report") ?? Data()
            let told = report.count < 8 ? 0 : unsafe report.withUnsafeBytes { unsafe $0.loadUnaligned(as: Int64.self) }
            let format = Self.format(round)
            let samples = try decode(path)
            let frames = samples.first?.count ?? 0
            #expect(Int64(frames) >= told, "round \(round)")
            #expect(samples == numbered(0..<frames, channelCount: format.channelCount) || frames == 0, "round \(round)")
            // Python's `wave` knows whole numbers alone.
            if format.container == .wav, format.samples != .float32, frames > 0 { waves.append((path, Int64(frames))) }
            if round % 5 == 0 { #expect(try framesByFFmpeg(path) == frames) }
            framesAfterwards += try recover(path, registry, marksEvery: 1000, told: told)
        }
        if !waves.isEmpty {
            // Each take was whole before the recovery, too: the test made a copy.
            let lengths = waves.map(\.frames)
            #expect(try lengthsByOthers(waves.map { $0.path + ".killed" }) == [lengths, lengths])
        }
        #expect(framesAfterwards > 0)
        #expect(FileManager.default.contents(atPath: neighbour) == before)
        #expect(try registry.find().isEmpty)
        print("killed takes: \(killCount) rounds, \(waves.count) read by others, \(framesAfterwards) frames recovered")
    }

    /// Copies a take, recovers the take, and returns the number of frames.
    private func recover(_ path: String, _ registry: UnfinishedTakes, marksEvery: Int64, told: Int64) throws -> Int {
        try FileManager.default.copyItem(atPath: path, toPath: path + ".killed")
        let before = try decode(path).first?.count ?? 0
        guard let found = try registry.find().first(where: { $0.path.hasSuffix(path) }) else {
            #expect(told == 0, "what was recorded is not found")
            return before
        }
        let frames = try found.recover()
        #expect(frames == found.frameCount && frames >= Int64(before))
        let samples = try decode(path)
        #expect(samples == numbered(0..<Int(frames), channelCount: found.channelCount) || frames == 0)
        let marks = try TakeFileMarks.read(path)
        #expect(marks.allSatisfy { $0.name == "mark at \($0.frame)" && $0.frame % marksEvery == 0 })
        #expect(Int64(marks.count) >= told / marksEvery)
        return Int(frames)
    }

    /// Records in this process, while another thread kills the process.
    private static func recordUntilKilled(folder: String, round: Int, after microseconds: UInt32) throws {
        let format = Self.format(round)
        let path = folder + "/take\(round)"
        let report = unsafe open(path + ".report", O_WRONLY | O_CREAT, 0o600)
        Thread.detachNewThread {
            usleep(microseconds)
            raise(SIGKILL)
        }
        let take = try TakeFile(
            path: path, container: format.container, format: format.samples, sampleRate: format.sampleRate,
            channelCount: format.channelCount, registry: UnfinishedTakes(folder: folder + "/state"))
        // Bounded, in case the killer dies first.
        for block in 0..<100_000 {
            let start = block * 250
            if start % 1000 == 0 { try take.addMark("mark at \(start)", atFrame: Int64(start)) }
            try take.append(numbered(start..<start + 250, channelCount: format.channelCount))
            if block % 3 == 2 {
                try take.checkpoint()
                var told = [take.checkpointedFrameCount, Int64(start + 250)]
                unsafe pwrite(report, &told, 16, 0)
            }
            if block % 16 == 15 { try take.synchronise() }
        }
        // The killer may come after the last block.
        sleep(120)
    }
}
