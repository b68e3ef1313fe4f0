import AudioDevices
import AudioFiles
import Clips
import Realtime
import Samples
import Synchronization
import TestSupport

@testable import Engine

/// The output of a player without a device, for a score under the virtual clock: its length, and a fingerprint of its
/// bits, so that minutes of sound can be compared without storing the sound.
struct RenderedSound: Equatable {
    private(set) var frameCount: Int64 = 0
    private(set) var starvedFrames: Int64 = 0
    private(set) var failure: AudioFileError?
    /// One for each block, so that a difference shows its place.
    private(set) var prints: [UInt64] = []

    init(of clip: Clip, score: Score, blockFrames: Int = 4096, listens: Bool = true) throws {
        let player = Player(clip, score: score, waitsForPages: true, listens: listens)
        let block = PlanarBuffer(channelCount: clip.channelCount, frameCount: blockFrames)
        player.start(at: 0)
        while true {
            player.serve(isBetweenBlocks: true)
            let valid = unsafe player.core.core.pointee.render(
                into: block.channels, outputChannels: clip.channelCount, frameCount: blockFrames, adds: false,
                at: frameCount)
            var print = Fingerprint()
            for channel in 0..<clip.channelCount {
                unsafe print.add(UnsafeBufferPointer(start: block.channel(channel), count: valid))
            }
            prints.append(print.value)
            frameCount += Int64(valid)
            if unsafe player.core.core.pointee.hasEnded { break }
        }
        player.serve()
        starvedFrames = player.status.starvedFrames
        failure = player.failure
    }
}

/// A number that differs for samples that differ in a bit: the hash of Fowler, Noll and Vo, a sample at a time.
struct Fingerprint: Equatable {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325
    var text: String { String(value, radix: 16) }

    mutating func add(_ bits: UInt64) { value = (value ^ bits) &* 0x100_0000_01b3 }
    mutating func add(_ samples: some Sequence<Float>) {
        for sample in samples { add(UInt64(sample.bitPattern)) }
    }
}

/// The result of work that may hang for ever after a fault; nil, and a thread left behind, for work that has not ended
/// after ten minutes.
func patiently<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) throws -> Value? {
    let answer = PatientAnswer<Value>()
    let thread = PlainThread(name: "test-patience") {
        let result = Result { try work() }
        answer.result.withLock { $0 = result }
    }
    thread?.detach()
    _ = eventually(seconds: 600) { answer.result.withLock { $0 != nil } }
    return try answer.result.withLock { $0 }?.get()
}

private final class PatientAnswer<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
}
