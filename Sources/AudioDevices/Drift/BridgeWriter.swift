import Realtime
import Synchronization

/// The input's half of a bridge: passes on recorded frames and the device's position. Used on the input's thread.
@safe
final class BridgeWriter: @unchecked Sendable {
    // Unchecked because only the input's thread uses it, except for `isRunning`.
    private var tape: FrameTapeWriter
    private var clockWriter: SnapshotWriter<SmoothedClock>
    private var clock: SmoothedClock
    // Relaxed: read while the stream is started, and nothing else depends on this flag.
    private let hasBegun = Atomic<Bool>(false)

    init(_ plan: BridgePlan, tape: consuming FrameTapeWriter, clock: consuming SnapshotWriter<SmoothedClock>) {
        self.tape = tape
        clockWriter = clock
        self.clock = SmoothedClock(sampleRate: plan.inputRate)
    }

    /// True if the input has reported its position. Any thread.
    var isRunning: Bool { hasBegun.load(ordering: .relaxed) }

    /// Takes the input's position. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func observe(_ moment: DeviceMoment) {
        clock.observe(moment)
        clockWriter.write(clock)
        hasBegun.store(true, ordering: .relaxed)
    }

    /// Notes a restart of the input. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func noteRestart() { clock.restart() }

    /// Passes a block on. Frames without room are missing afterwards, and the reader sees the gap. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func take(_ block: CaptureBlock) { _ = tape.write(block) }
}
