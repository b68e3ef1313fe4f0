import Realtime
import RunLog
import Synchronization

/// Figures published by the device thread for other threads, wait-free on the device thread's side.
final class StreamLedger: @unchecked Sendable {
    // Unchecked because of the writers, used only by the device thread.
    let renderTimes = RenderTimeHistogram()
    // All relaxed, in both directions: single figures on which no other memory depends. One writer.
    private let xruns = Atomic<Int64>(0)
    private let lostFrames = Atomic<Int64>(0)
    private let overruns = Atomic<Int64>(0)
    private let lostInputFrames = Atomic<Int64>(0)
    private let blocks = Atomic<Int64>(0)
    private let framesRendered = Atomic<Int64>(0)
    private let framesCaptured = Atomic<Int64>(0)
    private let incidentsMissed = Atomic<Int64>(0)
    private var positionWriter: SnapshotWriter<StreamPosition>
    private let positionReader: Mutex<SnapshotReader<StreamPosition>>
    private var inputWriter: SnapshotWriter<CapturePosition>
    private let inputReader: Mutex<SnapshotReader<CapturePosition>>
    private var incidentWriter: RingProducer<StreamIncident>
    private let incidentReader: Mutex<RingConsumer<StreamIncident>>

    init() {
        let position = SnapshotEnds(initial: StreamPosition(framesWritten: 0, delayFrames: 0))
        positionWriter = position.writer
        positionReader = Mutex(position.reader)
        let input = SnapshotEnds(initial: CapturePosition(nextFrame: 0, waitingFrames: 0))
        inputWriter = input.writer
        inputReader = Mutex(input.reader)
        let incidents = RingEnds<StreamIncident>(capacity: 256)
        incidentWriter = incidents.producer
        incidentReader = Mutex(incidents.consumer)
    }

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func publish(_ position: StreamPosition) { positionWriter.write(position) }

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func publish(_ position: CapturePosition) { inputWriter.write(position) }

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func countXrun(lostFrames lost: Int64) {
        xruns.store(xruns.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        lostFrames.store(lostFrames.load(ordering: .relaxed) &+ lost, ordering: .relaxed)
    }

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func countOverrun(lostFrames lost: Int64) {
        overruns.store(overruns.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        lostInputFrames.store(lostInputFrames.load(ordering: .relaxed) &+ lost, ordering: .relaxed)
    }

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func countBlock(rendered: Int, captured: Int, nanoseconds: Int64) {
        blocks.store(blocks.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        framesRendered.store(framesRendered.load(ordering: .relaxed) &+ Int64(rendered), ordering: .relaxed)
        countCaptured(captured)
        renderTimes.record(nanoseconds: UInt64(max(0, nanoseconds)))
    }

    /// Counts recorded frames delivered to the program. Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func countCaptured(_ frames: Int) {
        framesCaptured.store(framesCaptured.load(ordering: .relaxed) &+ Int64(frames), ordering: .relaxed)
    }

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func report(_ incident: StreamIncident) {
        guard !incidentWriter.push(incident) else { return }
        incidentsMissed.store(incidentsMissed.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    var position: StreamPosition { positionReader.withLock { $0.read() } }
    var inputPosition: CapturePosition { inputReader.withLock { $0.read() } }

    func takeIncidents() -> [StreamIncident] {
        let taken = incidentReader.withLock { reader in
            var incidents: [StreamIncident] = []
            while let incident = reader.pop() { incidents.append(incident) }
            return incidents
        }
        for incident in taken {
            RunLog.note(
                .audio, .warning,
                "\(incident.kind) on the \(incident.side) at frame \(incident.frame), \(incident.lostFrames) lost, recovery: \(incident.recovery)"
            )
        }
        return taken
    }

    func statistics(scheduling: RealtimeReport?) -> StreamStatistics {
        StreamStatistics(
            xruns: xruns.load(ordering: .relaxed), lostFrames: lostFrames.load(ordering: .relaxed),
            blocks: blocks.load(ordering: .relaxed), framesRendered: framesRendered.load(ordering: .relaxed),
            renderTime: renderTimes.summary(), scheduling: scheduling,
            overruns: overruns.load(ordering: .relaxed), lostInputFrames: lostInputFrames.load(ordering: .relaxed),
            framesCaptured: framesCaptured.load(ordering: .relaxed),
            incidentsMissed: incidentsMissed.load(ordering: .relaxed))
    }
}
