import AudioFiles
import Realtime

@testable import Clips

/// Samples that can be read once the test lets them, so that what is not decoded yet is no matter of the machine's speed.
///
/// A read of others waits until they are let through, or until the clip ends.
final class HeldDecoder: AudioDecoder, @unchecked Sendable {
    let info: AudioFileInfo
    private let memory: MemoryDecoder<[Float]>
    private let lock = ConditionLock()

    // Guarded by `lock`.
    private var permitted: [Range<Int64>]
    private var isCancelled = false

    init(_ channels: [[Float]], sampleRate: Int, permitting permitted: Range<Int64>) {
        memory = MemoryDecoder(channels, sampleRate: sampleRate)
        info = memory.info
        self.permitted = [permitted]
    }

    /// Lets the frames of a range through from now on, if one read asks for no others.
    func permit(_ range: Range<Int64>) {
        lock.withLock {
            permitted.append(range)
            lock.wakeAll()
        }
    }

    func cancel() {
        lock.withLock {
            isCancelled = true
            lock.wakeAll()
        }
    }

    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError) {
        let isPermitted = lock.withLock {
            while !isCancelled, !permitted.contains(where: { $0.clamped(to: frames) == frames }) {
                lock.wait()
            }
            return !isCancelled
        }
        guard isPermitted else { throw .closed(info.path) }
        try unsafe memory.read(frames, into: output, stride: stride)
    }
}
