// Reading a clip as a player does.
import Clips
import Testing

/// Reads a range of a clip as a render thread does, after waiting for the range. The reader requests the range, so
/// the range's pages stay until read.
func read(_ clip: Clip, _ frames: Range<Int64>) throws -> [[Float]] {
    let reader = clip.makeReader()
    defer { clip.release(reader) }
    clip.request(ClipDemand([max(0, frames.lowerBound)..<max(0, frames.upperBound)]), for: reader)
    try clip.waitUntilLoaded([frames], for: reader)
    reader.beginBlock()
    defer { reader.endBlock() }
    return (0..<clip.channelCount).map { channel in
        unsafe [Float](unsafeUninitializedCapacity: frames.count) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            let missing = unsafe reader.read(channel: channel, from: frames.lowerBound, count: frames.count, into: base)
            #expect(missing == 0)
            count = frames.count
        }
    }
}

/// All of a clip, in order.
func readAll(_ clip: Clip) throws -> [[Float]] {
    var channels = [[Float]](repeating: [], count: clip.channelCount)
    var position: Int64 = 0
    while position < clip.frameCount {
        let end = min(position + 50_000, clip.frameCount)
        for (channel, samples) in try read(clip, position..<end).enumerated() { channels[channel] += samples }
        position = end
    }
    return channels
}
