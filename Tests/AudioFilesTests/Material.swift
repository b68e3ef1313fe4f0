// Signals and files for the tests, made by this module's writer and by the encoders a listener would use.
import AudioFiles
import Foundation
import TestSupport
import Testing

/// A directory that is removed with the last reference to it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "woodshed-files-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func size(_ name: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: file(name))[.size] as? Int)
    }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }

    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }
}

/// Something that resembles music to an encoder: a few gliding tones, with attacks and noise.
func music(frameCount: Int, channelCount: Int = 2, sampleRate: Int = 44_100, seed: UInt64 = 1) -> [[Float]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<channelCount).map { channel in
        var noise: Float = 0
        return (0..<frameCount).map { frame in
            let seconds = Float(frame) / Float(sampleRate)
            let beat = seconds.truncatingRemainder(dividingBy: 0.4)
            noise += 0.2 * (Float(generator.next() >> 40) / Float(1 << 23) - 1 - noise)
            let tone = sin(
                2 * .pi * (220 + 110 * Float(channel)) * seconds
                    * (1 + 0.05 * seconds.truncatingRemainder(dividingBy: 2)))
            return (0.35 * tone + 0.5 * noise) * (0.2 + 0.8 * exp(-6 * beat))
        }
    }
}

/// Writes planar samples with the module's own writer.
func writeWave(
    _ path: String, _ channels: [[Float]], sampleRate: Int = 44_100, format: WaveSampleFormat = .int16,
    blockFrames: Int = 4096
) throws {
    let writer = try WaveWriter(path: path, sampleRate: sampleRate, channelCount: channels.count, format: format)
    try write(channels, to: writer, blockFrames: blockFrames)
    try writer.finish()
}

func write(_ channels: [[Float]], to writer: any SoundWriter, blockFrames: Int = 4096) throws {
    let block = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: channels.count)
    for channel in channels.indices { unsafe block[channel] = .allocate(capacity: blockFrames) }
    defer {
        for channel in channels.indices { unsafe block[channel].deallocate() }
        unsafe block.deallocate()
    }
    var done = 0
    while done < channels[0].count {
        let count = min(blockFrames, channels[0].count - done)
        for (index, channel) in channels.enumerated() {
            for i in 0..<count { unsafe block[index][i] = channel[done + i] }
        }
        try unsafe writer.write(block, frameCount: count)
        done += count
    }
}

/// Runs a program of the packages that the set-up installs; its failure or absence fails the test.
@discardableResult
func run(_ arguments: String...) throws -> String { try run(arguments: arguments) }

@discardableResult
func run(arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(arguments.joined(separator: " ")): \(text)")
    return text
}

/// Reads a range of a clip the way a render thread does, after waiting for it.
func read(_ clip: Clip, _ frames: Range<Int64>) throws -> [[Float]] {
    try clip.waitUntilLoaded([frames])
    let reader = clip.makeReader()
    defer { clip.release(reader) }
    reader.beginBlock()
    defer { reader.endBlock() }
    return (0..<clip.channelCount).map { channel in
        unsafe [Float](unsafeUninitializedCapacity: frames.count) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            let missing = unsafe reader.read(channel: channel, from: frames.lowerBound, count: frames.count, into: base)
            #expect(missing == 0)
            count = frames.count
        }
    }
}

/// All of a clip, in order.
func readAll(_ clip: Clip) throws -> [[Float]] {
    var channels = [[Float]](repeating: [], count: clip.channelCount)
    var position: Int64 = 0
    while position < clip.frameCount {
        let end = min(position + 50_000, clip.frameCount)
        for (channel, samples) in try read(clip, position..<end).enumerated() { channels[channel] += samples }
        position = end
    }
    return channels
}
