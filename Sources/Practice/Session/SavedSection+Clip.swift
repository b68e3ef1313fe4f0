public import Clips
public import Engine
public import Sections

extension SavedSection {
    /// The section in a clip of its recording: to the frame if the clip has the file's rate, otherwise to the nearest one.
    ///
    /// Its settings are not looked at: they are what a user typed, and their meaning is the program's.
    ///
    /// - Throws: `ScoreError` if nothing of it is in the clip.
    public func section(in clip: Clip) throws(ScoreError) -> Section {
        let start = min(clip.frame(forFileFrame: frames.lowerBound), clip.frameCount)
        let end = min(clip.frame(forFileFrame: frames.upperBound), clip.frameCount)
        return try Section(start..<max(start, end), name: name.isEmpty ? nil : name)
    }
}
