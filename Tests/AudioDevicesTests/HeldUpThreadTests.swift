import Files
import Glibc
import Synchronization
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

/// A signal that holds up its receiving thread, as a busy machine does.
private let holdUp = SIGUSR2

/// The monotonic time at which the signal was received, in nanoseconds; 0 before.
private let heldSince = Atomic<Int64>(0)

@Suite("A held-up device thread")
struct HeldUpThreadTests {
    private static let standstillMilliseconds: Int64 = 700

    // In a process of its own, because of the signal.
    @Test("a held-up thread plays the end whole on a device that stood still at the same time")
    func end() async {
        await #expect(processExitsWith: .success) {
            // Before the handler, which must not be the first to use the variable.
            heldSince.store(0, ordering: .relaxed)
            signal(holdUp) { _ in
                heldSince.store(MonotonicTime.now(), ordering: .relaxed)
                usleep(700_000)
            }
            // A busy machine may deliver the signal after the standstill, but not each time.
            for _ in 0..<20 {
                if let isWhole = try Self.playsWhole() { exit(isWhole ? 0 : 1) }
            }
            exit(2)
        }
    }

    /// Whether a sound was played to its end; nil if the thread was not held up while the device stood still.
    private static func playsWhole() throws -> Bool? {
        heldSince.store(0, ordering: .relaxed)
        // The device thread counts a hold-up as three periods of waiting, so a buffer of eight leaves it time to
        // see the device go on.
        var options = VirtualCardOptions()
        options.bufferFramesMax = 65_536
        // The last of 80 000 frames is passed on when the device has played 16 384.
        options.playbackFaults = "freeze@24000:\(standstillMilliseconds)"
        let rig = try VirtualCardRig(options)
        let request = try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: 8192, periodCount: 8, realtimePriority: nil)
        let core = try StreamCore(ALSABackend(output: rig.name, request), request)
        let frames = 80_000
        let thread = Atomic<UInt>(0)
        let sound = TestSound(frameCount: frames, channelCount: 2)
        let callbacks = sound.callbacks { _ in
            // Threads of streams block signals.
            var signals = sigset_t()
            _ = unsafe (sigemptyset(&signals), sigaddset(&signals, holdUp))
            _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            thread.store(UInt(pthread_self()), ordering: .relaxed)
        }
        try core.start(StreamWork(callbacks))
        guard rig.waits(until: { rig.truth(.playback).faults[.freeze] == 1 }) else { exit(3) }
        let isPassedOn = rig.truth(.playback).framesTransferred == frames
        let number = thread.load(ordering: .relaxed)
        guard number != 0, pthread_kill(pthread_t(number), holdUp) == 0 else { return nil }
        try core.waitUntilFinished()
        let held = heldSince.load(ordering: .relaxed)
        guard isPassedOn, held > 0, let standstill = rig.records.first(where: { $0.fault == .freeze }),
            held < standstill.time + standstillMilliseconds * 1_000_000
        else { return nil }
        return rig.truth(.playback).framesMoved >= frames
    }
}
