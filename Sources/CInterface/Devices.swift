internal import AudioDevices
public import CWoodshed

extension woodshed_device: ListedStruct {
    static var listKind: HandleKind { .deviceList }
}

/// See woodshed.h.
@c @implementation
public func woodshed_device_list_open(_ list: UnsafeMutablePointer<OpaquePointer?>?) -> woodshed_status {
    answer {
        try unsafe Argument.give(list, "the place for the list") {
            let devices = unsafe ListBox<woodshed_device>(availableOutputs() + availableInputs()) {
                (known, _, device, texts) in
                unsafe device.size = UInt32(MemoryLayout<woodshed_device>.stride)
                unsafe device.is_input = known.side == .input ? 1 : 0
                unsafe device.is_default = known.isDefault ? 1 : 0
                unsafe device.name = texts.copy(known.name)
                unsafe device.description = texts.copy(known.description)
            }
            return try unsafe Handles.open(devices)
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_device_list_count(_ list: OpaquePointer?) -> Int {
    unsafe ListBox<woodshed_device>.count(list)
}

/// See woodshed.h.
@c @implementation
public func woodshed_device_list_at(_ list: OpaquePointer?, _ place: Int) -> UnsafePointer<woodshed_device>? {
    unsafe ListBox<woodshed_device>.value(list, place)
}

/// See woodshed.h.
@c @implementation
public func woodshed_device_list_close(_ list: OpaquePointer?) -> woodshed_status {
    unsafe ListBox<woodshed_device>.close(list)
}
