// A recording and takes of this recording, with places known to the frame.
import AudioFiles
import Clips
import SoundFileSupport

@testable import Practice
@testable import Store

/// A recording in a file, and takes of the recording.
struct PairMaterial {
    static let rate = 48_000

    let scratch: Scratch
    let recording: Clip
    let key: RecordingKey

    /// - Parameter channels: The recording; music of 6 s if nil.
    init(_ channels: [[Float]]? = nil) throws {
        scratch = try Scratch()
        let path = scratch.file("song.wav")
        try writeWave(
            path, channels ?? music(frameCount: 6 * Self.rate, sampleRate: Self.rate), sampleRate: Self.rate,
            format: .float32)
        recording = try Clip(path: path)
        key = try RecordingKey(ofFileAt: path)
    }

    /// A take in a separate file.
    ///
    /// - Parameters:
    ///   - frames: The played passage, in frames of the recording.
    ///   - start: The frame of the take at which the passage's first frame was heard.
    func take(
        _ channels: [[Float]], rate: Int = rate, frames: Range<Int64>, start: Double, speed: Double = 1,
        semitones: Double = 0, key: RecordingKey? = nil, named name: String = "take.wav"
    ) throws -> StoredTake {
        try writeWave(scratch.file(name), channels, sampleRate: rate, format: .float32)
        let model = StoredTake.Model(
            key: key ?? self.key, sectionID: 1, frames: frames, speed: speed, semitones: semitones, start: start,
            alignment: .measured)
        return StoredTake(
            number: 1, path: scratch.file(name),
            sound: StoredTake.Sound(
                time: 1, sampleRate: rate, channelCount: channels.count, frameCount: Int64(channels[0].count)),
            model: model, name: "", note: "", rating: nil, trashedAt: nil)
    }

    /// One channel with a full sample at some frames.
    static func impulses(_ frames: [Int], count: Int, height: Float = 0.5) -> [Float] {
        var samples = [Float](repeating: 0, count: count)
        for frame in frames where samples.indices.contains(frame) { samples[frame] = height }
        return samples
    }
}

extension HeardPair {
    /// The channels of the pair's clip, from the first frame of the pair to the last.
    func lanes() throws -> [[Float]] {
        var lanes = [[Float]](repeating: [], count: clip.channelCount)
        try unsafe clip.forEachBlock(in: 0..<layout.frameCount) { channels, count in
            for channel in lanes.indices {
                unsafe lanes[channel] += UnsafeBufferPointer(start: channels[channel], count: count)
            }
            return true
        }
        return lanes
    }
}
