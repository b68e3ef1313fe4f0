/// What a device can be set to, as it says itself. Not every combination need be possible.
public struct DeviceAbilities: Sendable, Hashable {
    /// Sample formats by ALSA's names, such as `S16_LE`; of files, those of `FileFormat`.
    public let formats: [String]
    /// Channels, within what a request may ask for.
    public let channelCounts: ClosedRange<Int>
    /// The lowest and the highest rate in Hz, within what a request may ask for.
    public let sampleRates: ClosedRange<Int>
    /// Of the usual rates those it takes, in Hz; what is named `plug…` converts to any.
    public let usualRates: [Int]

    /// The rates that are looked for, in Hz.
    static let knownRates = [
        8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000, 352_800, 384_000,
    ]

    /// Describes a device. Real-time safe: no.
    package init(formats: [String], channelCounts: ClosedRange<Int>, sampleRates: ClosedRange<Int>, usualRates: [Int]) {
        (self.formats, self.channelCounts) = (formats, channelCounts)
        (self.sampleRates, self.usualRates) = (sampleRates, usualRates)
    }

    /// What takes everything a request may ask for.
    static func all(formats: [String]) -> DeviceAbilities {
        DeviceAbilities(
            formats: formats, channelCounts: StreamRequest.channelCounts, sampleRates: StreamRequest.sampleRates,
            usualRates: knownRates)
    }
}

extension DeviceAbilities: CustomStringConvertible {
    /// Such as `S16_LE, S32_LE; 2 to 8 channels; 44100 to 192000 Hz`.
    public var description: String {
        let channels = Self.range(channelCounts, channelCounts == 1...1 ? "channel" : "channels")
        return [formats.joined(separator: ", "), channels, Self.range(sampleRates, "Hz")].filter { !$0.isEmpty }
            .joined(separator: "; ")
    }

    private static func range(_ limits: ClosedRange<Int>, _ unit: String) -> String {
        limits.count == 1 ? "\(limits.lowerBound) \(unit)" : "\(limits.lowerBound) to \(limits.upperBound) \(unit)"
    }
}

extension DeviceDescription {
    /// Opens the device for a moment and asks what it can be set to; nothing is played or recorded.
    ///
    /// For `null` and files nothing is opened. A device that another program holds is not waited for.
    ///
    /// - Parameter seconds: how long it may take. A device that answers later is closed then, by itself.
    /// - Throws: `busy`, naming who holds it where that is known, `unresponsive` when there was no answer in time, and what
    ///   opening throws.
    ///
    /// Real-time safe: no.
    public func abilities(within seconds: Double = 2) throws(DeviceError) -> DeviceAbilities {
        try pendingAbilities().wait(seconds: seconds)
    }

    /// Starts a query without waiting for it, so that several devices can be queried at once.
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
