import AudioDevices
import Synchronization
import VirtualCardSupport

/// The known sound, of a given length, with a log of the requests; real-time safe as a stream's callbacks must be.
@safe
final class TestSound: @unchecked Sendable {
    // Unchecked because of the pointers: the device thread alone writes, tests read after the stream has finished.
    private let samples: UnsafeMutablePointer<Float>
    private let blocks: UnsafeMutablePointer<Int>
    private static let blockCapacity = 100_000
    private let blockCount = Atomic<Int>(0)
    private let xrunCount = Atomic<Int>(0)
    private let lastXrunFrame = Atomic<Int64>(-1)
    private let lostFrames = Atomic<Int64>(0)
    private let preparations = Mutex<[Int]>([])

    let frameCount: Int
    let channelCount: Int

    /// `frameCount` frames; Int.max never ends and is silent.
    init(frameCount: Int, channelCount: Int) {
        self.frameCount = frameCount
        self.channelCount = channelCount
        let stored = frameCount == .max ? 0 : frameCount * channelCount
        unsafe samples = .allocate(capacity: stored)
        unsafe blocks = .allocate(capacity: Self.blockCapacity)
        unsafe blocks.initialize(repeating: 0, count: Self.blockCapacity)
        for channel in 0..<channelCount where stored > 0 {
            let known = KnownSound.channel(channel, frames: 0..<frameCount)
            unsafe (samples + channel * frameCount).initialize(from: known, count: frameCount)
        }
    }

    deinit {
        unsafe samples.deallocate()
        unsafe blocks.deallocate()
    }

    /// All samples of a channel.
    func channel(_ channel: Int) -> [Float] { KnownSound.channel(channel, frames: 0..<frameCount) }

    var blockLengths: [Int] { (0..<blockCount.load(ordering: .acquiring)).map { unsafe blocks[$0] } }
    var prepared: [Int] { preparations.withLock { $0 } }
    var xruns: (count: Int, lastFrame: Int64, lostFrames: Int64) {
        (
            xrunCount.load(ordering: .acquiring), lastXrunFrame.load(ordering: .acquiring),
            lostFrames.load(ordering: .acquiring)
        )
    }

    /// The callbacks; `onRender` runs first in each block, in real time.
    func callbacks(onRender: @escaping @Sendable (RenderBlock) -> Void = { _ in }) -> StreamCallbacks {
        StreamCallbacks(
            prepare: { count in self.preparations.withLock { $0.append(count) } },
            render: { block in
                onRender(block)
                return self.render(block)
            },
            xrun: { frame, lost in
                self.xrunCount.wrappingAdd(1, ordering: .releasing)
                self.lastXrunFrame.store(frame, ordering: .releasing)
                self.lostFrames.wrappingAdd(lost, ordering: .releasing)
            })
    }

    private func render(_ block: RenderBlock) -> Int {
        let index = blockCount.load(ordering: .relaxed)
        if index < Self.blockCapacity {
            unsafe blocks[index] = block.frameCount
            blockCount.store(index + 1, ordering: .releasing)
        }
        guard frameCount != .max else {
            for channel in 0..<block.channelCount {
                unsafe block.channels[channel].update(repeating: 0, count: block.frameCount)
            }
            return block.frameCount
        }
        return copy(to: block)
    }

    /// Copies the sound's part of a block, and returns the number of frames; for the device thread.
    func copy(to block: RenderBlock) -> Int {
        let valid = max(0, min(block.frameCount, frameCount - Int(block.outputFrame)))
        for channel in 0..<block.channelCount {
            let start = unsafe samples + (channel % channelCount) * frameCount + Int(block.outputFrame)
            unsafe block.channels[channel].update(from: start, count: valid)
        }
        return valid
    }
}
