internal import AudioDevices
internal import AudioFiles
public import CWoodshed
internal import Clips
internal import Engine
internal import Glibc

/// A clip, with its texts for C.
@safe
final class ClipBox: Handled, @unchecked Sendable {
    // Unchecked because of the texts, which do not change.
    static var kind: HandleKind { .clip }

    let clip: Clip
    let container: UnsafeMutablePointer<CChar>?
    let codec: UnsafeMutablePointer<CChar>?

    init(_ clip: Clip) {
        self.clip = clip
        unsafe (container, codec) = (strdup(clip.info.container), strdup(clip.info.codec))
    }

    deinit {
        unsafe free(container)
        unsafe free(codec)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_clip_open(
    _ engine: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ clip: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(clip, "the place for the clip") {
            let box: EngineBox = try unsafe Handles.object(engine)
            return try unsafe Handles.open(ClipBox(box.engine.load(Argument.path(path, "the path"))))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_clip_request(
    _ listener: OpaquePointer?, _ engine: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ request: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        let box: EngineBox = try unsafe Handles.object(engine)
        let path = try unsafe Argument.path(path, "the path")
        try unsafe Request.make(listener, request) { _ in
            .opened(.clip, try Handles.number(opening: ClipBox(box.engine.load(path))))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_clip_open_memory(
    _ engine: OpaquePointer?, _ channels: UnsafePointer<UnsafePointer<Float>?>?, _ channelCount: Int32,
    _ frames: Int64, _ clip: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(clip, "the place for the clip") {
            let box: EngineBox = try unsafe Handles.object(engine)
            guard let channels = unsafe channels else { throw ArgumentError.missing("channels") }
            guard (1...64).contains(channelCount), (1...Int64(1 << 31)).contains(frames) else {
                throw ArgumentError(
                    "a clip has \(channelCount) channels and \(frames) frames",
                    remedy: "Pass 1 to 64 channels, and 1 to 2147483648 frames.")
            }
            let samples = try unsafe (0..<Int(channelCount)).map { channel in
                guard let samples = unsafe channels[channel] else { throw ArgumentError.missing("a channel") }
                return unsafe UnsafeBufferPointer(start: samples, count: Int(frames))
            }
            let made = try unsafe Clip.inMemory(
                copying: samples, sampleRate: box.engine.configuration.sampleRate)
            return try unsafe Handles.open(ClipBox(made))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_clip_get_info(
    _ clip: OpaquePointer?, _ info: UnsafeMutablePointer<woodshed_clip_info>?
) -> woodshed_status {
    answer {
        let box: ClipBox = try unsafe Handles.object(clip)
        var answer = unsafe woodshed_clip_info()
        unsafe answer.channels = Int32(clamping: box.clip.channelCount)
        unsafe answer.sample_rate = Int32(clamping: box.clip.sampleRate)
        unsafe answer.file_rate = Int32(clamping: box.clip.info.sampleRate)
        unsafe (answer.frames, answer.file_frames) = (box.clip.frameCount, box.clip.info.frameCount)
        unsafe answer.container = UnsafePointer(box.container)
        unsafe answer.codec = UnsafePointer(box.codec)
        try unsafe Struct.write(answer, to: info, "the information")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_clip_get_frame_of_file(
    _ clip: OpaquePointer?, _ fileFrame: Int64, _ clipFrame: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        let clip = try (unsafe Handles.object(clip) as ClipBox).clip
        guard let clipFrame = unsafe clipFrame else { throw ArgumentError.missing("the place for the frame") }
        guard (0...clip.info.frameCount).contains(fileFrame) else {
            throw ArgumentError(
                "the file has no frame \(fileFrame)", remedy: "Pass 0 to \(clip.info.frameCount).")
        }
        unsafe clipFrame.pointee = clip.frame(forFileFrame: fileFrame)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_clip_close(_ clip: OpaquePointer?) -> woodshed_status {
    answer { _ = try unsafe Handles.close(clip) as ClipBox? }
}

/// See woodshed.h.
@c @implementation
public func woodshed_plan_get_frames(
    _ plan: UnsafePointer<woodshed_plan>?, _ clip: OpaquePointer?, _ frames: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        guard let frames = unsafe frames else { throw ArgumentError.missing("the place for the frames") }
        let score = try unsafe PracticePlan.score(plan, for: (Handles.object(clip) as ClipBox).clip)
        unsafe frames.pointee = score.frameCount ?? -1
    }
}
