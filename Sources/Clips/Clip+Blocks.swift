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
            try readBlock(with: reader) { unsafe reader.read(from: frame, count: count, into: block.channels) }
            guard unsafe body(UnsafePointer(block.channels), count) else { return }
            frame += Int64(count)
        }
    }

    /// Reads a block of several channels with a waiting reader, completely or not at all.
    ///
    /// A failed page is silent, and may become readable between the reads of two channels. Then `read` runs again, so
    /// that no channel of a block has silence in place of its sound.
    ///
    /// - Parameters:
    ///   - reader: A waiting reader whose waits never end early.
    ///   - read: Reads all channels, and returns the number of missing frames; may run several times.
    /// - Throws: The reason why a page of the block cannot be decoded.
    ///
    /// Real-time safe: no (waits).
    package func readBlock(with reader: ClipReader, _ read: () -> Int) throws(AudioFileError) {
        while true {
            reader.beginBlock()
            let missing = read()
            reader.endBlock()
            if missing == 0 { return }
            // For a waiting reader, a page is missing only if the page cannot be decoded; without a failure the page is
            // readable by now.
            if let failure { throw failure }
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
        let block = PlanarBuffer(channelCount: channelCount, frameCount: max(1, range.count))
        if waits {
            try readBlock(with: reader) {
                unsafe reader.read(from: range.lowerBound, count: range.count, into: block.channels)
            }
        } else {
            reader.beginBlock()
            let missing = unsafe reader.read(from: range.lowerBound, count: range.count, into: block.channels)
            reader.endBlock()
            if missing > 0 { return nil }
        }
        var mix = [Float](repeating: 0, count: range.count)
        for channel in 0..<channelCount {
            for index in mix.indices { unsafe mix[index] += block.channel(channel)[index] / Float(channelCount) }
        }
        return mix
    }
}
