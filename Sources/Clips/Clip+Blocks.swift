package import AudioFiles
internal import Samples

extension Clip {
    /// Frames read at once: few, so the decoder can read ahead within a small budget.
    private static let blockFrames = 4096

    /// Passes the recording to `body` in blocks, from its first frame to its last, until `body` returns false. Memory
    /// use does not grow with the recording's length.
    ///
    /// - Parameters:
    ///   - range: Only these frames; nil for all.
    ///   - body: Gets a pointer for each channel, and the number of frames; the pointers are valid until `body`
    ///     returns.
    /// - Throws: The reason why the recording cannot be read to its end.
    ///
    /// Real-time safe: no; the function waits for the decoder.
    package func forEachBlock(
        in range: Range<Int64>? = nil, _ body: (UnsafePointer<UnsafeMutablePointer<Float>>, Int) -> Bool
    ) throws(AudioFileError) {
        let block = PlanarBuffer(channelCount: channelCount, frameCount: Self.blockFrames)
        let reader = makeReader(waitsForPages: true)
        defer { release(reader) }
        let frames = (range ?? 0..<frameCount).clamped(to: 0..<frameCount)
        var frame = frames.lowerBound
        while frame < frames.upperBound {
            let count = Int(min(Int64(block.frameCount), frames.upperBound - frame))
            // Wakes the decoder at once, so the decoder reads ahead, and throws its error.
            try waitUntilLoaded([frame..<frame + Int64(count)])
            reader.beginBlock()
            var missing = 0
            for channel in 0..<channelCount {
                missing += unsafe reader.read(channel: channel, from: frame, count: count, into: block.channel(channel))
            }
            reader.endBlock()
            // For a waiting reader, a page is missing only if the page cannot be decoded.
            if missing > 0, let failure { throw failure }
            guard unsafe body(UnsafePointer(block.channels), count) else { return }
            frame += Int64(count)
        }
    }

    /// Returns the mean of all channels around a place.
    ///
    /// - Parameters:
    ///   - range: frames; outside the clip there is silence.
    ///   - waits: true to wait for pages still to be decoded.
    /// - Returns: nil if a page is not decoded yet, and `waits` is false.
    /// - Throws: The reason why the recording cannot be read there.
    ///
    /// Real-time safe: no.
    package func mix(_ range: Range<Int64>, waits: Bool) throws(AudioFileError) -> [Float]? {
        let reader = makeReader(waitsForPages: waits)
        defer { release(reader) }
        if waits { try waitUntilLoaded([range.clamped(to: 0..<frameCount)]) }
        let block = PlanarBuffer(channelCount: 1, frameCount: max(1, range.count))
        var mix = [Float](repeating: 0, count: range.count)
        reader.beginBlock()
        defer { reader.endBlock() }
        for channel in 0..<channelCount {
            let missing = unsafe reader.read(
                channel: channel, from: range.lowerBound, count: range.count, into: block.channel(0))
            guard missing == 0 else {
                if waits, let failure { throw failure }
                return nil
            }
            for index in mix.indices { unsafe mix[index] += block.channel(0)[index] / Float(channelCount) }
        }
        return mix
    }
}
