internal import AudioFiles
internal import Takes

/// Destination of a take's samples. Used by the writer thread only.
protocol TakeSink: AnyObject {
    /// Frames written so far; after a failure, the frames kept.
    var frameCount: Int64 { get }
    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError)
    func writeSilence(frameCount: Int64) throws(AudioFileError)
    func addMark(_ name: String, atFrame frame: Int64) throws(AudioFileError)
    /// Makes the written frames visible to other programs that open the file.
    func checkpoint() throws(AudioFileError)
    /// Makes the written frames safe from a power cut.
    func synchronise() throws(AudioFileError)
    func finish() throws(AudioFileError)
    func discard() throws(AudioFileError)
}

extension TakeFile: TakeSink {}
