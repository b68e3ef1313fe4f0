import Synchronization

/// Counters of a kept output over all its devices. One device thread at a time counts blocks; the keeper adds the rest.
final class OutputTotals: Sendable {
    private struct Sums {
        var xruns: Int64 = 0
        var lostFrames: Int64 = 0
        var blocks: Int64 = 0
        var framesRendered: Int64 = 0
        var interruptions: Int64 = 0
        var unheardFrames: Int64 = 0
        /// Statistics of the last device, for the time without a device.
        var last: StreamStatistics?
    }

    private let times = RenderTimeHistogram()
    /// Loads, in millionths of the block's time instead of nanoseconds.
    private let loads = RenderTimeHistogram()
    private let sums = Mutex(Sums())

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func countBlock(nanoseconds: Int64, blockNanoseconds: Int64) {
        let time = UInt64(max(0, nanoseconds))
        times.record(nanoseconds: time)
        // Even a wait of hours does not overflow, because the factor is limited first.
        loads.record(nanoseconds: min(time, 1 << 40) &* 1_000_000 / UInt64(max(1, blockNanoseconds)))
    }

    /// Adds the counters of an ended device.
    func close(_ statistics: StreamStatistics) {
        sums.withLock { sums in
            sums.xruns += statistics.xruns
            sums.lostFrames += statistics.lostFrames
            sums.blocks += statistics.blocks
            sums.framesRendered += statistics.framesRendered
            sums.last = statistics
        }
    }

    func count(_ interruption: Interruption) {
        sums.withLock { sums in
            sums.interruptions += 1
            sums.unheardFrames += interruption.unheardFrames
        }
    }

    /// Returns the sums, including the counters of the current device.
    func statistics(with current: StreamStatistics?) -> StreamStatistics {
        let sums = sums.withLock { $0 }
        return StreamStatistics(
            xruns: sums.xruns + (current?.xruns ?? 0), lostFrames: sums.lostFrames + (current?.lostFrames ?? 0),
            blocks: sums.blocks + (current?.blocks ?? 0),
            framesRendered: sums.framesRendered + (current?.framesRendered ?? 0), renderTime: times.summary(),
            scheduling: current?.scheduling ?? sums.last?.scheduling)
    }

    var load: RenderLoad {
        let millionths = loads.summary()
        // The summary treats the values as nanoseconds and returns thousands.
        return RenderLoad(
            median: millionths.medianMicroseconds / 1000, p999: millionths.p999Microseconds / 1000,
            maximum: millionths.maximumMicroseconds / 1000)
    }

    var interruptions: Int64 { sums.withLock { $0.interruptions } }
    var unheardFrames: Int64 { sums.withLock { $0.unheardFrames } }
}
