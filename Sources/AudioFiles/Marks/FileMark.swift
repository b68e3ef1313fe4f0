/// A named place or range stated in a recording's file.
package struct FileMark: Sendable, Equatable {
    /// The name; may be empty. The text comes from outside, and may contain any character except zero.
    package let name: String
    /// Position of the mark: in front of this frame, from 0.
    package let frame: Int64
    /// End of a range: the frame after its last frame, greater than `frame`. Nil for a place.
    package let endFrame: Int64?

    /// Creates a mark. If the end is not after the beginning, the mark is a place.
    package init(name: String, frame: Int64, endFrame: Int64? = nil) {
        self.name = name
        self.frame = frame
        self.endFrame = endFrame.flatMap { $0 > frame ? $0 : nil }
    }
}

/// A named range of a recording, as divided by its marks.
public struct FileSection: Sendable, Equatable {
    /// The name; may be empty.
    public let name: String
    /// Range of frames in the recording; at least one frame.
    public let frames: Range<Int64>
}
