public import AudioFiles
public import DSP

extension ProgrammeReading {
    /// Frames read at once: few, so that the decoder can read ahead within a small budget.
    private static let blockFrames = 4096

    /// The rate at which to open a recording in order to measure it: its own rate, limited to the range of the meters.
    ///
    /// - Parameter fileRate: The file's rate, in Hz.
    ///
    /// Real-time safe: no.
    public static func sampleRate(forFileRate fileRate: Int) -> Int {
        min(max(fileRate, LoudnessMeter.sampleRates.lowerBound), LoudnessMeter.sampleRates.upperBound)
    }

    /// Reads a recording from its first frame to its last. Memory use does not grow with its length.
    ///
    /// - Parameters:
    ///   - clip: Opened at 8 to 384 kHz; see ``sampleRate(forFileRate:)``.
    ///   - weights: The weight of each channel in the loudness; nil uses the weights of the usual layout.
    ///   - hop: Called with the loudness at the end of every 10 ms.
    /// - Throws: The reason why the recording cannot be read to its end.
    ///
    /// Real-time safe: no; it waits for the decoder.
    public init(
        measuring clip: Clip, weights: ChannelWeights? = nil, hop: (LoudnessHop) -> Void = { _ in }
    ) throws(AudioFileError) {
        var meter = ProgrammeMeter(
            .init(sampleRate: clip.sampleRate, channelCount: clip.channelCount, weights: weights))
        let block = PlanarBuffer(channelCount: clip.channelCount, frameCount: ProgrammeReading.blockFrames)
        let reader = clip.makeReader(waitsForPages: true)
        defer { clip.release(reader) }
        var frame: Int64 = 0
        while frame < clip.frameCount {
            let count = Int(min(Int64(block.frameCount), clip.frameCount - frame))
            // Wakes the decoder at once, so that it reads ahead, and throws its error.
            try clip.waitUntilLoaded([frame..<frame + Int64(count)])
            reader.beginBlock()
            var missing = 0
            for channel in 0..<clip.channelCount {
                missing += unsafe reader.read(channel: channel, from: frame, count: count, into: block.channel(channel))
            }
            reader.endBlock()
            // For a reader that waits, a page is missing only if it cannot be decoded.
            if missing > 0, let failure = clip.failure { throw failure }
            unsafe meter.process(UnsafePointer(block.channels), frameCount: count, hop: hop)
            frame += Int64(count)
        }
        self = meter.finish()
    }
}
