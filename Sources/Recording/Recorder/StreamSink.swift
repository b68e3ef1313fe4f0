internal import AudioFiles

/// A take written to a pipe: a WAV stream of unknown length. The stream has no marks.
final class StreamSink: TakeSink {
    private let writer: WaveWriter
    private let silence: TakeBlocks

    init(_ writer: WaveWriter) {
        self.writer = writer
        silence = TakeBlocks(channelCount: writer.channelCount)
    }

    var frameCount: Int64 { writer.frameCount }

    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError) {
        try unsafe writer.write(channels, frameCount: frameCount)
    }

    func writeSilence(frameCount: Int64) throws(AudioFileError) {
        var rest = frameCount
        while rest > 0 {
            let count = min(rest, Int64(TakeBlocks.frameCapacity))
            try unsafe writer.write(silence.channels, frameCount: Int(count))
            rest -= count
        }
    }

    func addMark(_ name: String, atFrame frame: Int64) throws(AudioFileError) {}
    func checkpoint() throws(AudioFileError) { try writer.flush() }
    func synchronise() throws(AudioFileError) {}
    func finish() throws(AudioFileError) { try writer.finish() }
    func discard() throws(AudioFileError) { writer.cancel() }
}
