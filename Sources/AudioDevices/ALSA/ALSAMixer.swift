import CALSA

/// One control of a sound card's mixer, in one direction.
package struct MixerControl: Sendable, Hashable {
    /// Name of the control in `amixer`, such as `Master`.
    package let name: String
    /// Direction of the sound through the control.
    package let side: StreamIncident.Side
    /// True if any channel is switched on; nil if the control has no switch.
    package let isOn: Bool?
    /// Volume of the loudest channel, from 0 to 1 of the control's range; nil if the control has no volume.
    package let volume: Double?

    /// Describes a control.
    package init(name: String, side: StreamIncident.Side, isOn: Bool?, volume: Double?) {
        self.name = name
        self.side = side
        self.isOn = isOn
        self.volume = volume
    }

    /// True if no sound passes.
    package var isSilent: Bool { isOn == false || volume == 0 }
}

/// Returns the name of the mixer of a device: its card's name, or the device's own name.
package func mixerName(of device: String) -> String {
    HardwareName(device).map { "hw:\($0.card)" } ?? device
}

/// Returns the controls of a mixer, in alsa-lib's simple view; none without such a mixer.
package func mixerControls(_ name: String) -> [MixerControl] {
    ALSALibrary.exclusively {
        var handle: OpaquePointer?
        guard unsafe snd_mixer_open(&handle, 0) >= 0, let mixer = unsafe handle else { return [] }
        defer { unsafe snd_mixer_close(mixer) }
        guard unsafe snd_mixer_attach(mixer, name) >= 0, unsafe snd_mixer_selem_register(mixer, nil, nil) >= 0,
            unsafe snd_mixer_load(mixer) >= 0
        else { return [] }
        var controls: [MixerControl] = []
        var element = unsafe snd_mixer_first_elem(mixer)
        while let present = unsafe element {
            for calls in ElementCalls.both {
                if let control = unsafe MixerControl(present, calls) { controls.append(control) }
            }
            unsafe element = unsafe snd_mixer_elem_next(present)
        }
        return controls
    }
}

/// alsa-lib's calls for one direction of an element: the same six calls under two names each.
@safe
private struct ElementCalls {
    let side: StreamIncident.Side
    let hasSwitch: (OpaquePointer) -> Int32
    let hasVolume: (OpaquePointer) -> Int32
    let hasChannel: (OpaquePointer, snd_mixer_selem_channel_id_t) -> Int32
    let range: (OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<Int>) -> Int32
    let getSwitch: (OpaquePointer, snd_mixer_selem_channel_id_t, UnsafeMutablePointer<Int32>) -> Int32
    let getVolume: (OpaquePointer, snd_mixer_selem_channel_id_t, UnsafeMutablePointer<Int>) -> Int32

    static var both: [ElementCalls] {
        unsafe [
            ElementCalls(
                side: .output, hasSwitch: snd_mixer_selem_has_playback_switch,
                hasVolume: snd_mixer_selem_has_playback_volume, hasChannel: snd_mixer_selem_has_playback_channel,
                range: snd_mixer_selem_get_playback_volume_range, getSwitch: snd_mixer_selem_get_playback_switch,
                getVolume: snd_mixer_selem_get_playback_volume),
            ElementCalls(
                side: .input, hasSwitch: snd_mixer_selem_has_capture_switch,
                hasVolume: snd_mixer_selem_has_capture_volume, hasChannel: snd_mixer_selem_has_capture_channel,
                range: snd_mixer_selem_get_capture_volume_range, getSwitch: snd_mixer_selem_get_capture_switch,
                getVolume: snd_mixer_selem_get_capture_volume),
        ]
    }
}

extension MixerControl {
    /// Reads the state of an element in one direction; nil if the element has neither switch nor volume.
    fileprivate init?(_ element: OpaquePointer, _ calls: ElementCalls) {
        let hasSwitch = unsafe calls.hasSwitch(element) != 0
        let hasVolume = unsafe calls.hasVolume(element) != 0
        guard hasSwitch || hasVolume else { return nil }
        var (low, high) = (0, 0)
        _ = unsafe calls.range(element, &low, &high)
        var (isOn, loudest) = (false, low)
        for number in 0...SND_MIXER_SCHN_LAST.rawValue {
            let channel = snd_mixer_selem_channel_id_t(number)
            guard unsafe calls.hasChannel(element, channel) != 0 else { continue }
            var (value, level): (Int32, Int) = (0, low)
            if unsafe calls.getSwitch(element, channel, &value) >= 0 { isOn = isOn || value != 0 }
            if unsafe calls.getVolume(element, channel, &level) >= 0 { loudest = max(loudest, level) }
        }
        name = unsafe snd_mixer_selem_get_name(element).map { unsafe String(cString: $0) } ?? "?"
        side = calls.side
        self.isOn = hasSwitch ? isOn : nil
        volume = hasVolume ? (high > low ? Double(loudest - low) / Double(high - low) : 1) : nil
    }
}
