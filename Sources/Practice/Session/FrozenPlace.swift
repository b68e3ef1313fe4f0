/// A place of a recording whose sound is held from the beginning of a session.
package struct FrozenPlace: Sendable, Hashable {
    /// The frame of the clip; the session begins with the first section that contains the frame.
    package var clipFrame: Int64
    /// Output frames until the session ends with a fade; nil to hold the sound until `PracticeSession.setFrozen(_:)`.
    package var frameCount: Int64?

    /// - Parameters:
    ///   - clipFrame: The frame of the clip.
    ///   - frameCount: Output frames until the end; nil for none.
    package init(clipFrame: Int64, frameCount: Int64? = nil) {
        (self.clipFrame, self.frameCount) = (clipFrame, frameCount)
    }
}
