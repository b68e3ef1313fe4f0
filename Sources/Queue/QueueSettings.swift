internal import Clips
internal import Engine

/// The settings for all items of a queue.
struct QueueSettings {
    /// Length of the crossfade between consecutive items, in output frames; 0 for none.
    var crossfade: Int64 = 0
    var speed = Speed.normal
    /// Gain in dB, in addition to the items' own gains.
    var decibels = 0.0

    /// Returns the crossfade, at most half of either item: no item fades out before fading in, and at most two items
    /// sound together.
    func fade(from last: QueueSound?, to sound: QueueSound) -> Int64 {
        [last, sound].compactMap(\.self).reduce(crossfade) { fade, sound in
            let frames = sound.range.map { Int64($0.count) } ?? sound.clip.frameCount
            return min(fade, Int64(Double(frames) / speed.factor / 2))
        }
    }

    /// Returns the gain of an item in dB.
    func decibels(of sound: QueueSound) -> Double { decibels + sound.decibels }
}
