internal import AudioFiles
internal import Clips
internal import Samples

/// Model and take side by side, frame by frame: four lanes, left and right of each.
///
/// Cuts fade over 5 ms, so that nothing clicks: the model at its end, the take where it extends before or after the
/// pair. The model's first frame and a take's own beginning and end stay unchanged. The bits depend on the frame alone,
/// unless the model is rendered during reading: frames must then be read once and in order. One thread at a time.
final class PairSound {
    let layout: PairLayout
    /// The gains of both.
    var gains = PairGains()
    private let model: any ModelSound
    private let take: LaneReader
    /// Frames per second of both.
    let sampleRate: Int
    private let fadeFrames: Int64

    private static let fadeSeconds = 0.005

    /// Pointers to the four lanes, valid as long as their block. A carrier only, without access.
    @safe
    struct Lanes {
        var modelLeft, modelRight, takeLeft, takeRight: UnsafeMutablePointer<Float>
    }

    init(_ layout: PairLayout, model: any ModelSound, take: Clip) {
        (self.layout, self.model) = (layout, model)
        self.take = LaneReader(take)
        sampleRate = take.sampleRate
        fadeFrames = max(1, Int64(Self.fadeSeconds * Double(take.sampleRate)))
    }

    /// Reads `count` frames, starting at `frame`, within the pair.
    func read(from frame: Int64, count: Int, into lanes: Lanes) throws {
        let known = Int(min(Int64(count), max(0, layout.modelFrames - frame)))
        if known > 0 {
            try unsafe model.read(from: frame, count: known, left: lanes.modelLeft, right: lanes.modelRight)
        }
        for index in known..<count {
            unsafe (lanes.modelLeft[index], lanes.modelRight[index]) = (0, 0)
        }
        let first = layout.takeStart + frame
        try unsafe take.read(from: first, count: count, left: lanes.takeLeft, right: lanes.takeRight)
        unsafe shape(lanes.modelLeft, lanes.modelRight, from: frame, count: known, gain: gains.model) {
            weightOfModel($0)
        }
        unsafe shape(lanes.takeLeft, lanes.takeRight, from: frame, count: count, gain: gains.take) {
            weightOfTake($0)
        }
    }

    private func shape(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, from frame: Int64, count: Int,
        gain: Float, _ weight: (Int64) -> Float
    ) {
        for index in 0..<count {
            let factor = gain * weight(frame + Int64(index))
            guard factor != 1 else { continue }
            unsafe left[index] *= factor
            unsafe right[index] *= factor
        }
    }

    private func weightOfModel(_ frame: Int64) -> Float {
        let fadesIn = layout.isModelCut ? weight(frame) : 1
        return fadesIn * weight(layout.modelFrames - 1 - frame)
    }

    private func weightOfTake(_ frame: Int64) -> Float {
        let fadesIn = layout.takeStart > 0 ? weight(frame) : 1
        let goesOn = layout.takeStart + layout.frameCount < layout.takeFrames
        return goesOn ? fadesIn * weight(layout.frameCount - 1 - frame) : fadesIn
    }

    /// Returns the weight at a distance in frames from an edge.
    private func weight(_ distance: Int64) -> Float {
        distance >= fadeFrames ? 1 : Fade.weight(at: Int(distance), of: Int(fadeFrames))
    }
}
