internal import AudioDevices
internal import Realtime
internal import Synchronization

/// The mixer at a fixed address. The device thread uses the mixer until the last player has ended. The control side
/// uses the mixer only while the device thread does not.
@safe
final class MixerBox: @unchecked Sendable {
    private let mixer: UnsafeMutablePointer<Mixer>
    // All relaxed: each is a single flag, and no other memory depends on it.
    /// Number of blocks with a new wish to play.
    private let wishCount = Atomic<Int64>(0)
    /// `wishCount` at the last `takeWish()`.
    private let takenCount = Atomic<Int64>(0)
    /// `takenCount` at the last `refuseWish()`, until the next block; below 0 for none.
    private let refusedCount = Atomic<Int64>(-1)
    /// Release and acquire: a thread that reads true also finds all events of the last block.
    private let isOver = Atomic<Bool>(false)
    /// True if the stream continues in silence after the last player.
    private let isHeldOpen = Atomic<Bool>(false)
    /// True if later output is discarded.
    private let isCutOff = Atomic<Bool>(false)
    /// A `PauseReason`, by its raw value; below 0 for none.
    private let newReason = Atomic<Int64>(-1)

    init(_ mixer: consuming Mixer) {
        unsafe self.mixer = RealtimeMemory.allocate(Mixer.self, capacity: 1)
        unsafe self.mixer.initialize(to: mixer)
    }

    deinit {
        unsafe mixer.deinitialize(count: 1)
        unsafe RealtimeMemory.deallocate(mixer, capacity: 1)
    }

    /// Device thread only.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func render(_ block: RenderBlock) -> Int {
        // The control side may use the mixer since then.
        if isOver.load(ordering: .relaxed) { return 0 }
        // A refusal leaves a wish made after the keeper began to look: the keeper looks again for this wish.
        if refusedCount.load(ordering: .relaxed) >= 0 {
            let refused = refusedCount.exchange(-1, ordering: .relaxed)
            if refused == wishCount.load(ordering: .relaxed) { unsafe mixer.pointee.forgetWishes() }
        }
        takeNewReason(at: block.outputFrame)
        var end = isCutOff.load(ordering: .relaxed) ? 0 : unsafe mixer.pointee.render(block)
        if isHeldOpen.load(ordering: .relaxed) { end = block.frameCount }
        // Checked again: after the end of its players' waits, a block may be incomplete and must not be played.
        if isCutOff.load(ordering: .relaxed) { end = 0 }
        if unsafe mixer.pointee.takeWish() { wishCount.add(1, ordering: .relaxed) }
        // Release: partner is the acquiring load in `hasEnded`.
        if end < block.frameCount { isOver.store(true, ordering: .releasing) }
        return end
    }

    /// Tells the players a new reason of the loss.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    private func takeNewReason(at frame: Int64) {
        guard newReason.load(ordering: .relaxed) >= 0 else { return }
        unsafe mixer.pointee.changeLoss(reason: newReason.exchange(-1, ordering: .relaxed), at: frame)
    }

    /// Device thread only.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func noteXrun(at frame: Int64, lostFrames: Int64) {
        if isOver.load(ordering: .relaxed) { return }
        unsafe mixer.pointee.noteXrun(at: frame, lostFrames: lostFrames)
    }

    /// Carries out pending additions and removals, as the device thread does before a block. Only while the device
    /// thread cannot begin a block.
    func settle() { unsafe mixer.pointee.applyCommands(at: 0) }

    /// Notes the removal of a player before a block. Only while the device thread cannot begin a block.
    func notePlayed() { unsafe mixer.pointee.notePlayed() }

    /// Ends the stream before the current block. Call this before ending the players' waits. Any thread.
    func cutOff() { isCutOff.store(true, ordering: .relaxed) }

    /// Keeps the stream running in silence after the last player, or stops doing so. Any thread.
    func holdOpen(_ isHeld: Bool) { isHeldOpen.store(isHeld, ordering: .relaxed) }

    /// True if the last player has ended, and the stream with it. The device thread does not use the mixer any more
    /// then. Any thread.
    var hasEnded: Bool {
        // Acquire: partner is the releasing store in `render`.
        isOver.load(ordering: .acquiring)
    }

    // MARK: For the keeper of the output

    /// Between two streams only. The thread of `takeWish()`.
    func interrupt(_ loss: Mixer.Loss) {
        newReason.store(-1, ordering: .relaxed)
        // A wish made as the last device was found is fulfilled.
        _ = takeWish()
        refusedCount.store(-1, ordering: .relaxed)
        unsafe mixer.pointee.interrupt(loss)
    }

    /// Between two streams only.
    func endInterruption(at frame: Int64) {
        // No block may have come since the change.
        takeNewReason(at: frame)
        unsafe mixer.pointee.endInterruption(at: frame)
    }

    /// Returns true if a player wanted to play without a device since the last call. One thread at a time.
    func takeWish() -> Bool {
        let count = wishCount.load(ordering: .relaxed)
        return takenCount.exchange(count, ordering: .relaxed) != count
    }

    /// Changes the reason of players paused by the loss. Any thread.
    func changeLoss(reason: PauseReason) { newReason.store(Int64(reason.rawValue), ordering: .relaxed) }

    /// Drops the requests for a device up to the last `takeWish()`. The thread of `takeWish()`.
    func refuseWish() { refusedCount.store(takenCount.load(ordering: .relaxed), ordering: .relaxed) }
}
