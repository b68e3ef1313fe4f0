import AudioFiles
import Realtime

@testable import Clips

/// A decoder that releases samples on the test's request, so that undecoded ranges do not depend on the machine's
/// speed.
///
/// A read of other frames waits for their release, or for the clip's end.
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

    /// Releases the frames of a range from now on, for reads inside the range.
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
