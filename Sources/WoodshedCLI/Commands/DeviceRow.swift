// A sound device in the list of `woodshed devices`.
import Files
import JSON
import Terminal
import Woodshed

/// A row of `woodshed devices`.
struct DeviceRow {
    let device: DeviceDescription
    /// The device's abilities, or the error that hides them.
    let abilities: Result<DeviceAbilities, DeviceError>

    /// Timeouts in seconds: for a device's answer before the next query, and for all late devices together.
    private static let (usualSeconds, patienceSeconds) = (0.3, 2.0)

    /// Returns the system's devices in one direction.
    ///
    /// Devices are queried in sequence, because several names may mean the same card. A late device does not delay the
    /// next devices. All devices that never answer cost two seconds together.
    static func all(_ side: StreamIncident.Side) -> [DeviceRow] {
        let devices = side == .output ? availableOutputs() : availableInputs()
        let questions = devices.map { device in
            let question = device.pendingAbilities()
            _ = try? question.wait(seconds: usualSeconds)
            return question
        }
        let deadline = MonotonicTime.now() + Int64(patienceSeconds * 1e9)
        return zip(devices, questions).map { device, question in
            let rest = Double(deadline - MonotonicTime.now()) / 1e9
            return DeviceRow(
                device: device,
                abilities: Result { () throws(DeviceError) in try question.wait(seconds: max(0, rest)) })
        }
    }

    var json: JSONValue {
        .object(
            [
                .init("name", .string(device.name)), .init("description", .string(device.description)),
                .init("default", .bool(device.isDefault)), .init("kind", .string(device.kind.rawValue)),
                .init("direction", .string(device.side == .output ? "output" : "input")),
            ] + details)
    }

    private var details: [JSONValue.Field] {
        switch abilities {
        case .success(let abilities):
            [
                .init("state", .string("ready")),
                .init("formats", .array(abilities.formats.map { .string($0) })),
                .init("channels_min", .integer(abilities.channelCounts.lowerBound)),
                .init("channels_max", .integer(abilities.channelCounts.upperBound)),
                .init("sample_rate_min", .integer(abilities.sampleRates.lowerBound)),
                .init("sample_rate_max", .integer(abilities.sampleRates.upperBound)),
                .init("sample_rates", .array(abilities.usualRates.map { .integer($0) })),
            ]
        case .failure(let error):
            [.init("state", .string(error.kind.rawValue))] + error.fields
        }
    }

    /// The abilities, or the problem, in one line; nil for a device that supports everything.
    var words: String? {
        guard device.kind == .system else { return nil }
        switch abilities {
        case .success(let abilities):
            let (formats, rates, channels) = (abilities.formats, abilities.usualRates, abilities.channelCounts)
            // A converting device supports nearly all formats, so a list of all formats would be useless.
            let formatWords = formats.count > 8 ? "\(formats.count) formats" : formats.joined(separator: ", ")
            let rateWords =
                rates.isEmpty || rates.count > 8
                ? "\(abilities.sampleRates.lowerBound) to \(abilities.sampleRates.upperBound)"
                : rates.map { "\($0)" }.joined(separator: ", ")
            let channelWords =
                channels.count > 1
                ? "\(channels.lowerBound) to \(channels.upperBound) channels"
                : channels == 1...1 ? "1 channel" : "\(channels.lowerBound) channels"
            return "\(rateWords) Hz; \(channelWords); \(formatWords)"
        case .failure(let error): return error.message
        }
    }
}
