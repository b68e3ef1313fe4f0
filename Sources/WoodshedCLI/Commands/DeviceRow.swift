// A sound device as this command lists it.
import Woodshed

/// One row of `woodshed devices`.
struct DeviceRow: Equatable {
    /// What `--output` takes.
    let name: String
    let description: String
    let isDefault: Bool
    /// False for `null` and files, which are always there.
    let isHardware: Bool

    var json: JSONValue {
        .object([
            .init("name", .string(name)), .init("description", .string(description)),
            .init("default", .bool(isDefault)),
            .init("kind", .string(isHardware ? "system" : name == "null" ? "null" : "file")),
        ])
    }

    /// What the system offers.
    static func all() -> [DeviceRow] {
        availableOutputs().map { device in
            DeviceRow(
                name: device.name, description: device.description, isDefault: device.isDefault,
                isHardware: device.kind == .system)
        }
    }
}
