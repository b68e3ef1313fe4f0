import CALSA
import Glibc

/// A sound card, or any other device for which alsa-lib has a plug-in: its output, its input, or both.
@safe
final class ALSABackend: StreamBackend, @unchecked Sendable {
    // Unchecked because of the handles: each goes from the opening thread to the device thread, or to `discard`, never
    // both.
    let clock = StreamClock.real
    private let output: OpenedPCM?
    private let input: OpenedPCM?
    private let prefillFrames: Int
    private let hostClock: HostClock
    let outputConfiguration: StreamConfiguration
    let inputConfiguration: StreamConfiguration
    let blockFrames: Int

    /// Opens and sets up the device; nothing moves until `run`. `now` and `asleep` are for tests on a card with a clock
    /// of its own.
    ///
    /// At least one name is required.
    convenience init(
        output outputName: String? = nil, input inputName: String? = nil, _ request: StreamRequest,
        inputRequest: StreamRequest? = nil, preferences: ALSAPreferences = ALSAPreferences(),
        now: (@Sendable () -> Int64)? = nil, asleep: (@Sendable () -> Int64)? = nil
    ) throws(DeviceError) {
        let (opened, other) = try Self.open(
            outputName, inputName, request, inputRequest: inputRequest ?? request, preferences)
        try self.init(opened, other, request, now: now, asleep: asleep)
    }

    /// Takes over the open handles; closes the handles if the initialiser throws.
    init(
        _ opened: OpenedPCM?, _ other: OpenedPCM?, _ request: StreamRequest, now: (@Sendable () -> Int64)?,
        asleep: (@Sendable () -> Int64)? = nil
    ) throws(DeviceError) {
        hostClock = HostClock(now: now, asleep: asleep)
        do throws(DeviceError) {
            let block = try Self.agreeOnBlock(opened, other)
            outputConfiguration = opened?.configuration(blockFrames: block) ?? .absent
            inputConfiguration = other?.configuration(blockFrames: block) ?? .absent
            let buffer = opened?.settings.bufferFrames ?? 0
            prefillFrames = min(buffer, block * request.periodCount) / block * block
            (output, input, blockFrames) = (opened, other, block)
        } catch {
            other?.close()
            opened?.close()
            throw error
        }
    }

    static func open(
        _ outputName: String?, _ inputName: String?, _ request: StreamRequest, inputRequest: StreamRequest,
        _ preferences: ALSAPreferences
    ) throws(DeviceError) -> (OpenedPCM?, OpenedPCM?) {
        guard request.clock != .virtual else {
            throw DeviceError(
                kind: .invalidRequest,
                message: "the device \(outputName ?? inputName ?? "") cannot run by the virtual clock",
                remedy: "Use null or a file such as file:out.wav, or the real clock.")
        }
        let opened = try OpenedPCM.open(outputName, .output, request, preferences)
        do throws(DeviceError) {
            return (opened, try OpenedPCM.open(inputName, .input, inputRequest, preferences))
        } catch {
            opened?.close()
            throw error
        }
    }

    /// Sets both sides to the same block size and to a wake-up for each block.
    private static func agreeOnBlock(_ output: OpenedPCM?, _ input: OpenedPCM?) throws(DeviceError) -> Int {
        let block = min(output?.settings.blockFrames ?? .max, input?.settings.blockFrames ?? .max)
        if let output, let input, output.settings.sampleRate != input.settings.sampleRate {
            throw DeviceError(
                kind: .formatRefused,
                message: "\(output.name) plays at \(output.settings.sampleRate) Hz, and \(input.name) records at "
                    + "\(input.settings.sampleRate) Hz",
                remedy: "Ask for a rate that both have, or use plug devices such as plughw:0.")
        }
        try output?.setSoftwareParameters(wakeFrames: block)
        try input?.setSoftwareParameters(wakeFrames: block)
        // Every plug-in refuses to link; then both sides are started one right after the other.
        if let output, let input { _ = unsafe snd_pcm_link(output.pcm, input.pcm) }
        return block
    }

    func run(_ worker: BlockWorker, wake: WakeSignal) throws(StreamFault) {
        do throws(StreamFault) {
            try ALSALibrary.quietly { () throws(StreamFault) in
                let loop = ALSALoop(
                    playback: try Self.side(output, .output), capture: try Self.side(input, .input),
                    prefillFrames: prefillFrames, worker: worker, wake: wake, clock: hostClock)
                try loop.run()
            }
        } catch {
            if error.isSilence { discardInTime() } else { discard() }
            throw error
        }
        discard()
    }

    /// Closes a device that no longer answers. Its driver may block for seconds, so the report of the loss waits at
    /// most 0.2 s.
    private func discardInTime() {
        let closing = PendingAnswer(outputConfiguration.deviceName) { [self] in discard() }
        do throws(DeviceError) { try closing.wait(seconds: 0.2) } catch {
            // Without a thread the closing has not begun, and a device left open could not be opened again.
            if error.kind != .unresponsive { discard() }
        }
    }

    private static func side(
        _ opened: OpenedPCM?, _ side: StreamIncident.Side
    ) throws(StreamFault) -> ALSASide? {
        guard let opened else { return nil }
        guard let made = unsafe ALSASide(opened.pcm, side, settings: opened.settings) else {
            throw .call(.setUp, code: -ENOMEM, side)
        }
        return made
    }

    func discard() {
        input?.close()
        output?.close()
    }
}

/// One direction of a device, open and set up.
@safe
struct OpenedPCM: @unchecked Sendable {
    let pcm: OpaquePointer
    let name: String
    let settings: HardwareSettings

    /// Time for which opening a busy device is retried, and the pause between attempts, both in microseconds.
    private static let busyPatience: UInt32 = 1_000_000
    private static let busyPause: UInt32 = 50_000

    /// Opens a direction by its name; nil for nil. A busy device is retried for a second, because programs release
    /// devices late.
    static func open(
        _ name: String?, _ side: StreamIncident.Side, _ request: StreamRequest, _ preferences: ALSAPreferences
    ) throws(DeviceError) -> OpenedPCM? {
        guard var name else { return nil }
        if request.isExclusive { name = try HardwareName.exclusive(name) }
        var waited: UInt32 = 0
        while true {
            do throws(DeviceError) {
                return try ALSALibrary.quietly { () throws(DeviceError) in
                    try openOnce(name, side, request, preferences)
                }
            } catch {
                guard error.kind == .busy else { throw error }
                guard waited < busyPatience, !preferences.opensAgain else {
                    throw .busy(
                        name, holders: preferences.files.holders(of: name, side), isExclusive: request.isExclusive)
                }
            }
            usleep(busyPause)
            waited += busyPause
        }
    }

    private static func openOnce(
        _ name: String, _ side: StreamIncident.Side, _ request: StreamRequest, _ preferences: ALSAPreferences
    ) throws(DeviceError) -> OpenedPCM {
        var handle: OpaquePointer?
        let code = unsafe ALSALibrary.open(&handle, name, side)
        guard code >= 0, let pcm = unsafe handle else { throw DeviceError.opening(name, side, code: code) }
        do throws(DeviceError) {
            let negotiation = try unsafe HardwareNegotiation(
                pcm, name: name, request: request, preferences: preferences)
            return unsafe OpenedPCM(pcm: pcm, name: name, settings: try negotiation.install())
        } catch {
            unsafe ALSALibrary.close(pcm)
            throw error
        }
    }

    func setSoftwareParameters(wakeFrames: Int) throws(DeviceError) {
        try ALSALibrary.quietly { () throws(DeviceError) in
            try unsafe SoftwareParameters.set(
                pcm, name: name, bufferFrames: settings.bufferFrames, wakeFrames: wakeFrames)
        }
    }

    func close() {
        unsafe ALSALibrary.close(pcm)
    }

    func configuration(blockFrames: Int) -> StreamConfiguration {
        StreamConfiguration(
            sampleRate: settings.sampleRate, channelCount: settings.channelCount, periodFrames: blockFrames,
            bufferFrames: settings.bufferFrames,
            formatName: unsafe snd_pcm_format_name(settings.format).map { unsafe String(cString: $0) } ?? "?",
            accessName: unsafe snd_pcm_access_name(settings.access).map { unsafe String(cString: $0) } ?? "?",
            deviceName: name)
    }
}
