import CALSA
import Glibc

extension ALSALibrary {
    /// Names listed by alsa-lib that are not devices: its own null, and converters that need a slave.
    private static let notDevices: Set<String> = [
        "null", "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix",
    ]

    /// Returns the devices listed by alsa-lib for one direction, without opening the devices.
    static func listedDevices(_ side: StreamIncident.Side) -> [DeviceDescription] {
        exclusively {
            var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
            guard unsafe snd_device_name_hint(-1, "pcm", &hints) >= 0, let hints = unsafe hints else { return [] }
            defer { unsafe snd_device_name_free_hint(hints) }
            var devices: [DeviceDescription] = []
            var index = 0
            while let hint = unsafe hints[index] {
                if let device = unsafe describe(hint, side) { devices.append(device) }
                index += 1
            }
            return devices
        }
    }

    private static func describe(_ hint: UnsafeMutableRawPointer, _ side: StreamIncident.Side) -> DeviceDescription? {
        guard let name = unsafe text(hint, "NAME"), !notDevices.contains(name) else { return nil }
        guard unsafe belongs(text(hint, "IOID"), to: side) else { return nil }
        let lines = unsafe (text(hint, "DESC") ?? name).split(separator: "\n")
        return DeviceDescription(
            name: name, description: lines.joined(separator: ", "), side: side, isDefault: name == "default",
            kind: .system)
    }

    /// Returns true if a device is listed for a direction, given alsa-lib's word for its direction; a device without
    /// such a word has both.
    static func belongs(_ direction: String?, to side: StreamIncident.Side) -> Bool {
        direction == nil || direction == (side == .output ? "Output" : "Input")
    }

    private static func text(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
        guard let value = unsafe snd_device_name_get_hint(hint, key) else { return nil }
        defer { unsafe free(value) }
        return unsafe String(cString: value)
    }
}
