// Keeping: an output that outlives its device. While there is no device, frames go on being asked for at their pace and go
// nowhere, so that whoever renders has one thread of time from the start to the end. It decides when to look for a device and
// which; what a loss means to the sound is decided by whoever renders.
internal import Realtime
internal import Synchronization

/// What a kept output tells, and asks, whoever renders.
///
/// `interrupted` and `returned` are called while nothing is rendered: what they change is heard from the next frame on. All
/// are called on a thread that may wait, and must not stop the output.
package struct KeeperCallbacks: Sendable {
    /// The device is lost. `resumes` tells whether what plays now is to go on by itself once there is a device.
    let interrupted: @Sendable (_ interruption: Interruption, _ resumes: Bool) -> Void
    /// There is a device, the lost one or another; it plays from `frame` on.
    let returned: @Sendable (_ configuration: StreamConfiguration, _ frame: Int64, _ isOther: Bool) -> Void
    /// A device that was wanted is not to be had, for whatever reason; it is not for want of looking. `isTaken` tells whether
    /// another program has the one that was lost.
    let missing: @Sendable (DeviceError, _ goesOnLooking: Bool, _ isTaken: Bool) -> Void
    /// Takes out whether somebody wants to hear something since the last call.
    let takesWish: @Sendable () -> Bool

    /// Gathers the functions.
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

/// An output on a device that may be lost and found again. Unlike of other streams, a callback must not stop it.
package final class KeptOutput: OutputStream {
    package let configuration: StreamConfiguration
    private let keeper: Keeper
    private let thread = Mutex<RealtimeThread?>(nil)

    /// Opens the device, as `openOutput` does and with its errors; by the real clock only.
    package init(
        _ device: OutputDevice, _ request: StreamRequest, policy: LossPolicy, callbacks: KeeperCallbacks
    ) throws(DeviceError) {
        let first = try openOutput(device, request)
        configuration = first.configuration
        do {
            keeper = try Keeper(first, device: device.stable(), request: request, policy: policy, callbacks: callbacks)
        } catch {
            first.stop()
            throw error
        }
    }

    deinit { stop() }

    package var position: StreamPosition { keeper.position }
    package var statistics: StreamStatistics { keeper.statistics }
    package func takeIncidents() -> [StreamIncident] { keeper.takeIncidents() }
    /// Render time over the time of a block, on all devices.
    package var load: RenderLoad { keeper.totals.load }
    /// How often the device was lost.
    package var interruptions: Int64 { keeper.totals.interruptions }
    /// Frames that went to devices and were lost with them.
    package var unheardFrames: Int64 { keeper.totals.unheardFrames }

    package func start(_ callbacks: StreamCallbacks) throws(DeviceError) {
        let plain = RealtimeThread.Configuration(priority: nil, locksMemory: false, stackBytes: 256 * 1024)
        let failure: DeviceError? = thread.withLock { thread in
            guard thread == nil, !keeper.isStopping else {
                return DeviceError(
                    kind: .invalidRequest, message: "the output has been used already",
                    remedy: "Open the device anew for each playing.")
            }
            do throws(DeviceError) {
                try keeper.start(callbacks)
                // The thread holds the keeper, never this: so the release of this can end the thread.
                do throws(RealtimeThreadError) {
                    thread = try RealtimeThread(name: "woodshed-keeper", configuration: plain) { [keeper] in
                        keeper.keep(callbacks)
                    }
                } catch {
                    keeper.stop()
                    throw DeviceError(kind: .io, message: error.message, remedy: error.remedy)
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
