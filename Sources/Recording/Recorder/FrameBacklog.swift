internal import AudioDevices
internal import Realtime

/// Captured frames on their way to the writer: frames on the tape and, before these, older frames moved from the tape
/// to memory.
///
/// A disk may stand still for half a minute, and other programs may keep the writer from the processor. During the
/// wait, frames move to memory, so that the tape does not fill, and the writer catches up later.
///
/// Threads: any but the capture thread. Real-time safe: no.
final class FrameBacklog: @unchecked Sendable {
    // Unchecked because of the values guarded by the lock.
    /// Frames with consecutive numbers.
    private struct Chunk {
        /// Number of the first frame.
        let first: Int64
        /// The samples, interleaved.
        let samples: [Float]
    }

    /// The relief may have precedence over the writer.
    private let lock = ConditionLock(inheritsPriority: true)
    private var tape: FrameTape
    private let channelCount: Int
    /// Frames move if at least this many wait on the tape, or many jumps: a quarter of the tape's capacity.
    private let reliefFrames: Int
    private let mostChunks: Int
    /// Oldest first; empty as long as the writer is in time.
    private var chunks: [Chunk] = []
    /// Frames already taken from the oldest chunk.
    private var takenFrames = 0

    private static let chunkFrames = 4096
    /// The most memory for moved frames; almost three minutes in stereo at 48 kHz.
    static let mostBytes = 64_000_000

    /// - Parameters:
    ///   - tapeFrames: Capacity of the tape in frames.
    ///   - mostBytes: The most memory for moved frames, in bytes.
    init(_ tape: consuming FrameTape, channelCount: Int, tapeFrames: Int, mostBytes: Int) {
        self.tape = tape
        self.channelCount = channelCount
        reliefFrames = max(1, tapeFrames / 4)
        mostChunks = max(1, mostBytes / (4 * channelCount * Self.chunkFrames))
        chunks.reserveCapacity(mostChunks)
    }

    /// Takes up to `count` consecutive frames, as ``FrameTape/take(_:before:into:)`` does.
    func take(
        _ count: Int, before end: Int64, into target: UnsafeMutablePointer<Float>
    ) -> (first: Int64, count: Int) {
        var emptied: Chunk?
        // Freed outside the lock, because the system may let a thread wait that frees or requests memory.
        defer { withExtendedLifetime(emptied) {} }
        return lock.withLock { () -> (first: Int64, count: Int) in
            guard let chunk = chunks.first else { return unsafe tape.take(count, before: end, into: target) }
            let first = chunk.first + Int64(takenFrames)
            let rest = chunk.samples.count / channelCount - takenFrames
            let part = min(rest, count, Int(max(0, end - first)))
            let start = takenFrames * channelCount
            for index in 0..<part * channelCount { unsafe target[index] = chunk.samples[start + index] }
            takenFrames += part
            if part == rest {
                emptied = chunks.removeFirst()
                takenFrames = 0
            }
            return (first, part)
        }
    }

    /// Moves frames from a filling tape to memory, as long as there is room. Call this several times a second.
    func relieve() {
        guard lock.withLock({ tape.waitingFrames >= reliefFrames || tape.waitingJumps >= FrameTape.mostJumps / 4 })
        else { return }
        while moveChunk() {}
    }

    /// Moves the next frames of the tape to memory; false if the tape is empty or the memory full.
    private func moveChunk() -> Bool {
        // Requested outside the lock, for the same reason.
        var samples = [Float](repeating: 0, count: Self.chunkFrames * channelCount)
        return lock.withLock {
            guard chunks.count < mostChunks else { return false }
            let (first, count) = unsafe samples.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return (first: Int64(0), count: 0) }
                return unsafe tape.take(Self.chunkFrames, before: .max, into: base)
            }
            guard count > 0 else { return false }
            samples.removeLast((Self.chunkFrames - count) * channelCount)
            chunks.append(Chunk(first: first, samples: samples))
            return true
        }
    }
}
