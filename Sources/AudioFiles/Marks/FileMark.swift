/// A named place or range that a recording's file contains.
public struct FileMark: Sendable, Equatable {
    /// The name; may be empty. The text comes from outside: it may contain any character except zero.
    public let name: String
    /// The frame that it is in front of, from 0 on.
    public let frame: Int64
    /// For a range, the frame after its last one, greater than `frame`; `nil` for a place.
    public let endFrame: Int64?

    /// Creates a mark; if the end is not after the beginning, it is a place.
    package init(name: String, frame: Int64, endFrame: Int64? = nil) {
        self.name = name
        self.frame = frame
        self.endFrame = endFrame.flatMap { $0 > frame ? $0 : nil }
    }
}

/// A named range of a recording, as its marks divide it.
public struct FileSection: Sendable, Equatable {
    /// The name; may be empty.
    public let name: String
    /// Frames of the recording; at least one.
    public let frames: Range<Int64>
}
