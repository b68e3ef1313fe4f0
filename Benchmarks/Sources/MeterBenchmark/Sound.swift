// A sound in both meters' layouts: planar for Woodshed, interleaved for the peer.
import DSP
import Glibc
import MeterPeers
import SoundMeasures

@safe
final class Sound {
    let name: String
    let frameCount: Int
    let channelCount: Int
    let sampleRate: Int
    private let planar: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private let interleaved: UnsafeMutablePointer<Float>

    init(_ name: String, _ channels: [[Float]], sampleRate: Int = TestSignals.sampleRate) {
        self.name = name
        self.sampleRate = sampleRate
        frameCount = channels[0].count
        channelCount = channels.count
        unsafe planar = .allocate(capacity: channels.count)
        unsafe interleaved = .allocate(capacity: channels.count * channels[0].count)
        for (index, channel) in channels.enumerated() {
            let memory = UnsafeMutablePointer<Float>.allocate(capacity: channel.count)
            for frame in channel.indices {
                unsafe (memory + frame).initialize(to: channel[frame])
                unsafe (interleaved + frame * channels.count + index).initialize(to: channel[frame])
            }
            unsafe (planar + index).initialize(to: memory)
        }
    }

    deinit {
        for index in 0..<channelCount { unsafe planar[index].deallocate() }
        unsafe planar.deallocate()
        unsafe interleaved.deallocate()
    }

    /// Passes the sound to a meter in blocks.
    func inBlocks(of blockFrames: Int = 4096, _ body: (UnsafePointer<UnsafeMutablePointer<Float>>, Int) -> Void) {
        let block = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: channelCount)
        defer { unsafe block.deallocate() }
        var done = 0
        while done < frameCount {
            let count = min(blockFrames, frameCount - done)
            for channel in 0..<channelCount { unsafe (block + channel).initialize(to: planar[channel] + done) }
            unsafe body(UnsafePointer(block), count)
            done += count
        }
    }

    /// Our integrated loudness.
    func loudness() -> Double {
        var meter = LoudnessMeter(.init(sampleRate: sampleRate, channelCount: channelCount))
        unsafe inBlocks { unsafe meter.process($0, frameCount: $1) }
        return meter.levels.integrated
    }

    /// Our true peak in dB.
    func truePeak() -> Double {
        var meter = TruePeakMeter(channelCount: channelCount)
        unsafe inBlocks { unsafe meter.process($0, frameCount: $1) }
        meter.finish()
        return meter.decibels
    }

    /// All our meters.
    func programme() -> ProgrammeReading {
        var meter = ProgrammeMeter(.init(sampleRate: sampleRate, channelCount: channelCount))
        unsafe inBlocks { unsafe meter.process($0, frameCount: $1) }
        return meter.finish()
    }

    /// The peer's reading; nil if unavailable.
    func peer(loudness: Bool, truePeak: Bool) -> meter_peer_reading? {
        var reading = meter_peer_reading()
        let isRead = unsafe meter_peer_measure(
            interleaved, frameCount, UInt32(channelCount), UInt(sampleRate), loudness, truePeak, &reading)
        return isRead ? reading : nil
    }
}
