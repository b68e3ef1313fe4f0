public import AudioDevices
public import Realtime

/// Counters of an engine since its start, over all devices on which it has played.
public struct EngineStatistics: Sendable {
    /// How often a device ran dry.
    public let xruns: Int64
    /// About how many frames of silence that caused; no frame of the sound was skipped.
    public let lostFrames: Int64
    /// How often the device was lost.
    public let interruptions: Int64
    /// Frames that were lost in the buffers of lost devices, from the last reported positions: up to a period too many each time.
    public let unheardFrames: Int64
    /// Blocks rendered for a device.
    public let blocks: Int64
    /// Frames rendered for a device.
    public let framesRendered: Int64
    /// The distribution of the times that the mix of a block took.
    public let renderTime: RenderTime
    /// Render time divided by the duration of the block; nil under the virtual clock, which waits for every block.
    public let load: RenderLoad?
    /// What the system granted to the device thread; nil before the start.
    public let scheduling: RealtimeReport?

    /// The scheduling class the device thread obtained: `fifo` with its priority, or `ordinary`.
    package var schedulingClass: String { scheduling?.schedulingClass ?? "ordinary" }
}

extension EngineStatistics {
    /// For an output that is never lost.
    init(_ stream: any OutputStream, isVirtual: Bool) {
        let configuration = stream.configuration
        let statistics = stream.statistics
        let load = RenderLoad(
            statistics.renderTime, periodFrames: configuration.periodFrames, sampleRate: configuration.sampleRate)
        self.init(statistics, load: isVirtual ? nil : load, interruptions: 0, unheardFrames: 0)
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
