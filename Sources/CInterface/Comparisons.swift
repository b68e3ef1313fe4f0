public import CWoodshed
internal import Clips
internal import DSP
internal import Engine
internal import Practice

/// A take and the model for the comparison, as given by a C program.
private struct ComparisonRequest: Sendable {
    let take: String
    let model: String
    let frames: (start: Int64, end: Int64)
    let speed: Speed
    let pitch: Pitch
    let startSeconds: Double

    init(_ take: UnsafePointer<CChar>?, _ model: UnsafePointer<woodshed_passage>?, _ startSeconds: Double) throws {
        guard let model = unsafe model else { throw ArgumentError.missing("the model") }
        guard startSeconds.isFinite else {
            throw ArgumentError("the start of the take is \(startSeconds) s", remedy: "Pass a finite number.")
        }
        let passage = try unsafe Struct.read(model, default: woodshed_passage(), "the model")
        self.take = try unsafe Argument.path(take, "the take")
        self.model = try unsafe Argument.path(passage.path, "the path of the model")
        unsafe frames = (passage.start, passage.end)
        speed = try unsafe Speed(factor: passage.speed == 0 ? 1 : passage.speed)
        pitch = try unsafe Pitch(semitones: passage.semitones)
        self.startSeconds = startSeconds
    }

    func compare() throws -> woodshed_comparison {
        let clip = try Clip(path: model)
        let end = frames.end == 0 ? clip.frameCount : frames.end
        guard frames.start >= 0, frames.start < end, end <= clip.frameCount else {
            throw ArgumentError(
                "the frames \(frames.start) to \(end) are not in the model", remedy: "Pass 0 to \(clip.frameCount).")
        }
        let passage = ComparedPassage(clip: clip, frames: frames.start..<end, speed: speed, pitch: pitch)
        return woodshed_comparison(
            try TakeComparison(of: Clip(path: take), with: passage, start: startSeconds))
    }
}

extension woodshed_comparison {
    /// A comparison in the form of the header.
    fileprivate init(_ comparison: TakeComparison) {
        self.init()
        let measures = comparison.measures
        size = UInt32(MemoryLayout<woodshed_comparison>.stride)
        offset_seconds = comparison.offsetSeconds ?? .nan
        length_ratio = measures.lengthRatio ?? .nan
        spread_seconds = measures.spreadSeconds ?? .nan
        (pitch_offset_cents, pitch_cents) = (measures.pitchOffsetCents ?? .nan, measures.pitchCents ?? .nan)
        energy_decibels = measures.energyDecibels ?? .nan
        hit_attacks = comparison.attacks.map { Int64($0.hits.count) } ?? -1
        missed_attacks = comparison.attacks.map { Int64($0.missedSeconds.count) } ?? -1
        added_attacks = comparison.attacks.map { Int64($0.addedSeconds.count) } ?? -1
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_compare(
    _ take: UnsafePointer<CChar>?, _ model: UnsafePointer<woodshed_passage>?, _ startSeconds: Double,
    _ comparison: UnsafeMutablePointer<woodshed_comparison>?
) -> woodshed_status {
    answer {
        let request = try unsafe ComparisonRequest(take, model, startSeconds)
        guard let comparison = unsafe comparison else { throw ArgumentError.missing("the comparison") }
        _ = try unsafe Struct.size(of: UnsafePointer(comparison), "the comparison")
        try unsafe Struct.write(request.compare(), to: comparison, "the comparison")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_compare_request(
    _ listener: OpaquePointer?, _ take: UnsafePointer<CChar>?, _ model: UnsafePointer<woodshed_passage>?,
    _ startSeconds: Double, _ request: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        let wanted = try unsafe ComparisonRequest(take, model, startSeconds)
        try unsafe Request.make(listener, request) { _ in .comparison(try wanted.compare()) }
    }
}
