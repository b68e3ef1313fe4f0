// Columns of a picture with a finer zoom than a waveform's bins: computed from the samples.
public import AudioFiles
public import Clips
public import DSP

extension Clip {
    /// Returns columns of a picture of `frames`, each computed from its own samples.
    ///
    /// For zooms where a column has fewer frames than a bin; for other zooms
    /// `Waveform.summary(frames:columns:channel:)` needs no decoding. Rounded like the bins, so the picture does not
    /// change where one method replaces the other.
    ///
    /// - Parameters:
    ///   - frames: In frames of this clip; columns outside the clip are empty.
    ///   - count: The number of columns.
    ///   - channel: One channel from 0, or `nil` for the extremes and the mean power of all.
    ///   - waveform: Provides the colour of the sound; of the same recording at the same rate.
    /// - Throws: An error if the recording cannot be read any more.
    ///
    /// Real-time safe: no (waits for pages).
    public func columns(
        frames: Range<Int64>, count: Int, channel: Int? = nil, waveform: Waveform? = nil
    ) throws(AudioFileError) -> [WaveformColumn] {
        let reader = makeReader(waitsForPages: true)
        defer { release(reader) }
        let channels = channel.map { $0..<$0 + 1 } ?? 0..<channelCount
        var columns: [WaveformColumn] = []
        columns.reserveCapacity(count)
        for column in ColumnFrames(of: frames, count: count) {
            let part = column.clamped(to: 0..<frameCount)
            if part.isEmpty {
                columns.append(.empty)
                continue
            }
            try waitUntilLoaded([part])
            var samples = [Float](repeating: 0, count: part.count * channels.count)
            try readBlock(with: reader) {
                unsafe samples.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return 0 }
                    var missing = 0
                    for (place, channel) in channels.enumerated() {
                        missing += unsafe reader.read(
                            channel: channel, from: part.lowerBound, count: part.count, into: base + place * part.count)
                    }
                    return missing
                }
            }
            columns.append(Waveform.column(ofSamples: samples.span, tone: waveform?.tone(frames: part)))
        }
        return columns
    }

    /// Reads the mean of some channels, for a spectrogram.
    ///
    /// - Parameters:
    ///   - frames: Within this clip.
    ///   - channels: The channels to mix, from 0; at least one.
    ///   - samples: As many places as there are frames.
    /// - Throws: An error if the recording cannot be read any more.
    ///
    /// Real-time safe: no (waits for pages).
    public func readMono(
        _ frames: Range<Int64>, channels: Range<Int>, into samples: inout MutableSpan<Float>
    ) throws(AudioFileError) {
        precondition(samples.count == frames.count && !channels.isEmpty, "A span does not fit its frames.")
        try waitUntilLoaded([frames])
        let reader = makeReader(waitsForPages: true)
        defer { release(reader) }
        var part = [Float](repeating: 0, count: frames.count)
        for index in samples.indices { samples[index] = 0 }
        let share = 1 / Float(channels.count)
        for channel in channels {
            try readBlock(with: reader) {
                unsafe part.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return 0 }
                    return unsafe reader.read(
                        channel: channel, from: frames.lowerBound, count: frames.count, into: base)
                }
            }
            for index in samples.indices { samples[index] += share * part[index] }
        }
    }
}
