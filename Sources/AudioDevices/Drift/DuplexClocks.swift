import CALSA

/// Choice between one clock and two for an output and an input of the system.
public enum DuplexClocks: Sendable, Hashable, CaseIterable {
    /// One clock if both have the same card number, or the same name if ALSA reports no number (as for sound servers);
    /// otherwise two clocks.
    case automatic
    /// One clock: both run on one thread, with the least latency. Wrong for two cards: their drift ends in restarts.
    case one
    /// Two clocks: the input is converted to the output's clock. Works for any devices, with about one buffer of extra
    /// latency.
    case two

    func areTwo(_ output: OpenedPCM, _ input: OpenedPCM) -> Bool {
        switch self {
        case .one: return false
        case .two: return true
        case .automatic:
            if let played = output.card, let recorded = input.card { return played != recorded }
            return output.name != input.name
        }
    }
}

extension OpenedPCM {
    /// The number of the card; nil if a plug-in does not report the number.
    fileprivate var card: Int32? {
        var information: OpaquePointer?
        guard unsafe snd_pcm_info_malloc(&information) >= 0 else { return nil }
        defer { unsafe snd_pcm_info_free(information) }
        guard unsafe snd_pcm_info(pcm, information) >= 0 else { return nil }
        let number = unsafe snd_pcm_info_get_card(information)
        return number >= 0 ? number : nil
    }
}

extension ALSABackend {
    /// Opens a duplex stream of two devices: on one thread if both share a clock, otherwise on two with a bridge in
    /// between.
    ///
    /// `now` is for tests on cards with a clock of their own.
    static func duplex(
        output outputName: String, input inputName: String, _ request: StreamRequest, inputRequest: StreamRequest,
        clocks: DuplexClocks, now: (@Sendable () -> Int64)? = nil
    ) throws(DeviceError) -> any DuplexStream {
        let (opened, other) = try open(
            outputName, inputName, request, inputRequest: inputRequest, ALSAPreferences())
        guard let opened, let other, clocks.areTwo(opened, other) else {
            return try DeviceDuplex(StreamCore(ALSABackend(opened, other, request, now: now), request))
        }
        let output: ALSABackend
        do throws(DeviceError) {
            output = try ALSABackend(opened, nil, request, now: now)
        } catch {
            other.close()
            throw error
        }
        let input: ALSABackend
        do throws(DeviceError) {
            input = try ALSABackend(nil, other, inputRequest, now: now)
        } catch {
            output.discard()
            throw error
        }
        return try BridgedDuplex(output: output, input: input, request)
    }
}
