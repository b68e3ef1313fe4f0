// The cost of a stretcher: processor time of every block of 64 frames of 44.1 kHz stereo, and its calls of the
// allocator.
import CAllocationCounter
@_spi(Benchmarks) import Engine
import Glibc
import SoundMeasures
import StretchPeers
import Woodshed

/// The cost of one contender at one speed: the median of several runs by the share of a core.
struct CostRow: Sendable {
    static let blockFrames = 64
    static let deadlineMicroseconds = Double(blockFrames) / Double(TestSignals.sampleRate) * 1e6

    let cpuPercent: Double
    let p999Microseconds: Double
    let maximumMicroseconds: Double
    let firstMicroseconds: Double
    /// From the second pass of a loop on; for a peer, the same as the first pass.
    let laterPercent: Double
    /// Calls of the allocator in the second half of the run; for Woodshed, 1 stands for any number. Nil if unknown.
    let allocations: Int?

    init(_ contender: Contender, _ channels: [[Float]], speed: Double, runs: Int) throws {
        let all = try (0..<runs).map { _ in
            if let peer = contender.peer { return CostRow(peer, channels, speed) }
            return try CostRow(ours: channels, speed)
        }
        let middle = all.sorted { $0.cpuPercent < $1.cpuPercent }[runs / 2]
        // The longest block is the most disturbed by the machine: the calmest run says most about the code.
        self.init(
            cpuPercent: middle.cpuPercent, p999: middle.p999Microseconds,
            maximum: all.map(\.maximumMicroseconds).min() ?? 0, first: all.map(\.firstMicroseconds).min() ?? 0,
            laterPercent: all.map(\.laterPercent).sorted()[runs / 2], allocations: middle.allocations)
    }

    private init(
        cpuPercent: Double, p999: Double, maximum: Double, first: Double, laterPercent: Double, allocations: Int?
    ) {
        self.cpuPercent = cpuPercent
        p999Microseconds = p999
        maximumMicroseconds = maximum
        firstMicroseconds = first
        self.laterPercent = laterPercent
        self.allocations = allocations
    }

    private init(ours channels: [[Float]], _ speed: Double) throws {
        let clip = try Clip.inMemory(channels, sampleRate: TestSignals.sampleRate)
        let speeds = SpeedSchedule.constant(try Speed(factor: speed))
        let trial = try RenderTrial(
            clip, score: try Ours.score(clip, speeds), periodFrames: Self.blockFrames, watchesHeap: true)
        let loop = try RenderTrial(
            clip, score: try Ours.score(clip, speeds, passes: 3), periodFrames: Self.blockFrames)
        self.init(
            cpuPercent: trial.cpuPercent, p999: trial.p999Microseconds, maximum: trial.maximumMicroseconds,
            first: trial.firstBlockMicroseconds, laterPercent: loop.laterPassesCPUPercent ?? .nan,
            allocations: trial.touchesHeap.map { $0 ? 1 : 0 })
    }

    private init(_ peer: stretch_peer_kind, _ channels: [[Float]], _ speed: Double) {
        let voice = PeerVoice(peer, source: channels, speed: speed)
        let blocks = stretchedCount(channels, speed) / Self.blockFrames
        var times = [Double](repeating: 0, count: blocks)
        var allocations: UInt64 = 0
        for block in 0..<blocks {
            if block == blocks / 2 { allocations = allocation_counter_allocations() }
            let begin = threadMicroseconds()
            voice.render(Self.blockFrames)
            times[block] = threadMicroseconds() - begin
        }
        allocations = allocation_counter_allocations() - allocations
        let sorted = times.sorted()
        let percent = 100 * times.reduce(0, +) / (Double(blocks) * Self.deadlineMicroseconds)
        self.init(
            cpuPercent: percent, p999: sorted[blocks * 999 / 1000], maximum: sorted[blocks - 1], first: times[0],
            laterPercent: percent, allocations: Int(allocations))
    }
}

/// The cost of many simultaneous voices: each voice finds the caches as the other voices left them.
struct ChoirRow: Sendable {
    static let voiceCount = 9

    /// The share of a core of all together.
    let cpuPercent: Double
    let maximumMicroseconds: Double

    /// Of several runs the middle of the shares, and the calmest longest block.
    init(_ contender: Contender, _ channels: [[Float]], speed: Double, runs: Int) throws {
        let all = try (0..<runs).map { _ in
            try contender.peer.map { Self.peers($0, channels, speed) } ?? Self.ours(channels, speed)
        }
        let shares = all.map { times in
            100 * times.reduce(0, +) / (Double(times.count) * CostRow.deadlineMicroseconds)
        }
        cpuPercent = shares.sorted()[runs / 2]
        maximumMicroseconds = all.map { $0.max() ?? 0 }.min() ?? 0
    }

    private static func ours(_ channels: [[Float]], _ speed: Double) throws -> [Double] {
        let clip = try Clip.inMemory(channels, sampleRate: TestSignals.sampleRate)
        let score = try Ours.score(clip, .constant(try Speed(factor: speed)))
        let trial = try RenderTrial(
            clip, score: score, periodFrames: CostRow.blockFrames, playerCount: voiceCount)
        return trial.blockMicroseconds.map { Double($0) }
    }

    private static func peers(_ peer: stretch_peer_kind, _ channels: [[Float]], _ speed: Double) -> [Double] {
        let voices = (0..<voiceCount).map { _ in PeerVoice(peer, source: channels, speed: speed) }
        return (0..<stretchedCount(channels, speed) / CostRow.blockFrames).map { _ in
            let begin = threadMicroseconds()
            for voice in voices { voice.render(CostRow.blockFrames) }
            return threadMicroseconds() - begin
        }
    }
}

/// The processor time of rendering a whole recording in seconds: all threads, for Woodshed including analysis.
func wholeRenderSeconds(_ contender: Contender, _ channels: [[Float]], speed: Double, runs: Int) throws -> Double {
    try (0..<runs).map { _ in
        let begin = seconds(of: CLOCK_PROCESS_CPUTIME_ID)
        _ = try contender.stretched(channels, speed: speed)
        return seconds(of: CLOCK_PROCESS_CPUTIME_ID) - begin
    }.sorted()[runs / 2]
}

/// The calling thread's processor time, by the method of the engine's own trial.
func threadMicroseconds() -> Double {
    seconds(of: CLOCK_THREAD_CPUTIME_ID) * 1e6
}

private func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
