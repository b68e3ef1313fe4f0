internal import AudioFiles
internal import Takes

/// Where a take's samples go. The writer's thread alone uses it.
protocol TakeSink: AnyObject {
    /// Frames given so far; after a failure, those that are kept.
    var frameCount: Int64 { get }
    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError)
    func writeSilence(frameCount: Int64) throws(AudioFileError)
    func addMark(_ name: String, atFrame frame: Int64) throws(AudioFileError)
    /// Makes what was written visible to whoever opens it.
    func checkpoint() throws(AudioFileError)
    /// Makes what was written outlive a power cut.
    func synchronise() throws(AudioFileError)
    func finish() throws(AudioFileError)
    func discard() throws(AudioFileError)
}

extension TakeFile: TakeSink {}
