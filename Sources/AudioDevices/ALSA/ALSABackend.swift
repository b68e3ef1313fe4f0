import CALSA
import Glibc

/// A sound card, or whatever else alsa-lib has a plug-in for.
@safe
final class ALSABackend: OutputBackend, @unchecked Sendable {
    // Unchecked because of the handle: it goes from the opening thread to the device thread, or to `discard`, never both.
    private let pcm: OpaquePointer
    private let settings: HardwareSettings
    let configuration: StreamConfiguration

    /// Opens and sets up the device; nothing is played until `run`.
    init(
        name: String, _ request: StreamRequest, preferences: ALSAPreferences = ALSAPreferences()
    ) throws(DeviceError) {
        guard request.clock == .real else {
            throw DeviceError(
                kind: .invalidRequest, message: "the device \(name) cannot run by the virtual clock",
                remedy: "Play to null or to file:out.wav, or by the real clock.")
        }
        let opened = try ALSALibrary.exclusively { () throws(DeviceError) in
            try Self.open(name, request, preferences)
        }
        unsafe pcm = opened.pcm
        settings = opened.settings
        configuration = Self.configuration(name, settings)
    }

    func run(_ renderer: BlockRenderer, wake: WakeSignal) throws(DeviceError) {
        defer { close() }
        try ALSALibrary.quietly { () throws(DeviceError) in
            let playback = try unsafe ALSAPlayback(
                pcm, settings: settings, configuration: configuration, renderer: renderer, wake: wake)
            try playback.play()
        }
    }

    func discard() { close() }

    private func close() {
        ALSALibrary.exclusively { _ = unsafe snd_pcm_close(pcm) }
    }

    /// What opening gives, to be taken out of the library's lock.
    @safe
    private struct Opened: @unchecked Sendable {
        let pcm: OpaquePointer
        let settings: HardwareSettings
    }

    private static func open(
        _ name: String, _ request: StreamRequest, _ preferences: ALSAPreferences
    ) throws(DeviceError) -> Opened {
        var handle: OpaquePointer?
        // Non-blocking throughout: every wait is a poll with a deadline, a busy device an error at once.
        let code = unsafe snd_pcm_open(&handle, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
        guard code >= 0, let pcm = unsafe handle else { throw DeviceError.opening(name, code: code) }
        do throws(DeviceError) {
            let negotiation = try unsafe HardwareNegotiation(
                pcm, name: name, request: request, preferences: preferences)
            let settings = try negotiation.settle()
            try unsafe SoftwareParameters.set(
                pcm, name: name, bufferFrames: settings.bufferFrames, wakeFrames: settings.blockFrames)
            return unsafe Opened(pcm: pcm, settings: settings)
        } catch {
            unsafe snd_pcm_close(pcm)
            throw error
        }
    }

    private static func configuration(_ name: String, _ settings: HardwareSettings) -> StreamConfiguration {
        StreamConfiguration(
            sampleRate: settings.sampleRate, channelCount: settings.channelCount,
            periodFrames: settings.blockFrames, bufferFrames: settings.bufferFrames,
            formatName: unsafe snd_pcm_format_name(settings.format).map { unsafe String(cString: $0) } ?? "?",
            accessName: unsafe snd_pcm_access_name(settings.access).map { unsafe String(cString: $0) } ?? "?",
            deviceName: name)
    }
}

extension HardwareSettings {
    /// Frames to a block: the device's period, unless it is longer than blocks may be.
    var blockFrames: Int { min(devicePeriodFrames, bufferFrames, 8192) }
}
