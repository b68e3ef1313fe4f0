public import Clips
public import Engine
public import Explanations
public import Sections

extension SavedSection {
    /// Returns the section in a clip of its recording: exact if the clip has the file's rate, otherwise rounded to the
    /// nearest frame.
    ///
    /// Ignores the section's settings: they are text typed by a user, and the program defines their meaning.
    ///
    /// - Throws: `ScoreError` if no frame of the section is in the clip.
    public func section(in clip: Clip) throws(ScoreError) -> Section {
        let start = min(clip.frame(forFileFrame: frames.lowerBound), clip.frameCount)
        let end = min(clip.frame(forFileFrame: frames.upperBound), clip.frameCount)
        return try Section(start..<max(start, end), name: name.isEmpty ? nil : name)
    }
}
