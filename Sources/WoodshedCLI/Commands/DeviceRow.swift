// A sound device as this command lists it.

/// A device as this command lists it.
struct DeviceRow: Equatable {
    /// What `--output` takes.
    let name: String
    let description: String
    let isDefault: Bool
    /// False for `null` and files, which are always there.
    let isHardware: Bool
}
