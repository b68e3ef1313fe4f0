// The content of a sound file, read without a clip.
package import AudioFiles

/// Some frames of a recording, as a decoder returns them.
package func decode(_ decoder: any AudioDecoder, _ frames: Range<Int64>) throws -> [[Float]] {
    let (channels, count) = (decoder.info.channelCount, frames.count)
    let planar = UnsafeMutablePointer<Float>.allocate(capacity: max(1, channels * count))
    defer { unsafe planar.deallocate() }
    try unsafe decoder.read(frames, into: planar, stride: count)
    return (0..<channels).map { channel in
        unsafe Array(UnsafeBufferPointer(start: planar + channel * count, count: count))
    }
}

/// All frames of a file, at a rate in Hz, or at its own for nil; none for an empty file.
package func decode(_ path: String, sampleRate: Int? = nil) throws -> [[Float]] {
    let decoder: any AudioDecoder
    do { decoder = try openDecoder(path: path) } catch {
        if error.kind == .empty { return [] }
        throw error
    }
    let info = decoder.info
    let (rate, blockFrames) = (
        sampleRate ?? info.sampleRate, 1 << RateReader.blockShift(channelCount: info.channelCount)
    )
    let ratio = RateRatio(sourceRate: info.sampleRate, outputRate: rate)
    let (frameCount, reader) = (ratio.outputFrame(nearest: info.frameCount), try RateReader(decoder, sampleRate: rate))
    let block = UnsafeMutablePointer<Float>.allocate(capacity: info.channelCount * blockFrames)
    defer { unsafe block.deallocate() }
    var channels = [[Float]](repeating: [], count: info.channelCount)
    for start in stride(from: 0, to: frameCount, by: blockFrames) {
        let frames = start..<min(start + Int64(blockFrames), frameCount)
        try unsafe reader.read(frames, into: block, stride: blockFrames)
        for channel in channels.indices {
            unsafe channels[channel] += UnsafeBufferPointer(start: block + channel * blockFrames, count: frames.count)
        }
    }
    return channels
}
