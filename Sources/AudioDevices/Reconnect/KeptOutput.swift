// Reconnecting: an output that outlives its device. Without a device, a null stream asks for frames at the device's
// pace. So the renderer has one continuous time from the start to the end. This code decides when to look for a device
// and which device to try; the renderer decides on the effects of a loss on the sound.
internal import Realtime
internal import Synchronization

/// Functions of a kept output that inform and ask the renderer.
///
/// `interrupted` and `returned` are called while nothing is rendered: their changes apply from the next frame on. All
/// functions are called on a thread that may wait, and must not stop the output.
package struct KeeperCallbacks: Sendable {
    /// Reports the loss of the device. `resumes` is true if playing players resume by themselves once a device is
    /// found.
    let interrupted: @Sendable (_ interruption: Interruption, _ resumes: Bool) -> Void
    /// Reports a found device, the lost device or another, which plays from `frame` on.
    let returned: @Sendable (_ configuration: StreamConfiguration, _ frame: Int64, _ isOther: Bool) -> Void
    /// Reports a needed device that cannot be used. `goesOnLooking` is true if the search continues, and `isTaken` if
    /// another program has the lost device.
    let missing: @Sendable (DeviceError, _ goesOnLooking: Bool, _ isTaken: Bool) -> Void
    /// Returns true if a player wanted sound since the last call, and clears the wish.
    let takesWish: @Sendable () -> Bool

    /// Makes a set of callbacks.
    package init(
        interrupted: @escaping @Sendable (Interruption, Bool) -> Void,
        returned: @escaping @Sendable (StreamConfiguration, Int64, Bool) -> Void,
        missing: @escaping @Sendable (DeviceError, Bool, Bool) -> Void, takesWish: @escaping @Sendable () -> Bool
    ) {
        self.interrupted = interrupted
        self.returned = returned
        self.missing = missing
        self.takesWish = takesWish
    }
}

/// An output on a device that may be lost and found again. Unlike for other streams, a callback must not stop this
/// output.
package final class KeptOutput: OutputStream, EndingStream {
    package let clock = StreamClock.real
    package let configuration: StreamConfiguration
    private let keeper: Keeper
    private let thread = Mutex<RealtimeThread?>(nil)

    /// Opens the device, as `openOutput` does and with its errors; for the real clock only.
    package init(
        _ device: OutputDevice, _ request: StreamRequest, policy: LossPolicy, callbacks: KeeperCallbacks
    ) throws(DeviceError) {
        let first = try openOutput(device, request)
        configuration = first.configuration
        do {
            // A fallback to `null` or a file goes on at the pace of the device.
            keeper = try Keeper(
                first, device: device.stable(), request: request.withRealClock(), policy: policy, callbacks: callbacks)
        } catch {
            first.stop()
            throw error
        }
    }

    deinit { stop() }

    package var position: StreamPosition { keeper.position }
    package var statistics: StreamStatistics { keeper.statistics }
    package var hasEnded: Bool { keeper.isOver }
    package func takeIncidents() -> [StreamIncident] { keeper.takeIncidents() }
    /// Render time divided by the duration of a block, over all devices.
    package var load: RenderLoad { keeper.totals.load }
    /// Number of losses of the device.
    package var interruptions: Int64 { keeper.totals.interruptions }
    /// Frames lost in the buffers of lost devices.
    package var unheardFrames: Int64 { keeper.totals.unheardFrames }

    package func start(_ callbacks: StreamCallbacks) throws(DeviceError) {
        let plain = RealtimeThread.Configuration(priority: nil, locksMemory: false, stackBytes: 256 * 1024)
        let failure: DeviceError? = thread.withLock { thread in
            guard thread == nil, !keeper.isStopping else {
                return DeviceError(
                    kind: .invalidRequest, message: "the output has been used already",
                    remedy: "Open the device anew for each run.")
            }
            do throws(DeviceError) {
                try keeper.start(callbacks)
                // The thread holds the keeper, never this object, so the release of this object can end the thread.
                do throws(RealtimeThreadError) {
                    thread = try RealtimeThread(name: "woodshed-keeper", configuration: plain) { [keeper] in
                        keeper.keep(callbacks)
                    }
                } catch {
                    keeper.stop()
                    throw DeviceError(error)
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    package func stop() {
        keeper.stop()
        thread.withLock { $0 }?.join()
    }

    package func waitUntilFinished() throws(DeviceError) {
        guard let thread = thread.withLock({ $0 }) else { return }
        thread.join()
        if let error = keeper.failure { throw error }
    }
}
