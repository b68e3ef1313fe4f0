internal import AudioDevices
public import CWoodshed
internal import Glibc

/// A list of devices, in the form of the header.
@safe
final class DeviceListBox: Handled, @unchecked Sendable {
    // Unchecked because of the memory, which does not change.
    static var kind: HandleKind { .deviceList }

    let count: Int
    private let devices: UnsafeMutablePointer<woodshed_device>

    init(_ descriptions: [DeviceDescription]) {
        count = descriptions.count
        unsafe devices = .allocate(capacity: max(1, count))
        for (index, description) in descriptions.enumerated() {
            var device = unsafe woodshed_device()
            unsafe device.size = UInt32(MemoryLayout<woodshed_device>.stride)
            unsafe device.is_input = description.side == .input ? 1 : 0
            unsafe device.is_default = description.isDefault ? 1 : 0
            unsafe device.name = UnsafePointer(strdup(description.name))
            unsafe device.description = UnsafePointer(strdup(description.description))
            unsafe (devices + index).initialize(to: device)
        }
    }

    deinit {
        for index in 0..<count {
            unsafe free(UnsafeMutablePointer(mutating: devices[index].name))
            unsafe free(UnsafeMutablePointer(mutating: devices[index].description))
        }
        unsafe devices.deallocate()
    }

    /// Valid as long as the list.
    func device(at place: Int) -> UnsafePointer<woodshed_device>? {
        unsafe (0..<count).contains(place) ? UnsafePointer(devices + place) : nil
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_device_list_open(_ list: UnsafeMutablePointer<OpaquePointer?>?) -> woodshed_status {
    answer {
        try unsafe Argument.give(list, "the place for the list") {
            try unsafe Handles.open(DeviceListBox(availableOutputs() + availableInputs()))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_device_list_count(_ list: OpaquePointer?) -> Int {
    var count = 0
    _ = answer { count = try (unsafe Handles.object(list) as DeviceListBox).count }
    return count
}

/// See woodshed.h.
@c @implementation
public func woodshed_device_list_at(_ list: OpaquePointer?, _ place: Int) -> UnsafePointer<woodshed_device>? {
    var device: UnsafePointer<woodshed_device>?
    _ = answer { unsafe device = try (Handles.object(list) as DeviceListBox).device(at: place) }
    return unsafe device
}

/// See woodshed.h.
@c @implementation
public func woodshed_device_list_close(_ list: OpaquePointer?) -> woodshed_status {
    answer { _ = try unsafe Handles.close(list) as DeviceListBox? }
}
