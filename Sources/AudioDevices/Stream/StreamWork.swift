import Realtime

/// The callbacks of a stream, in one form for playing, recording and both: a missing side has no channels.
struct StreamWork: Sendable {
    let prepare: @Sendable (Int) -> Void
    /// Returns the number of valid frames; fewer than the block end the stream.
    let process: @Sendable (DuplexBlock) -> Int
    let xrun: @Sendable (Int64, Int64) -> Void
    let overrun: @Sendable (Int64, Int64) -> Void
    /// Called before each block with the device's position; nil if the position is not needed.
    let moment: (@Sendable (DeviceMoment) -> Void)?

    /// The callbacks for a device with a clock of its own.
    init(
        process: @escaping @Sendable (DuplexBlock) -> Int,
        xrun: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in },
        overrun: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in },
        moment: @escaping @Sendable (DeviceMoment) -> Void
    ) {
        prepare = { _ in }
        self.process = process
        self.xrun = xrun
        self.overrun = overrun
        self.moment = moment
    }

    init(_ callbacks: StreamCallbacks) {
        let render = callbacks.render
        prepare = callbacks.prepare
        process = { render($0.output) }
        xrun = callbacks.xrun
        overrun = { _, _ in }
        moment = nil
    }

    init(_ callbacks: CaptureCallbacks) {
        let capture = callbacks.capture
        prepare = callbacks.prepare
        process = { capture($0.input) ? $0.input.frameCount : 0 }
        xrun = { _, _ in }
        overrun = callbacks.overrun
        moment = nil
    }

    init(_ callbacks: DuplexCallbacks) {
        prepare = callbacks.prepare
        process = callbacks.process
        xrun = callbacks.xrun
        overrun = callbacks.overrun
        moment = nil
    }
}
