/// A place of a recording whose sound is held from the beginning of a session on.
public struct FrozenPlace: Sendable, Hashable {
    /// The frame of the clip; the first section that holds it is begun there.
    public var clipFrame: Int64
    /// Output frames until the session ends with a fade; nil if it is held until `PracticeSession.setFrozen(_:)`.
    public var frameCount: Int64?

    /// - Parameters:
    ///   - clipFrame: The frame of the clip.
    ///   - frameCount: Output frames until the end; nil for none.
    public init(clipFrame: Int64, frameCount: Int64? = nil) {
        (self.clipFrame, self.frameCount) = (clipFrame, frameCount)
    }
}
