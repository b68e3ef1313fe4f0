internal import AudioFiles
internal import Samples

/// Decodes a pair as a clip, page by page on demand: memory holds only the pages, and a rendered model.
///
/// The clip is the pair twice in a row, in channels from 1: 1 and 2 are the model, 3 and 4 the take, 5 and 6 both at
/// once. 7 and 8 are the model the first time and the take the second time, for playback in turn. So each kind of
/// playback is a choice of two channels, and a change is a crossfade at the same frame.
final class PairDecoder: AudioDecoder, @unchecked Sendable {
    // Sound because only the clip's decode thread reads.
    let info: AudioFileInfo
    private let sound: PairSound
    private let mixes: Bool

    static let channelCount = 8

    init(_ sound: PairSound, mixes: Bool) {
        (self.sound, self.mixes) = (sound, mixes)
        info = AudioFileInfo(
            path: "", container: "memory", codec: "pcm_f32", sampleRate: sound.sampleRate,
            channelCount: Self.channelCount, frameCount: 2 * sound.layout.frameCount)
    }

    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError) {
        var (frame, done) = (frames.lowerBound, 0)
        let length = sound.layout.frameCount
        while frame < frames.upperBound {
            let turn = frame < length ? 0 : 1
            let first = frame - Int64(turn) * length
            let count = Int(min(frames.upperBound - frame, length - first))
            try unsafe read(from: first, count: count, turn: turn, into: output + done, stride: stride)
            frame += Int64(count)
            done += count
        }
    }

    private func read(
        from frame: Int64, count: Int, turn: Int, into output: UnsafeMutablePointer<Float>, stride: Int
    ) throws(AudioFileError) {
        func lane(_ channel: Int) -> UnsafeMutablePointer<Float> { unsafe output + channel * stride }
        let lanes = unsafe PairSound.Lanes(
            modelLeft: lane(0), modelRight: lane(1), takeLeft: lane(2), takeRight: lane(3))
        do {
            try sound.read(from: frame, count: count, into: lanes)
        } catch let error as AudioFileError {
            throw error
        } catch {
            throw AudioFileError(.io, path: "", "the model cannot be rendered again", remedy: "Play the take again.")
        }
        for index in 0..<count {
            let both = PairSound.both(lanes, index, mixes: mixes)
            unsafe (lane(4)[index], lane(5)[index]) = (both.left, both.right)
        }
        // Sums and gains may have passed the largest finite number.
        for channel in 0..<6 { unsafe replaceNonFinite(lane(channel), count: count) }
        unsafe lane(6).update(from: turn == 0 ? lanes.modelLeft : lanes.takeLeft, count: count)
        unsafe lane(7).update(from: turn == 0 ? lanes.modelRight : lanes.takeRight, count: count)
    }
}

extension PairSound {
    /// Returns both at once: the model left and the take right, each as the mean of its channels; or the mean of both
    /// on either side, which cannot clip.
    static func both(_ lanes: Lanes, _ index: Int, mixes: Bool) -> (left: Float, right: Float) {
        let model = unsafe (lanes.modelLeft[index], lanes.modelRight[index])
        let take = unsafe (lanes.takeLeft[index], lanes.takeRight[index])
        return mixes
            ? ((model.0 + take.0) / 2, (model.1 + take.1) / 2) : ((model.0 + model.1) / 2, (take.0 + take.1) / 2)
    }
}
