import AudioDevices
import Synchronization
import Testing

/// Plays `total` frames and keeps what the callbacks saw.
final class Recorder: Sendable {
    struct Log: Sendable {
        var channels: [[Float]]
        var blockLengths: [Int] = []
        var prepared: [Int] = []
        var xruns: [(frame: Int64, lost: Int64)] = []
    }

    let total: Int64
    let log: Mutex<Log>

    init(total: Int64, channelCount: Int) {
        self.total = total
        log = Mutex(Log(channels: Array(repeating: [], count: channelCount)))
    }

    /// A sample that tells frame and channel apart, exact in Float32 and in 24 bits.
    static func sample(frame: Int64, channel: Int) -> Float {
        Float((frame * 64 + Int64(channel)) % 8_388_593) / 8_388_608 * (frame % 2 == 0 ? 1 : -1)
    }

    var callbacks: StreamCallbacks {
        StreamCallbacks(
            prepare: { count in self.log.withLock { $0.prepared.append(count) } },
            render: { block in self.render(block) },
            xrun: { frame, lost in self.log.withLock { $0.xruns.append((frame, lost)) } })
    }

    private func render(_ block: RenderBlock) -> Int {
        let valid = Int(min(Int64(block.frameCount), total - block.outputFrame))
        for channel in 0..<block.channelCount {
            for index in 0..<valid {
                let sample = Self.sample(frame: block.outputFrame + Int64(index), channel: channel)
                unsafe block.channels[channel][index] = sample
            }
        }
        log.withLock { log in
            log.blockLengths.append(block.frameCount)
            for channel in 0..<block.channelCount {
                for index in 0..<valid { unsafe log.channels[channel].append(block.channels[channel][index]) }
            }
        }
        return valid
    }
}

@Suite("A stream without a card")
struct ClockedStreamTests {
    @Test(
        "under the virtual clock every block of any size is prepared, then rendered, and the end falls inside a block",
        arguments: [1, 63, 64, 512, 8192])
    func virtualClock(period: Int) throws {
        let total: Int64 = 9001
        let recorder = Recorder(total: total, channelCount: 2)
        let request = try StreamRequest(
            sampleRate: 44_100, channelCount: 2, periodFrames: period, periodCount: 2, clock: .virtual)
        let stream = try openOutput(.null, request)
        try stream.start(recorder.callbacks)
        try stream.waitUntilFinished()
        let log = recorder.log.withLock { $0 }
        #expect(log.prepared == log.blockLengths)
        #expect(log.blockLengths == Array(repeating: period, count: Int(total) / period + 1))
        #expect(log.channels[1] == (0..<total).map { Recorder.sample(frame: $0, channel: 1) })
        #expect(stream.statistics.framesRendered == total)
        #expect(stream.statistics.blocks == log.blockLengths.count)
        #expect(stream.statistics.xruns == 0)
        #expect(stream.position == StreamPosition(framesWritten: total, delayFrames: 0))
    }
}
