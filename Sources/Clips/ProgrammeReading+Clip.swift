public import AudioFiles
public import DSP

extension ProgrammeReading {
    /// Returns the rate at which to open a recording for measuring: the recording's own rate, limited to the range of
    /// the meters.
    ///
    /// - Parameter fileRate: The file's rate, in Hz.
    ///
    /// Real-time safe: no.
    package static func sampleRate(forFileRate fileRate: Int) -> Int {
        min(max(fileRate, LoudnessMeter.sampleRates.lowerBound), LoudnessMeter.sampleRates.upperBound)
    }

    /// Reads a recording from its first frame to its last. Memory use does not grow with the recording's length.
    ///
    /// - Parameter clip: Opened at 8 to 384 kHz.
    /// - Throws: The reason why the recording cannot be read to its end.
    ///
    /// Real-time safe: no; the initialiser waits for the decoder.
    public init(measuring clip: Clip) throws(AudioFileError) {
        try self.init(measuring: clip, hop: { _ in })
    }

    /// Reads a recording from its first frame to its last, and calls `hop` with the loudness at the end of every 10 ms.
    package init(measuring clip: Clip, hop: (LoudnessHop) -> Void) throws(AudioFileError) {
        var meter = ProgrammeMeter(.init(sampleRate: clip.sampleRate, channelCount: clip.channelCount))
        try unsafe clip.forEachBlock { (channels, count) in
            unsafe meter.process(channels, frameCount: count, hop: hop)
            return true
        }
        self = meter.finish()
    }
}
