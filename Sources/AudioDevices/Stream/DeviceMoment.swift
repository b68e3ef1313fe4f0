/// A device's position at a moment: the frame that was leaving the device, or being recorded, with its monotonic time
/// in nanoseconds.
struct DeviceMoment: Sendable, BitwiseCopyable {
    let frame: Int64
    let time: Int64
}
