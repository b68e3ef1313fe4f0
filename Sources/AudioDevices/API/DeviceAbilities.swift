/// The settings that a device supports, as reported by the device. Some combinations may be impossible.
package struct DeviceAbilities: Sendable, Hashable {
    /// Sample formats by ALSA's names, such as `S16_LE`; for files, by the names of `FileFormat`.
    package let formats: [String]
    /// Channel counts, within the range of a request.
    package let channelCounts: ClosedRange<Int>
    /// The lowest and the highest rate in Hz, within the range of a request.
    package let sampleRates: ClosedRange<Int>
    /// The supported usual rates, in Hz; a device named `plug…` converts to any rate.
    package let usualRates: [Int]

    /// The usual rates, in Hz.
    static let knownRates = [
        8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000, 352_800, 384_000,
    ]

    /// Describes a device. Real-time safe: no.
    package init(formats: [String], channelCounts: ClosedRange<Int>, sampleRates: ClosedRange<Int>, usualRates: [Int]) {
        (self.formats, self.channelCounts) = (formats, channelCounts)
        (self.sampleRates, self.usualRates) = (sampleRates, usualRates)
    }

    /// Returns the abilities of a device that supports every permitted request.
    static func all(formats: [String]) -> DeviceAbilities {
        DeviceAbilities(
            formats: formats, channelCounts: StreamRequest.channelCounts, sampleRates: StreamRequest.sampleRates,
            usualRates: knownRates)
    }
}

extension DeviceAbilities: CustomStringConvertible {
    /// For example `S16_LE, S32_LE; 2 to 8 channels; 44100 to 192000 Hz`.
    package var description: String {
        let channels = Self.range(channelCounts, channelCounts == 1...1 ? "channel" : "channels")
        return [formats.joined(separator: ", "), channels, Self.range(sampleRates, "Hz")].filter { !$0.isEmpty }
            .joined(separator: "; ")
    }

    private static func range(_ limits: ClosedRange<Int>, _ unit: String) -> String {
        limits.count == 1 ? "\(limits.lowerBound) \(unit)" : "\(limits.lowerBound) to \(limits.upperBound) \(unit)"
    }
}
