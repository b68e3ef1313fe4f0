import AudioDevices
import AudioFiles
import EngineHarness
import Foundation
import Samples
import TestSupport
import Testing

@testable import Clips
@testable import Engine

/// The main use: a slowed song, from a file of every kind, for the seconds in `WOODSHED_MINUTE_SECONDS`. The smallest
/// memory budget holds six seconds of the song.
@Suite("Minutes of a recording", .enabled(if: Workload.isWhole))
struct MinutesTests {
    static let rate = 44_100
    static let seconds = environmentCount("WOODSHED_MINUTE_SECONDS", short: 13)

    private final class Folder {
        let path = NSTemporaryDirectory() + "woodshed-minutes-\(UInt64.random(in: 0...UInt64.max))"

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Writes a WAV file with a sound similar to music.
    private static func write(_ path: String, seconds: Int) throws {
        let piece = testClip(channels: 2, frames: 10 * rate, rate: rate, seed: 41)
        let writer = try WaveWriter(path: path, sampleRate: rate, channelCount: 2, format: .int16)
        let block = PlanarBuffer(channelCount: 2, frameCount: rate)
        var random = SeededGenerator(seed: 43)
        for _ in 0..<seconds {
            // Seconds of the piece in any order, so that no stretch is another's copy for long.
            let first = Int.random(in: 0..<9 * rate, using: &random)
            for channel in 0..<2 {
                for frame in 0..<rate { unsafe block.channel(channel)[frame] = piece[channel][first + frame] }
            }
            try unsafe writer.write(UnsafePointer(block.channels), frameCount: rate)
        }
        try writer.finish()
    }

    private static func render(_ path: String, speed: Double, quality: StretchQuality) throws {
        @Sendable func sound(memoryBudget: Int) throws -> (RenderedSound, Int64) {
            let clip = try Clip(path: path, sampleRate: rate, memoryBudget: memoryBudget)
            let plan = PracticePlan(
                sections: [try Section(0..<clip.frameCount)], speeds: .constant(try Speed(factor: speed)),
                material: .auto, quality: quality)
            let score = try Score(plan, clipFrameCount: clip.frameCount, sampleRate: rate)
            return (try RenderedSound(of: clip, score: score), Int64((Double(clip.frameCount) / speed).rounded()))
        }
        let (short, length) = try #require(patiently { try sound(memoryBudget: 0) })
        #expect(short.failure == nil && short.starvedFrames == 0)
        #expect(abs(short.frameCount - length) <= 1)
        #expect(short == (try sound(memoryBudget: 1 << 30)).0)
    }

    @Test("minutes of a recording sound at every speed as if all of it were in memory", arguments: [0.5, 0.75, 1.5])
    func speeds(speed: Double) throws {
        let folder = try Folder()
        try Self.write(folder.path + "/a.wav", seconds: Self.seconds)
        try Self.render(folder.path + "/a.wav", speed: speed, quality: .full)
    }

    @Test(
        "minutes of a recording sound the same from a file of every kind",
        arguments: [
            "flac -s -o OUT IN", "lame --quiet -V 5 IN OUT", "oggenc -Q -q 5 -o OUT IN", "opusenc --quiet IN OUT",
            "ffmpeg -v error -i IN -c:a aac -f mp4 OUT",
        ])
    func formats(encoder: String) throws {
        let folder = try Folder()
        try Self.write(folder.path + "/in.wav", seconds: Self.seconds)
        let encode = Process()
        encode.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let words = encoder.split(separator: " ").map { word in
            word == "IN" ? folder.path + "/in.wav" : word == "OUT" ? folder.path + "/out" : String(word)
        }
        encode.arguments = ["timeout", "600"] + words
        encode.standardInput = FileHandle.nullDevice
        try encode.run()
        encode.waitUntilExit()
        try #require(encode.terminationStatus == 0)
        try Self.render(folder.path + "/out", speed: 0.75, quality: .light)
    }
}
