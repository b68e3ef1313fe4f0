import Glibc
import Synchronization
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

/// A signal that holds up its receiving thread, as a busy machine does.
private let holdUp = SIGUSR2

@Suite("A held-up device thread")
struct HeldUpThreadTests {
    // In a process of its own, because of the signal.
    @Test("a held-up thread plays the end whole on a device that stood still at the same time")
    func end() async {
        await #expect(processExitsWith: .success) {
            signal(holdUp) { _ in usleep(700_000) }
            // The device thread counts a hold-up as three periods of waiting, so a buffer of eight leaves it time to
            // see the device go on.
            var options = VirtualCardOptions()
            options.bufferFramesMax = 65_536
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
            guard rig.waits(until: { rig.truth(.playback).framesTransferred == frames }) else { exit(2) }
            rig.inject(.freeze, .playback, argument: 700)
            guard rig.waits(until: { rig.truth(.playback).faults[.freeze] == 1 }) else { exit(3) }
            let number = thread.load(ordering: .relaxed)
            guard number != 0, pthread_kill(pthread_t(number), holdUp) == 0 else { exit(4) }
            try core.waitUntilFinished()
            exit(rig.truth(.playback).framesMoved >= frames ? 0 : 1)
        }
    }
}
