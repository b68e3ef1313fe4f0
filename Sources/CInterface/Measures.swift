internal import AudioFiles
public import CWoodshed
internal import Clips
internal import DSP
internal import Waveforms

/// The outline of a recording, opened by a C program.
final class WaveformBox: Handled {
    static var kind: HandleKind { .waveform }

    let waveform: Waveform

    init(_ waveform: Waveform) { self.waveform = waveform }
}

extension woodshed_loudness {
    /// Measures a whole recording, or the part read while `isWanted` returns true.
    static func measured(_ path: String, while isWanted: () -> Bool = { true }) throws -> woodshed_loudness {
        woodshed_loudness(try MeasuredRecording(path: path).reading(while: isWanted))
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_measure(
    _ path: UnsafePointer<CChar>?, _ loudness: UnsafeMutablePointer<woodshed_loudness>?
) -> woodshed_status {
    answer {
        let path = try unsafe Argument.path(path, "the path")
        guard let loudness = unsafe loudness else { throw ArgumentError.missing("the loudness") }
        _ = try unsafe Struct.size(of: UnsafePointer(loudness), "the loudness")
        try unsafe Struct.write(woodshed_loudness.measured(path), to: loudness, "the loudness")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_measure_request(
    _ listener: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ request: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        let path = try unsafe Argument.path(path, "the path")
        try unsafe Request.make(listener, request) { request in
            .loudness(try woodshed_loudness.measured(path, while: { !request.isCancelled }))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_waveform_open(
    _ path: UnsafePointer<CChar>?, _ waveform: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(waveform, "the place for the waveform") {
            let maker = try WaveformMaker(path: unsafe Argument.path(path, "the path"), tones: false)
            return try unsafe Handles.open(WaveformBox(try maker.make()))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_waveform_request(
    _ listener: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ request: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        let path = try unsafe Argument.path(path, "the path")
        try unsafe Request.make(listener, request) { request in
            let maker = try WaveformMaker(path: path, tones: false)
            request.whenCancelled { maker.cancel() }
            return .opened(.waveform, try Handles.number(opening: WaveformBox(maker.make())))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_waveform_get_columns(
    _ waveform: OpaquePointer?, _ start: Int64, _ end: Int64, _ channel: Int32,
    _ columns: UnsafeMutablePointer<woodshed_column>?, _ count: Int
) -> woodshed_status {
    answer {
        let known = try (unsafe Handles.object(waveform) as WaveformBox).waveform
        guard let columns = unsafe columns else { throw ArgumentError.missing("the place for the columns") }
        guard (1...1 << 20).contains(count) else {
            throw ArgumentError("\(count) columns are wanted", remedy: "Ask for 1 to 1048576.")
        }
        guard (-1..<Int32(clamping: known.channelCount)).contains(channel) else {
            throw ArgumentError("there is no channel \(channel)", remedy: "Pass 0 to \(known.channelCount - 1), or -1.")
        }
        guard start >= 0, start < end, end <= known.frameCount else {
            throw ArgumentError(
                "the frames \(start) to \(end) are not in the recording", remedy: "Pass 0 to \(known.frameCount).")
        }
        let made = known.summary(frames: start..<end, columns: count, channel: channel < 0 ? nil : Int(channel))
        for index in 0..<count {
            let column = made.indices.contains(index) ? made[index] : .empty
            unsafe columns[index] = woodshed_column(
                minimum: column.isEmpty ? 0 : column.minimum, maximum: column.isEmpty ? 0 : column.maximum,
                rms: column.isEmpty ? 0 : column.rms, is_clipped: column.isClipped ? 1 : 0)
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_waveform_get_frames(
    _ waveform: OpaquePointer?, _ frames: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        let known = try (unsafe Handles.object(waveform) as WaveformBox).waveform
        guard let frames = unsafe frames else { throw ArgumentError.missing("the place for the frames") }
        unsafe frames.pointee = known.frameCount
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_waveform_close(_ waveform: OpaquePointer?) -> woodshed_status {
    answer { _ = try unsafe Handles.close(waveform) as WaveformBox? }
}
