import Realtime
import Synchronization

/// The input's half of a bridge: passes on recorded frames, and where the device stands. On the input's thread.
@safe
final class BridgeWriter: @unchecked Sendable {
    // Unchecked because the input's thread alone uses it, but for `isRunning`.
    private var tape: FrameTapeWriter
    private var clockWriter: SnapshotWriter<SmoothedClock>
    private var clock: SmoothedClock
    // Relaxed: looked at while the stream is started, and nothing else depends on it.
    private let hasBegun = Atomic<Bool>(false)

    init(_ plan: BridgePlan, tape: consuming FrameTapeWriter, clock: consuming SnapshotWriter<SmoothedClock>) {
        self.tape = tape
        clockWriter = clock
        self.clock = SmoothedClock(sampleRate: plan.inputRate)
    }

    /// Whether the input has told where it stands. Any thread.
    var isRunning: Bool { hasBegun.load(ordering: .relaxed) }

    /// Learns where the input stands. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func observe(_ moment: DeviceMoment) {
        clock.observe(moment)
        clockWriter.write(clock)
        hasBegun.store(true, ordering: .relaxed)
    }

    /// The input was started again. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func noteRestart() { clock.restart() }

    /// Passes a block on; what finds no room is missing afterwards, and known to be. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func take(_ block: CaptureBlock) { _ = tape.write(block) }
}
