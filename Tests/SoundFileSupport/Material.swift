// Signals and files for the tests, made by the project's own writer and by the encoders a listener would use.
package import AudioFiles
internal import Foundation
internal import TestSupport

/// The reason for missing test material, which fails the test.
private struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// A directory, removed with the last reference.
package final class Scratch: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "woodshed-files-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { path + "/" + name }

    package func size(_ name: String) throws -> Int {
        let path = file(name)
        guard let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int else {
            throw Failure(description: "\(path) has no size")
        }
        return size
    }

    package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }

    /// Gives a file a second name outside UTF-8, and returns the name's text; nil where the file system takes
    /// only UTF-8.
    package func linkOfBytes(to name: String) throws -> String? {
        let bytes = Array(path.utf8) + Array("/caf".utf8) + [0xE9] + Array(".wav".utf8)
        // By the name's bytes, independent of the code under test.
        if unsafe link(file(name), bytes.map { CChar(bitPattern: $0) } + [0]) == 0 { return FileName.text(of: bytes) }
        guard errno == EILSEQ || errno == EINVAL else {
            throw Failure(description: "\(name) cannot be linked: \(errno)")
        }
        return nil
    }

    package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }
}

/// Synthetic music for an encoder: a few gliding tones, with attacks and noise.
package func music(frameCount: Int, channelCount: Int = 2, sampleRate: Int = 44_100, seed: UInt64 = 1) -> [[Float]] {
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
package func writeWave(
    _ path: String, _ channels: [[Float]], sampleRate: Int = 44_100, format: WaveSampleFormat = .int16,
    blockFrames: Int = 4096
) throws {
    let writer = try WaveWriter(path: path, sampleRate: sampleRate, channelCount: channels.count, format: format)
    try write(channels, to: writer, blockFrames: blockFrames)
    try writer.finish()
}

package func write(_ channels: [[Float]], to writer: any SoundWriter, blockFrames: Int = 4096) throws {
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

/// Runs a program of the packages installed by the set-up, for at most ten minutes; the program's failure or absence
/// fails the test.
@discardableResult
package func run(_ arguments: String...) throws -> String { try run(arguments: arguments) }

@discardableResult
package func run(arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["timeout", "--kill-after=10", "600"] + arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failure(description: "\(arguments.joined(separator: " ")): \(text)") }
    return text
}

/// Samples that identify frame and channel, and fit in 16 bits.
package func numbered(_ frames: Range<Int>, channelCount: Int) -> [[Float]] {
    (0..<channelCount).map { channel in
        frames.map { Float(Int16(truncatingIfNeeded: $0 &* 31 &+ channel &* 7919)) / 32_768 }
    }
}

/// The bytes of an integer, the lowest first.
package func littleBytes(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
