import AudioDevices
import Synchronization

/// The frames delivered by an input, kept for tests, with a log of the deliveries; real-time safe as a stream's
/// callbacks must be.
@safe
final class Tape: @unchecked Sendable {
    // Unchecked because of the memory: the device thread alone writes, tests read after the stream has finished.
    private let samples: UnsafeMutablePointer<Float>
    private let frames: UnsafeMutablePointer<Int64>
    private let capacity: Int
    private let channelCapacity: Int
    private let count = Atomic<Int>(0)
    private let channels = Atomic<Int>(0)
    private let overrunCount = Atomic<Int>(0)
    private let lost = Atomic<Int64>(0)

    /// Keeps up to `capacity` frames; later frames are dropped.
    init(capacity: Int, channelCapacity: Int = 2) {
        self.capacity = capacity
        self.channelCapacity = channelCapacity
        unsafe samples = .allocate(capacity: capacity * channelCapacity)
        unsafe samples.initialize(repeating: .nan, count: capacity * channelCapacity)
        unsafe frames = .allocate(capacity: capacity)
        unsafe frames.initialize(repeating: -1, count: capacity)
    }

    deinit {
        unsafe samples.deallocate()
        unsafe frames.deallocate()
    }

    /// Delivered frames.
    var frameCount: Int { min(capacity, count.load(ordering: .acquiring)) }
    /// The numbers of the delivered frames.
    var inputFrames: [Int64] { (0..<frameCount).map { unsafe frames[$0] } }
    var overruns: (count: Int, lostFrames: Int64) {
        (overrunCount.load(ordering: .acquiring), lost.load(ordering: .acquiring))
    }

    /// A channel's delivered samples, one after another.
    func channel(_ channel: Int) -> [Float] {
        (0..<frameCount).map { unsafe samples[$0 * channelCapacity + channel] }
    }

    /// The delivered samples, interleaved.
    var interleaved: [Float] {
        let used = channels.load(ordering: .acquiring)
        return (0..<frameCount).flatMap { frame in
            (0..<used).map { unsafe samples[frame * channelCapacity + $0] }
        }
    }

    /// Takes a block; returns whether there is room for more.
    func take(_ block: CaptureBlock) -> Bool {
        let first = count.load(ordering: .relaxed)
        channels.store(min(block.channelCount, channelCapacity), ordering: .relaxed)
        let taken = min(block.frameCount, capacity - first)
        for frame in 0..<max(0, taken) {
            unsafe frames[first + frame] = block.inputFrame + Int64(frame)
            for channel in 0..<min(block.channelCount, channelCapacity) {
                unsafe samples[(first + frame) * channelCapacity + channel] = block.channels[channel][frame]
            }
        }
        count.store(first + block.frameCount, ordering: .releasing)
        return first + block.frameCount < capacity
    }

    func noteOverrun(_ frames: Int64) {
        overrunCount.wrappingAdd(1, ordering: .releasing)
        lost.wrappingAdd(frames, ordering: .releasing)
    }

    /// The callbacks of an input that ends when the tape is full.
    func callbacks() -> CaptureCallbacks {
        CaptureCallbacks(
            capture: { self.take($0) },
            overrun: { _, lost in self.noteOverrun(lost) })
    }
}
