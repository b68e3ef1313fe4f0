// Shared code of the tests of takes: writing a take, reading a take by several programs, and failing calls of the
// system.
import AudioFiles
import Foundation
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import Files
@testable import Takes

extension TakeFile {
    /// Appends planar samples in blocks.
    func append(_ channels: [[Float]], blockFrames: Int = 1000) throws {
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
            try unsafe write(block, frameCount: count)
            done += count
        }
    }
}

/// The lengths in frames of WAV files of integers, found by other programs: sox and Python's `wave`, each as a single
/// process for all files.
func lengthsByOthers(_ paths: [String]) throws -> [[Int64]] {
    func numbers(_ text: String) -> [Int64] { text.split(whereSeparator: \.isNewline).compactMap { parsed($0) } }
    let script = "import sys, wave\nfor path in sys.argv[1:]: print(wave.open(path).getnframes())"
    let sox = numbers(try run(arguments: ["soxi", "-s"] + paths))
    let python = numbers(try run(arguments: ["python3", "-c", script] + paths))
    try #require(sox.count == paths.count && python.count == paths.count)
    return [sox, python]
}

/// The number of frames in a file: the sum of the packet durations read by ffprobe.
func framesByFFmpeg(_ path: String) throws -> Int {
    let text = try run(
        "ffprobe", "-v", "error", "-count_packets", "-show_entries", "packet=duration", "-of", "csv=p=0", path)
    return text.split(whereSeparator: { !$0.isNumber }).compactMap { parsed($0, as: Int.self) }.reduce(0, +)
}

/// The system's calls, of which some fail.
final class FailingCalls: FileCalls {
    /// The outcome of a call.
    enum Fate: Sendable { case done, fails(Int32), isCut(to: Int) }

    /// The outcome of each fallible call by the call's number, from 0 on.
    private let fate: @Sendable (Int) -> Fate
    private let count = Mutex(0)
    private let system = SystemFileCalls()
    /// Runs after each call, with the call's number.
    private let after: @Sendable (Int) -> Void

    init(after: @escaping @Sendable (Int) -> Void = { _ in }, _ fate: @escaping @Sendable (Int) -> Fate) {
        self.fate = fate
        self.after = after
    }

    var callCount: Int { count.withLock { $0 } }

    private func call(_ body: (Int?) -> Int) -> Int {
        let number = count.withLock { count in
            count += 1
            return count - 1
        }
        defer { after(number) }
        switch fate(number) {
        case .done: return body(nil)
        case .fails(let code): return -Int(code)
        case .isCut(let length): return body(length)
        }
    }

    // No recorded data depends on these calls.
    func createUnnamed(in folder: String) -> Int { system.createUnnamed(in: folder) }
    func create(_ path: String) -> Int { system.create(path) }
    func name(_ descriptor: Int32, _ path: String) -> Int { system.name(descriptor, path) }
    func remove(_ path: String) -> Int { system.remove(path) }
    func rename(_ path: String, to other: String) -> Int { system.rename(path, to: other) }
    func close(_ descriptor: Int32) -> Int { system.close(descriptor) }
    func freeBytes(_ descriptor: Int32) -> Int { system.freeBytes(descriptor) }
    func synchroniseFolder(_ folder: String) -> Int { 0 }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        call { length in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, length ?? bytes.count)])
            return unsafe part.isEmpty ? 0 : system.write(descriptor, part, at: offset)
        }
    }

    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int {
        call { _ in system.setLength(descriptor, byteCount) }
    }
    func synchroniseData(_ descriptor: Int32) -> Int { call { _ in 0 } }
    func synchronise(_ descriptor: Int32) -> Int { call { _ in 0 } }
}

/// A disk with room for a given number of bytes of the file: bytes within can be written again, bytes beyond cannot be
/// written.
struct FullDisk: FileCalls {
    let room: Int64
    /// False if the file cannot have a hole beyond the room either, as beyond the largest size of a file.
    let holdsHoles: Bool
    private let system = SystemFileCalls()

    init(room: Int64, holdsHoles: Bool = true) { (self.room, self.holdsHoles) = (room, holdsHoles) }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        let count = min(Int64(bytes.count), room - offset)
        if count <= 0 { return -Int(ENOSPC) }
        return unsafe system.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<Int(count)]), at: offset)
    }

    func createUnnamed(in folder: String) -> Int { system.createUnnamed(in: folder) }
    func create(_ path: String) -> Int { system.create(path) }
    func name(_ descriptor: Int32, _ path: String) -> Int { system.name(descriptor, path) }
    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int {
        !holdsHoles && byteCount > room ? -Int(ENOSPC) : system.setLength(descriptor, byteCount)
    }
    func synchroniseData(_ descriptor: Int32) -> Int { 0 }
    func synchronise(_ descriptor: Int32) -> Int { 0 }
    func synchroniseFolder(_ folder: String) -> Int { 0 }
    func remove(_ path: String) -> Int { system.remove(path) }
    func rename(_ path: String, to other: String) -> Int { system.rename(path, to: other) }
    func close(_ descriptor: Int32) -> Int { system.close(descriptor) }
    func freeBytes(_ descriptor: Int32) -> Int { system.freeBytes(descriptor) }
}
