internal import AudioDevices
public import CWoodshed
internal import Recording

/// Measurement of the path from an output to an input.
private struct CalibrationRequest: Sendable {
    let output: OutputDevice
    let input: InputDevice
    let stream: StreamRequest

    init(
        _ output: UnsafePointer<CChar>?, _ input: UnsafePointer<CChar>?,
        _ options: UnsafePointer<woodshed_engine_options>?
    ) throws {
        let request = try unsafe EngineRequest(options)
        try request.refusePlaying()
        self.output = try OutputDevice(parsing: unsafe Argument.path(output, "the output"))
        self.input = try InputDevice(parsing: unsafe Argument.path(input, "the input"))
        stream = try request.stream()
    }

    func measure() throws -> woodshed_round_trip {
        let measured = try RoundTrip.measure(output: output, input: input, stream)
        var trip = woodshed_round_trip()
        trip.size = UInt32(MemoryLayout<woodshed_round_trip>.stride)
        trip.input_channel = Int32(clamping: measured.inputChannel)
        (trip.frames, trip.spread_frames) = (measured.frames, measured.spreadFrames)
        (trip.reported_frames, trip.gain_decibels) = (measured.reportedFrames, measured.gainDecibels)
        trip.is_inverted = measured.isInverted ? 1 : 0
        trip.sample_rate = Int32(clamping: measured.setup.sampleRate)
        return trip
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_calibrate(
    _ output: UnsafePointer<CChar>?, _ input: UnsafePointer<CChar>?,
    _ options: UnsafePointer<woodshed_engine_options>?, _ trip: UnsafeMutablePointer<woodshed_round_trip>?
) -> woodshed_status {
    answer {
        guard let trip = unsafe trip else { throw ArgumentError.missing("the place for the round trip") }
        _ = try unsafe Struct.size(of: UnsafePointer(trip), "the round trip")
        let request = try unsafe CalibrationRequest(output, input, options)
        try unsafe Struct.write(request.measure(), to: trip, "the round trip")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_calibrate_request(
    _ listener: OpaquePointer?, _ output: UnsafePointer<CChar>?, _ input: UnsafePointer<CChar>?,
    _ options: UnsafePointer<woodshed_engine_options>?, _ request: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        let wanted = try unsafe CalibrationRequest(output, input, options)
        try unsafe Request.make(listener, request) { _ in .roundTrip(try wanted.measure()) }
    }
}
