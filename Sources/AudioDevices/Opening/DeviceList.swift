// The devices that can be opened, and the abilities of each device.

/// Returns the outputs: the devices listed by ALSA for playback, then `null` and `file:PATH`, which always work.
///
/// Nothing is opened, so a listed device may turn out to be busy or unplugged, and a busy device is listed too. Without
/// a sound card or sound server, the list has no system devices. Each call makes the list anew. Real-time safe: no.
public func availableOutputs() -> [DeviceDescription] {
    ALSALibrary.listedDevices(.output) + [
        DeviceDescription(
            name: "null", description: "Discards the sound, at the pace of the clock", side: .output,
            isDefault: false, kind: .null),
        DeviceDescription(
            name: "file:PATH", description: "Writes a file: WAV, FLAC, Opus, Ogg Vorbis or MP3, by its name",
            side: .output, isDefault: false, kind: .file),
    ]
}

/// Returns the inputs: the devices listed by ALSA for recording, then `null` and `file:PATH`, which always work.
///
/// As with ``availableOutputs()``, nothing is opened. Real-time safe: no.
public func availableInputs() -> [DeviceDescription] {
    ALSALibrary.listedDevices(.input) + [
        DeviceDescription(
            name: "null", description: "Silence, at the pace of the clock", side: .input, isDefault: false,
            kind: .null),
        DeviceDescription(
            name: "file:PATH", description: "A recording of any supported format, to its end", side: .input,
            isDefault: false, kind: .file),
    ]
}

extension DeviceDescription {
    /// Opens the device for a moment and queries its abilities; nothing is played or recorded.
    ///
    /// For `null` and files nothing is opened. If another program holds the device, opening is not retried.
    ///
    /// - Parameter seconds: longest wait. A device that answers later is then closed automatically.
    /// - Throws: `busy`, with the name of the holding program if known; `unresponsive` without an answer in time; and
    ///   the errors of opening.
    ///
    /// Real-time safe: no.
    package func abilities(within seconds: Double = 2) throws(DeviceError) -> DeviceAbilities {
        try pendingAbilities().wait(seconds: seconds)
    }

    /// Starts a query without waiting for the answer, so that several devices can be queried at once.
    package func pendingAbilities() -> PendingAnswer<DeviceAbilities> {
        PendingAnswer(name) { [self] () throws(DeviceError) in
            switch kind {
            case .system: try DeviceAbilities(askedOf: name, side)
            case .null: .all(formats: ["FLOAT"])
            case .file: .all(formats: side == .output ? ["float32", "int16", "int24", "int32"] : ["FLOAT"])
            }
        }
    }
}
