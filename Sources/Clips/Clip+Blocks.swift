package import AudioFiles
internal import DSP

extension Clip {
    /// Frames read at once: few, so that the decoder can read ahead within a small budget.
    private static let blockFrames = 4096

    /// Passes the recording to `body` in blocks, from its first frame to its last, until `body` returns false. Memory use does
    /// not grow with its length.
    ///
    /// - Parameter body: Gets a pointer for each channel, and the number of frames there; they are valid until it returns.
    /// - Throws: The reason why the recording cannot be read to its end.
    ///
    /// Real-time safe: no; it waits for the decoder.
    package func forEachBlock(_ body: (UnsafePointer<UnsafeMutablePointer<Float>>, Int) -> Bool) throws(AudioFileError)
    {
        let block = PlanarBuffer(channelCount: channelCount, frameCount: Self.blockFrames)
        let reader = makeReader(waitsForPages: true)
        defer { release(reader) }
        var frame: Int64 = 0
        while frame < frameCount {
            let count = Int(min(Int64(block.frameCount), frameCount - frame))
            // Wakes the decoder at once, so that it reads ahead, and throws its error.
            try waitUntilLoaded([frame..<frame + Int64(count)])
            reader.beginBlock()
            var missing = 0
            for channel in 0..<channelCount {
                missing += unsafe reader.read(channel: channel, from: frame, count: count, into: block.channel(channel))
            }
            reader.endBlock()
            // For a reader that waits, a page is missing only if it cannot be decoded.
            if missing > 0, let failure { throw failure }
            guard unsafe body(UnsafePointer(block.channels), count) else { return }
            frame += Int64(count)
        }
    }
}
