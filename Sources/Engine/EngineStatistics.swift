public import AudioDevices
public import Realtime

/// Counters of an engine since its start, over all devices of the engine so far.
public struct EngineStatistics: Sendable {
    /// Number of times a device ran dry.
    public let xruns: Int64
    /// Approximate number of silent frames caused by xruns; no frame of the sound was skipped.
    public let lostFrames: Int64
    /// Number of losses of the device.
    package let interruptions: Int64
    /// Number of frames lost in the buffers of lost devices, from the last reported positions: up to a period too many
    /// at each loss.
    package let unheardFrames: Int64
    /// Number of blocks rendered for a device.
    public let blocks: Int64
    /// Number of frames rendered for a device.
    package let framesRendered: Int64
    /// The distribution of the mix's time per block.
    public let renderTime: RenderTime
    /// Render time divided by the duration of the block; nil under the virtual clock, which waits for every block.
    package let load: RenderLoad?
    /// Scheduling that the system granted to the device thread; nil before the start.
    public let scheduling: RealtimeReport?

    /// The scheduling class of the device thread: `fifo` with its priority, or `ordinary`.
    package var schedulingClass: String { scheduling?.schedulingClass ?? "ordinary" }
}

extension EngineStatistics {
    /// For an output that is never lost.
    init(_ stream: any OutputStream) {
        let configuration = stream.configuration
        let statistics = stream.statistics
        let load = RenderLoad(
            statistics.renderTime, periodFrames: configuration.periodFrames, sampleRate: configuration.sampleRate)
        self.init(statistics, load: stream.clock == .virtual ? nil : load, interruptions: 0, unheardFrames: 0)
    }

    /// For an output that outlives its devices.
    init(_ kept: KeptOutput) {
        self.init(
            kept.statistics, load: kept.load, interruptions: kept.interruptions, unheardFrames: kept.unheardFrames)
    }

    private init(_ statistics: StreamStatistics, load: RenderLoad?, interruptions: Int64, unheardFrames: Int64) {
        self.init(
            xruns: statistics.xruns, lostFrames: statistics.lostFrames, interruptions: interruptions,
            unheardFrames: unheardFrames, blocks: statistics.blocks, framesRendered: statistics.framesRendered,
            renderTime: statistics.renderTime, load: load, scheduling: statistics.scheduling)
    }
}
